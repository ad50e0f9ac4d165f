// Package page writes what people see in a browser: with the headers that each page has, and once all of it is there.
package page

import (
	"bytes"
	"context"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"tollkeeper/store"
)

// Secure sets what a page may load, and what other sites learn of its address. No site shows it in a frame.
func Secure(header http.Header, policy, referrer string) {
	header.Set(echo.HeaderContentSecurityPolicy, policy)
	header.Set(echo.HeaderReferrerPolicy, referrer)
	header.Set(echo.HeaderXFrameOptions, "DENY")
	header.Set(echo.HeaderXContentTypeOptions, "nosniff")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
}

// Write answers with a page. What fails while it is drawn is returned before anything is sent (semantics 20.2.5).
func Write(c echo.Context, status int, what templ.Component) error {
	return write(c, status, what, func() {})
}

// WriteInTurn is Write for what an account has, which may be long: drawing it takes a share of the processors of the
// context's account. Sending it takes none. It fails with [store.ErrBusy] where no share becomes free in time.
func WriteInTurn(ctx context.Context, st *store.Store, c echo.Context, status int, what templ.Component) error {
	free, err := st.Processor(ctx)
	if err != nil {
		return err
	}
	return write(c, status, what, free)
}

func write(c echo.Context, status int, what templ.Component, drawn func()) error {
	text, err := draw(c.Request().Context(), what, drawn)
	if err != nil {
		return err
	}
	return c.HTMLBlob(status, text)
}

func draw(ctx context.Context, what templ.Component, drawn func()) ([]byte, error) {
	defer drawn() // also where it panics
	var b bytes.Buffer
	err := what.Render(ctx, &b)
	return b.Bytes(), err
}
