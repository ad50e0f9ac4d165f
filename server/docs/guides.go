package docs

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	guides "tollkeeper/docs"
)

//go:embed guide.html
var guidePage string

//go:embed guide.css
var guideStyle []byte

// guidePolicy lets a guide load its style from this server, and nothing else.
const guidePolicy = "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guide is a guide of docs/ as a page.
type guide struct {
	Name  string // of its file, without the ending
	Title string // its first heading
	About string // its first sentence, as text
	HTML  template.HTML
}

// registerGuides serves the guides, which are the files of docs/, and the list of them.
func registerGuides(e *echo.Echo) {
	pages := sync.OnceValue(renderPages)
	e.GET("/docs/guide.css", document("text/css; charset=utf-8", guideStyle))
	show := func(c echo.Context) error {
		if name, isText := strings.CutSuffix(c.Param("guide"), ".md"); isText {
			return showGuideText(c, name)
		}
		page, found := pages()[c.Param("guide")]
		if !found {
			return echo.ErrNotFound
		}
		return document(echo.MIMETextHTMLCharsetUTF8, page)(c)
	}
	e.GET("/docs/guides", show, secured(guidePolicy))
	e.GET("/docs/guides/:guide", show, secured(guidePolicy))
}

// renderPages returns the pages by the name of the guide, and the list of guides under "".
func renderPages() map[string][]byte {
	shown := template.Must(template.New("guide").Parse(guidePage))
	var all []guide
	for _, name := range guides.Order {
		all = append(all, readGuide(name))
	}
	pages := map[string][]byte{}
	render := func(name, up string, at *guide) {
		var page bytes.Buffer
		err := shown.Execute(&page, map[string]any{"All": all, "At": at, "Up": up})
		if err != nil {
			panic("docs: guide.html: " + err.Error()) // a spec reads every page
		}
		pages[name] = page.Bytes()
	}
	render("", "", nil)
	for i := range all {
		render(all[i].Name, "../", &all[i])
	}
	return pages
}

// markdown is what the guides are written in: CommonMark with tables.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table),
	goldmark.WithParserOptions(parser.WithAutoHeadingID(), parser.WithASTTransformers(util.Prioritized(links{}, 0))),
)

func readGuide(name string) guide {
	source := guideSource(name)
	root := markdown.Parser().Parse(text.NewReader(source))
	var html bytes.Buffer
	if err := markdown.Renderer().Render(&html, source, root); err != nil {
		panic(fmt.Sprintf("docs: %s: %v", name, err))
	}
	g := guide{Name: name, HTML: template.HTML(html.String())} //nolint:gosec // written in docs/, and raw HTML is left out
	for n := root.FirstChild(); n != nil && g.About == ""; n = n.NextSibling() {
		switch n.Kind() {
		case ast.KindHeading:
			g.Title = plain(n, source)
		case ast.KindParagraph:
			sentence, _, _ := strings.Cut(plain(n, source), ". ")
			g.About = strings.TrimSuffix(sentence, ".") + "."
		}
	}
	return g
}

// plain is the text of a node without its form.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if leaf, ok := n.(*ast.Text); ok && entering {
			b.Write(leaf.Value(source))
			if leaf.SoftLineBreak() {
				b.WriteByte(' ')
			}
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// links makes links between guides those of their pages. Links to other files of the repository
// become plain text: the server does not have these files.
type links struct{}

// Transform is called with each guide that was read.
func (links) Transform(root *ast.Document, _ text.Reader, _ parser.Context) {
	var elsewhere []*ast.Link
	_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		link, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		switch to, isGuide := guideLink(string(link.Destination)); {
		case isGuide:
			link.Destination = []byte(to)
		case !strings.HasPrefix(to, "https://") && !strings.HasPrefix(to, "#"):
			elsewhere = append(elsewhere, link)
		}
		return ast.WalkContinue, nil
	})
	for _, link := range elsewhere {
		parent := link.Parent()
		for child := link.FirstChild(); child != nil; {
			next := child.NextSibling()
			parent.InsertBefore(parent, link, child)
			child = next
		}
		parent.RemoveChild(parent, link)
	}
}

// guideLink returns a link to the file of a guide as one to its page.
func guideLink(to string) (page string, isGuide bool) {
	file, part, hasPart := strings.Cut(to, "#")
	name, isGuide := strings.CutSuffix(file, ".md")
	if !isGuide || strings.Contains(name, "/") {
		return to, false
	}
	if hasPart {
		name += "#" + part
	}
	return name, true
}
