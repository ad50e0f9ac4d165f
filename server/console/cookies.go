package console

import (
	"net/http"
	"net/netip"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/user"
)

// Cookies. All have tokens or what is signed, are for the server alone, and are sent to the console alone.
const (
	sessionCookie = "tollkeeper_session"
	waitingCookie = "tollkeeper_waiting" // of a session that waits for the second factor
	formCookie    = "tollkeeper_form"    // of somebody who has not signed in
	knownCookie   = "tollkeeper_known"   // who signed in before in this browser; it opens nothing
)

// keptCookie is how long a browser keeps the session of a device of one's own. The session itself
// ends no later.
const keptCookie = 30 * 24 * time.Hour

// readCookie is the value of a cookie, "" without one.
func readCookie(ec echo.Context, name string) string {
	found, err := ec.Request().Cookie(name)
	if err != nil {
		return ""
	}
	return found.Value
}

func (c *Console) setCookie(ec echo.Context, name, value string, keep bool) {
	age := 0
	if keep {
		age = int(keptCookie.Seconds())
	}
	c.writeCookie(ec, name, value, age)
}

func (c *Console) dropCookie(ec echo.Context, name string) { c.writeCookie(ec, name, "", -1) }

func (c *Console) writeCookie(ec echo.Context, name, value string, age int) {
	ec.SetCookie(&http.Cookie{
		Name: name, Value: value, Path: root, MaxAge: age,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: c.isSecure(ec),
	})
}

func (c *Console) isSecure(ec echo.Context) bool { return CameByTLS(ec.Request(), c.TrustedProxies) }

// CameByTLS reports whether a request came by TLS, to this server or to a proxy that it trusts.
func CameByTLS(r *http.Request, proxies []netip.Prefix) bool {
	return r.TLS != nil || r.Header.Get(echo.HeaderXForwardedProto) == "https" && FromProxy(r, proxies)
}

// FromProxy reports whether a request came from a proxy that is trusted.
func FromProxy(r *http.Request, proxies []netip.Prefix) bool {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(proxies, func(n netip.Prefix) bool { return n.Contains(peer.Addr().Unmap()) })
}

// begin gives the browser a session that has just begun, in place of one that it has, and goes on
// to a page.
func (c *Console) begin(ec echo.Context, token string, keep bool, next string) error {
	ctx := ec.Request().Context()
	if before, err := user.FindSession(ctx, c.Store, readCookie(ec, sessionCookie)); err == nil {
		if err := before.End(ctx, c.Store); err != nil {
			return err
		}
	}
	session, err := user.FindSession(ctx, c.Store, token)
	if err != nil {
		return err
	}
	known, err := user.RememberBrowser(ctx, c.Store, session.Person.ID, readCookie(ec, knownCookie))
	if err != nil {
		return err
	}
	c.setCookie(ec, sessionCookie, token, keep)
	c.writeCookie(ec, knownCookie, known, int(user.KnownLife.Seconds()))
	c.dropCookie(ec, formCookie)
	return ec.Redirect(http.StatusSeeOther, next)
}

// formToken is what the forms of somebody who has not signed in carry. It goes with a cookie.
func (c *Console) formToken(ec echo.Context) string {
	secret := readCookie(ec, formCookie)
	if secret == "" {
		secret = user.NewFormSecret()
		c.setCookie(ec, formCookie, secret, false)
	}
	return user.FormToken(secret)
}

// checkStranger refuses a form of somebody who has not signed in, unless this server gave it to the
// same browser.
func (c *Console) checkStranger(ec echo.Context) error {
	secret := readCookie(ec, formCookie)
	if secret == "" {
		return errForeignForm
	}
	return checkForm(ec, user.FormToken(secret))
}

// from is what is known of where a request comes from.
func (c *Console) from(ec echo.Context) user.Request {
	return user.Request{ID: requestID(ec), Address: ec.RealIP(), Browser: ec.Request().UserAgent(), Known: readCookie(ec, knownCookie)}
}
