package server

import (
	"bytes"
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"go.yaml.in/yaml/v3"

	"tollkeeper/gen"
	"tollkeeper/server/contract"
)

// readyWithin bounds how long the database may take to answer a probe.
const readyWithin = 2 * time.Second

// registerPublic serves the paths that need no key.
func (s *Server) registerPublic(e *echo.Echo) {
	docs := docsHTML(s.contract)
	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
	e.GET("/readyz", s.ready)
	e.GET("/metrics", echo.WrapHandler(s.metrics.handler()))
	e.GET("/openapi.yaml", document("application/yaml", contractYAML(s.contract)))
	e.GET("/openapi.json", document(echo.MIMEApplicationJSON, contractJSON(s.contract)))
	e.GET("/", home)
	e.GET("/docs", func(c echo.Context) error { return c.HTMLBlob(http.StatusOK, docs) })
}

// home leads a browser to the documentation. Programs are told that there is nothing.
func home(c echo.Context) error {
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), echo.MIMETextHTML) {
		return c.Redirect(http.StatusFound, "/docs")
	}
	return echo.ErrNotFound
}

// document serves a text that stays the same while the server runs. A client that has it
// already, by its ETag, gets a 304 without it.
func document(kind string, text []byte) echo.HandlerFunc {
	hash := sha256.Sum256(text)
	tag := `"` + hex.EncodeToString(hash[:16]) + `"`
	return func(c echo.Context) error {
		header := c.Response().Header()
		header.Set(echo.HeaderContentType, kind)
		header.Set("ETag", tag)
		http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(text))
		return nil
	}
}

// ready reports whether requests can be served, which is whether the database answers. With
// the parameter deep it also reports the last verification of the books.
func (s *Server) ready(c echo.Context) error {
	ctx, cancel := context.WithTimeout(c.Request().Context(), readyWithin)
	defer cancel()
	if err := s.store.Ping(ctx); err != nil {
		return c.String(http.StatusServiceUnavailable, "the database does not answer\n")
	}
	if !c.QueryParams().Has("deep") {
		return c.String(http.StatusOK, "ready\n")
	}
	books := s.worker.Books()
	switch {
	case books == nil:
		return c.String(http.StatusOK, "ready; the books were not verified yet\n")
	case len(books.Findings) > 0:
		return c.String(http.StatusServiceUnavailable, fmt.Sprintf("the books do not agree: %d findings\n", len(books.Findings)))
	}
	return c.String(http.StatusOK, fmt.Sprintf("ready; %d invoices verified\n", books.Invoices))
}

// Ping serves GET /v1/ping. A request that gets here has a valid key.
func (s *Server) Ping(context.Context, gen.PingRequestObject) (gen.PingResponseObject, error) {
	return gen.Ping200JSONResponse{Response: "pong"}, nil
}

// contractYAML writes the contract as YAML.
func contractYAML(c *contract.Contract) []byte {
	document, err := c.Document.MarshalYAML()
	if err != nil {
		panic("server: the embedded contract: " + err.Error()) // checked by gen's specs
	}
	text, err := yaml.Marshal(document)
	if err != nil {
		panic("server: the embedded contract: " + err.Error())
	}
	return text
}

// contractJSON writes the contract as JSON.
func contractJSON(c *contract.Contract) []byte {
	text, err := c.Document.MarshalJSON()
	if err != nil {
		panic("server: the embedded contract: " + err.Error()) // checked by gen's specs
	}
	return text
}

//go:embed docs.html
var docsPage string

var docsTemplate = template.Must(template.New("docs").Parse(docsPage))

// docsSection is what the page shows under one tag of the contract.
type docsSection struct {
	Name, About string
	Operations  []docsOperation
}

type docsOperation struct {
	Method, Path, Summary, About string
	Parameters                   []docsParameter
	Body                         string // name of the schema
}

type docsParameter struct {
	Name, In, About string
	Required        bool
}

// docsHTML writes the page for people, made of the contract alone.
func docsHTML(c *contract.Contract) []byte {
	var page strings.Builder
	err := docsTemplate.Execute(&page, struct {
		Title, About string
		Sections     []docsSection
	}{c.Document.Info.Title, c.Document.Info.Description, docsSections(c)})
	if err != nil {
		panic("server: the documentation page: " + err.Error()) // made of constants
	}
	return []byte(page.String())
}

func docsSections(c *contract.Contract) []docsSection {
	var sections []docsSection
	for _, tag := range c.Document.Tags {
		section := docsSection{Name: tag.Name, About: tag.Description}
		for _, path := range c.Document.Paths.InMatchingOrder() {
			item := c.Document.Paths.Value(path)
			for method, op := range item.Operations() {
				if !slices.Contains(op.Tags, tag.Name) {
					continue
				}
				shown := docsOperation{Method: method, Path: path, Summary: op.Summary, About: op.Description}
				for _, p := range slices.Concat(item.Parameters, op.Parameters) {
					shown.Parameters = append(shown.Parameters, docsParameter{p.Value.Name, p.Value.In, p.Value.Description, p.Value.Required})
				}
				if op.RequestBody != nil {
					ref := op.RequestBody.Value.Content.Get("application/json").Schema.Ref
					shown.Body = ref[strings.LastIndex(ref, "/")+1:]
				}
				section.Operations = append(section.Operations, shown)
			}
		}
		slices.SortFunc(section.Operations, func(a, b docsOperation) int {
			return strings.Compare(a.Path+" "+a.Method, b.Path+" "+b.Method)
		})
		sections = append(sections, section)
	}
	return sections
}
