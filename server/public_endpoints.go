package server

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tollkeeper/gen"
	"tollkeeper/server/docs"
)

// registerPublic serves the paths that need no key.
func (s *Server) registerPublic(e *echo.Echo) {
	registerHealth(e)
	if s.adminApart {
		e.GET("/readyz", s.readyAlone)
	} else {
		s.registerProbes(e)
	}
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

// Ping serves GET /v1/ping. A request that gets here has a valid key.
func (s *Server) Ping(context.Context, gen.PingRequestObject) (gen.PingResponseObject, error) {
	return gen.Ping200JSONResponse{Response: "pong"}, nil
}
