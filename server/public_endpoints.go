package server

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/gen"
	"tollkeeper/server/docs"
)

// readyWithin bounds how long the database may take to answer a probe.
const readyWithin = 2 * time.Second

// registerPublic serves the paths that need no key.
func (s *Server) registerPublic(e *echo.Echo) {
	e.GET("/healthz", func(c echo.Context) error { return c.String(http.StatusOK, "ok\n") })
	e.GET("/readyz", s.ready)
	e.GET("/metrics", echo.WrapHandler(s.metrics.handler()))
	e.GET("/", home)
	docs.Register(e, s.release)
}

// home leads a browser to the documentation. Programs are told that there is nothing.
func home(c echo.Context) error {
	if strings.Contains(c.Request().Header.Get(echo.HeaderAccept), echo.MIMETextHTML) {
		return c.Redirect(http.StatusFound, "/docs")
	}
	return echo.ErrNotFound
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
