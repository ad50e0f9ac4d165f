package console

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tollkeeper/server/page"
)

// serve answers with a page, or says why there is none. A page that the person has no right
// to is not there.
func (p *pages) serve(of func(*visit) (templ.Component, error)) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := p.visit(c)
		if err != nil {
			return err
		}
		shown, err := of(v)
		if to, ok := shown.(leadTo); ok && err == nil {
			return c.Redirect(http.StatusSeeOther, string(to))
		}
		if err == nil {
			status := http.StatusOK
			if other, ok := shown.(withStatus); ok {
				status, shown = other.status, other.Component
			}
			if err = p.show(v, status, shown); !errors.Is(err, errLongForm) {
				return err
			}
		}
		switch status := statusOf(err); status {
		case http.StatusForbidden, http.StatusNotFound:
			return page.Write(c, http.StatusNotFound, missingPage(v))
		case http.StatusBadRequest:
			return page.Write(c, status, unshownPage(v, err))
		default:
			p.log.ErrorContext(v.ctx, "console page failed", "path", c.Path(), "error", err, "request_id", v.requestID())
			return page.Write(c, status, brokenPage(v))
		}
	}
}

// show writes a page. What shows the result of a change takes no share of the processors: it may show a secret that is shown
// once, and the change is made.
func (p *pages) show(v *visit, status int, shown templ.Component) error {
	if changes(v.echo.Request().Method) {
		return page.Write(v.echo, status, shown)
	}
	return page.WriteInTurn(v.ctx, p.store, v.echo, status, shown)
}

// leadTo leads the browser to another page, after a form that changed something.
type leadTo string

// Render writes nothing: the answer has no body.
func (leadTo) Render(context.Context, io.Writer) error { return nil }
