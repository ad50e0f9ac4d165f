package console

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"tollkeeper/server/page"
)

// Mount serves the console on e.
func Mount(e *echo.Echo, cfg Config) {
	c := &Console{cfg}
	all := e.Group(root, c.secured, c.answered)
	c.mountAssets(all)
	c.mountSignIn(all)
	c.mountYou(all)
	c.mountPages(all.Group("", c.signedIn))
	all.Match([]string{http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete}, "/*", nowhere)
}

// nowhere answers what no page takes: an unknown address, or a form sent to a page without one.
func nowhere(ec echo.Context) error { return page.Write(ec, http.StatusNotFound, nothingPage()) }
