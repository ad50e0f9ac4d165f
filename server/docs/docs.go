// Package docs serves the contract, as it is written in openapi.yaml, and a page on which
// people read it and try it: /docs, /openapi.yaml and /openapi.json. Under /docs/guides it serves
// the guides of the repository's docs/. /llms.txt lists all of it as Markdown, for programs that read
// text. None of them needs a key.
//
// The page of the contract is Scalar's API reference. Its program is kept here compressed, as scripts/docs
// fetched it, so the page works where there is no other network.
package docs

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"tollkeeper/server/page"
)

//go:embed page.html
var viewer []byte

//go:embed reference.css
var style []byte

//go:embed start.js
var start []byte

//go:embed scalar.js.gz
var scalar []byte

// policy lets the page load and call this server alone. Scalar writes styles into the page.
const policy = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
	"connect-src 'self'; font-src 'self' data:; worker-src 'self' blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Register serves the paths of the package. The documents name the release as their version.
func Register(e *echo.Echo, release string) {
	written := contractYAML(release)
	compressed := middleware.Gzip()
	e.GET("/docs", document(echo.MIMETextHTMLCharsetUTF8, viewer), secured(policy))
	e.GET("/docs/reference.css", document("text/css; charset=utf-8", style))
	e.GET("/docs/start.js", document(echo.MIMEApplicationJavaScriptCharsetUTF8, start))
	e.GET("/docs/scalar.js", program)
	registerGuides(e)
	registerTexts(e, release)
	e.GET("/openapi.yaml", document("application/yaml", written), compressed)
	inJSON := sync.OnceValue(func() echo.HandlerFunc { // takes half a second
		return document(echo.MIMEApplicationJSON, contractJSON(written))
	})
	e.GET("/openapi.json", func(c echo.Context) error { return inJSON()(c) }, compressed)
}

// secured sets what a page may load, and that nothing else learns of it.
func secured(policy string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			page.Secure(c.Response().Header(), policy, "no-referrer")
			return next(c)
		}
	}
}

// document serves a text that stays the same while the server runs. A client that has it
// already, by its ETag, gets a 304 without it.
func document(kind string, text []byte) echo.HandlerFunc {
	tag := tagOf(text)
	return func(c echo.Context) error {
		header := c.Response().Header()
		header.Set(echo.HeaderContentType, kind)
		header.Set("ETag", tag)
		http.ServeContent(c.Response(), c.Request(), "", time.Time{}, bytes.NewReader(text))
		return nil
	}
}

// program serves Scalar's program, compressed as it is kept, or not to a client that does not
// take it so.
func program(c echo.Context) error {
	header := c.Response().Header()
	header.Set(echo.HeaderContentType, echo.MIMEApplicationJavaScriptCharsetUTF8)
	header.Set(echo.HeaderVary, echo.HeaderAcceptEncoding)
	header.Set("ETag", tagOf(scalar))
	if c.Request().Header.Get("If-None-Match") == tagOf(scalar) {
		return c.NoContent(http.StatusNotModified)
	}
	if strings.Contains(c.Request().Header.Get(echo.HeaderAcceptEncoding), "gzip") {
		header.Set(echo.HeaderContentEncoding, "gzip")
		_, err := c.Response().Write(scalar)
		return err
	}
	plain, err := gzip.NewReader(bytes.NewReader(scalar))
	if err != nil {
		return err
	}
	_, err = io.Copy(c.Response(), plain) //nolint:gosec // the size is that of a file of ours
	return err
}

func tagOf(text []byte) string {
	hash := sha256.Sum256(text)
	return `"` + hex.EncodeToString(hash[:16]) + `"`
}
