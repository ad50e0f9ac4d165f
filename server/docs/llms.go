package docs

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	guides "tollkeeper/docs"
)

// markdownText is the type of what programs that read text are given.
const markdownText = "text/markdown; charset=utf-8"

// registerTexts serves the contract and the guides as Markdown: /llms.txt lists them, /llms-full.txt
// has all of them in one, and each has an address of its own.
func registerTexts(e *echo.Echo, release string) {
	all := Texts(release)
	show := func(c echo.Context) error {
		path := c.Request().URL.Path
		text, found := all()[path]
		if !found {
			return echo.ErrNotFound
		}
		kind := markdownText
		if strings.HasSuffix(path, ".txt") {
			kind = echo.MIMETextPlainCharsetUTF8
		}
		c.Response().Header().Set(echo.HeaderXContentTypeOptions, "nosniff")
		return document(kind, text)(c)
	}
	compressed := middleware.Gzip()
	e.GET("/llms.txt", show, compressed)
	e.GET("/llms-full.txt", show, compressed)
	e.GET("/docs/operations/:name", show, compressed)
	e.GET("/docs/schemas/:name", show, compressed)
}

// Texts returns what makes the documents for programs that read text, by their paths, once.
func Texts(release string) func() map[string][]byte {
	return sync.OnceValue(func() map[string][]byte { return writeTexts(newReference(contractYAML(release))) })
}

func writeTexts(r *reference) map[string][]byte {
	out := map[string][]byte{}
	var list, full bytes.Buffer
	title := r.document.Info.Title
	about, more, _ := strings.Cut(strings.TrimSpace(r.document.Info.Description), "\n\n")
	fmt.Fprintf(&list, "# %s\n\n> %s\n\n%s\n\n## Guides\n\n", title, about, llmsAbout)
	fmt.Fprintf(&full, "# %s\n\n> %s\n\n%s\n", title, about, strings.TrimSpace(more))
	for _, name := range guides.Order {
		g, source := readGuide(name), guideSource(name)
		out[guidePath(name)] = source
		fmt.Fprintf(&list, "- [%s](%s): %s\n", g.Title, guidePath(name), g.About)
		fmt.Fprintf(&full, "\n%s", source)
	}
	for _, tag := range r.document.Tags {
		fmt.Fprintf(&list, "\n## %s\n\n", tag.Name)
		for _, op := range r.operations(tag.Name) {
			text := r.operationText(op)
			out[operationPath(op.ID)] = []byte(text)
			fmt.Fprintf(&list, "- [%s](%s): `%s %s`. %s.\n", op.ID, operationPath(op.ID), op.Method, op.Path, op.Summary)
			fmt.Fprintf(&full, "\n%s", text)
		}
	}
	for _, name := range r.schemaNames() {
		text := r.schemaText(name)
		out[schemaPath(name)] = []byte(text)
		fmt.Fprintf(&full, "\n%s", text)
	}
	list.WriteString("\n## Optional\n\n" +
		"- [Everything in one file](/llms-full.txt): guides, operations and schemas.\n" +
		"- [The contract](/openapi.yaml): OpenAPI 3.0, as it is written.\n")
	out["/llms.txt"], out["/llms-full.txt"] = list.Bytes(), full.Bytes()
	return out
}

// llmsAbout says what a program needs to know before it follows a link.
const llmsAbout = "Every request takes `Authorization: Bearer <key>` and answers JSON. Money is a decimal string, instants are in UTC, lists " +
	"are read by cursor, and a POST with an `Idempotency-Key` may be repeated safely. Each operation below has a page with its parameters, " +
	"its body and an example. `tollkeeper mcp` offers the operations as tools."

// guideSource is a guide as it is written.
func guideSource(name string) []byte {
	source, err := guides.Guides.ReadFile(name + ".md")
	if err != nil {
		panic("docs: " + err.Error()) // a spec reads every guide
	}
	return source
}

// showGuideText serves a guide as it is written, to programs that read text.
func showGuideText(c echo.Context, name string) error {
	source, err := guides.Guides.ReadFile(name + ".md")
	if err != nil {
		return echo.NewHTTPError(http.StatusNotFound)
	}
	return document(markdownText, source)(c)
}

func guidePath(name string) string     { return "/docs/guides/" + name + ".md" }
func operationPath(name string) string { return "/docs/operations/" + name + ".md" }
func schemaPath(name string) string    { return "/docs/schemas/" + name + ".md" }
