package console

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// serve answers with a page, or says why there is none. A page that the person has no right
// to is not there.
func (p *pages) serve(page func(*visit) (templ.Component, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := p.visit(c)
		if err != nil {
			return err
		}
		shown, err := page(v)
		if to, ok := shown.(leadTo); ok && err == nil {
			return c.Redirect(http.StatusSeeOther, string(to))
		}
		if err == nil {
			status := http.StatusOK
			if other, ok := shown.(withStatus); ok {
				status, shown = other.status, other.Component
			}
			if err = writePage(c, status, shown); !errors.Is(err, errLongForm) {
				return err
			}
		}
		switch status := statusOf(err); status {
		case http.StatusForbidden, http.StatusNotFound:
			return writePage(c, http.StatusNotFound, missingPage(v))
		case http.StatusBadRequest:
			return writePage(c, status, unshownPage(v, err))
		default:
			p.log.ErrorContext(v.ctx, "console page failed", "path", c.Path(), "error", err, "request_id", v.requestID())
			return writePage(c, status, brokenPage(v))
		}
	}
}

// leadTo leads the browser to another page, after a form that changed something.
type leadTo string

// Render writes nothing: the answer has no body.
func (leadTo) Render(context.Context, io.Writer) error { return nil }

// writePage writes a page once all of it is there: what fails on the way is not sent half.
func writePage(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	return c.HTMLBlob(status, b.Bytes())
}
