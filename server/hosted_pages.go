package server

import (
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/server/console"
	"tollkeeper/server/hosted"
)

// mountHosted serves the pages for customers. A token that opens nothing counts as a key that is not
// good: who guesses is slowed down (semantics 20.2.6).
func (s *Server) mountHosted(e *echo.Echo) {
	hosted.Mount(e, hosted.Config{
		Store: s.store, Fonts: s.fonts, Stylesheet: console.Stylesheet(), Icon: console.Icon(),
		Admit: func(c echo.Context) error {
			if err := s.limits.admit(c.RealIP(), "", time.Now()); err != nil {
				return err
			}
			return s.limits.visit(c.RealIP(), time.Now())
		},
		Strange: func(c echo.Context) { s.limits.failed(c.RealIP(), "", time.Now()) },
		Failed:  s.failPage,
	})
}
