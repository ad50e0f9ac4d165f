package console

import (
	"github.com/labstack/echo/v4"
)

// mountPages serves the pages that need a session. Their handlers find it by [FromContext].
func (c *Console) mountPages(g *echo.Group) {
	g.GET("", c.showYou)
}

// mountAssets serves the files that pages load.
func (c *Console) mountAssets(*echo.Group) {}

// asset is where a file that pages load is.
func asset(name string) string { return root + "/assets/" + name }
