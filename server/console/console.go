package console

import (
	"context"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"tollkeeper/domain/paper"
	"tollkeeper/domain/user"
	"tollkeeper/server/download"
	"tollkeeper/server/page"
	"tollkeeper/store"
	"tollkeeper/store/fault"
	"tollkeeper/store/tempfile"
)

// Config is what the console needs from outside.
type Config struct {
	Store *store.Store
	Log   *slog.Logger

	// Document is the contract, of which forms are made. API answers requests for the person who
	// is signed in.
	Document *openapi3.T
	API      API

	// MailReset mails a link for a new password to the person with an address, if there is one, after it returns: how
	// long it takes tells nothing. MailsResets reports whether the server can.
	MailReset   func(email string, from user.Request)
	MailsResets func() bool

	// Temp is where workbooks are made.
	Temp *tempfile.Place

	// Downloads bounds the files that are made while clients take them.
	Downloads download.Limits

	// Fonts draw the sample of a letterhead.
	Fonts paper.Fonts

	// Sessions bounds how often an address sends cookies of no session; nil: not at all.
	Sessions Guesses

	// TrustedProxies may say by X-Forwarded-Proto that a client comes by TLS.
	TrustedProxies []netip.Prefix

	// Failed logs what is no fault of the client, sets the headers of its answer and returns the
	// status.
	Failed func(c echo.Context, err error) (status int)
}

// Guesses counts secrets that are looked up, by the address that sends them. The text wait is the header Retry-After of a refusal.
type Guesses interface {
	Admit(address, secret string) (wait string, ok bool)
	Worked(secret string)
	Failed(address, secret string)
}

// Console answers the paths under /console.
type Console struct {
	Config
}

// root is where the console is.
const root = "/console"

// policy lets a page load files of this server alone. Nothing runs that stands in the page.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'"

// secured sets the headers of every answer.
func (c *Console) secured(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) error {
		header := ec.Response().Header()
		page.Secure(header, policy, "same-origin") // addresses have tokens and ids
		header.Set(echo.HeaderCacheControl, "no-store")
		header.Add(echo.HeaderVary, "HX-Request")
		return next(ec)
	}
}

type sessionKey struct{}

// FromContext returns the session of a request of the console. Without one its fields are empty.
func FromContext(ctx context.Context) user.Session {
	s, _ := ctx.Value(sessionKey{}).(user.Session)
	return s
}

// requestID is the id that the server gave to the request.
func requestID(ec echo.Context) string { return ec.Response().Header().Get(echo.HeaderXRequestID) }

// signedIn finds the session of a request, and leads to the sign-in where there is none. The
// transactions of the request are those of the session's account. What changes something has
// the form token of the session.
func (c *Console) signedIn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) error {
		session, err := c.session(ec)
		if errors.Is(err, user.ErrNoSession) {
			return toSignIn(ec)
		}
		if err != nil {
			return err
		}
		if session.AccountID == "" && !withoutAccount(ec.Path()) {
			return goTo(ec, root+"/accounts")
		}
		if changes(ec.Request().Method) {
			if err := checkForm(ec, session.CSRF); err != nil {
				return err
			}
			if _, err := ec.FormParams(); err != nil {
				return errUnreadForm
			}
			// The body may have taken a minute, in which the session or the membership ended.
			again, err := c.session(ec)
			if errors.Is(err, user.ErrNoSession) || err == nil && again.AccountID != session.AccountID {
				return toSignIn(ec)
			}
			if err != nil {
				return err
			}
		}
		return next(ec)
	}
}

// withoutAccount reports a page for people who have chosen no account, too.
func withoutAccount(path string) bool {
	return path == root+"/accounts" || path == root+"/logout" || strings.HasPrefix(path+"/", root+"/you/")
}

// session returns the session of the request's cookie, and puts it into the request's context.
func (c *Console) session(ec echo.Context) (user.Session, error) {
	token := readCookie(ec, sessionCookie)
	if err := c.admit(ec, token); err != nil {
		return user.Session{}, err
	}
	session, err := user.FindSession(ec.Request().Context(), c.Store, token)
	c.noteGuess(ec, token, err)
	if err != nil {
		return session, err
	}
	ctx := context.WithValue(ec.Request().Context(), sessionKey{}, session)
	ec.SetRequest(ec.Request().WithContext(store.WithAccount(ctx, session.AccountID)))
	return session, nil
}

// admit refuses to look up a cookie for an address that has sent too many of no session. One that was of a
// session is looked up whatever others at the address do.
func (c *Console) admit(ec echo.Context, token string) error {
	if c.Sessions == nil || token == "" {
		return nil
	}
	wait, ok := c.Sessions.Admit(ec.RealIP(), token)
	if ok {
		return nil
	}
	ec.Response().Header().Set(echo.HeaderRetryAfter, wait)
	return echo.NewHTTPError(http.StatusTooManyRequests, "Too many requests from this address were of no session. Try again in "+wait+" seconds.")
}

// noteGuess counts what a cookie was.
func (c *Console) noteGuess(ec echo.Context, token string, err error) {
	switch {
	case c.Sessions == nil || token == "":
	case err == nil:
		c.Sessions.Worked(token)
	case errors.Is(err, user.ErrNoSession):
		c.Sessions.Failed(ec.RealIP(), token)
	}
}

// changes reports a method that may change something.
func changes(method string) bool {
	return method != http.MethodGet && method != http.MethodHead && method != http.MethodOptions
}

// formField is the field of a form that has its token. A script sends it as a header.
const (
	formField  = "csrf"
	formHeader = "X-CSRF-Token"
)

// errForeignForm says that a form was not made for this session.
var errForeignForm = echo.NewHTTPError(http.StatusForbidden, "The form was made for another session. Nothing was saved. Load the page again.")

var errUnreadForm = echo.NewHTTPError(http.StatusBadRequest, "The form could not be read. Nothing was saved.")

// checkForm refuses what another site may have sent.
func checkForm(ec echo.Context, expected string) error {
	if site := ec.Request().Header.Get("Sec-Fetch-Site"); site == "cross-site" || site == "same-site" {
		return errForeignForm
	}
	given := ec.Request().Header.Get(formHeader)
	if given == "" {
		given = ec.FormValue(formField)
	}
	if expected == "" || subtle.ConstantTimeCompare([]byte(given), []byte(expected)) != 1 {
		return errForeignForm
	}
	return nil
}

// goTo answers with another page. A part that htmx asked for cannot be another page, so
// htmx is told to load it.
func goTo(ec echo.Context, to string) error {
	if ec.Request().Header.Get("HX-Request") == "true" {
		ec.Response().Header().Set("HX-Redirect", to)
		return ec.NoContent(http.StatusNoContent)
	}
	return ec.Redirect(http.StatusSeeOther, to)
}

// toSignIn leads to the sign-in, and from there back to the page that was asked for.
func toSignIn(ec echo.Context) error {
	to := root + "/login"
	if next := ec.Request().URL.RequestURI(); ec.Request().Method == http.MethodGet && next != root {
		to += "?next=" + url.QueryEscape(next)
	}
	return goTo(ec, to)
}

// within returns the path to go on to after the sign-in: one of the console, whatever else is asked
// for.
func within(next string) string {
	target, err := url.Parse(next)
	if err != nil || target.IsAbs() || target.Host != "" || target.User != nil || target.Opaque != "" ||
		strings.ContainsAny(next, "\\\r\n\t") || strings.Contains(target.Path, "..") ||
		target.Path != root && !strings.HasPrefix(target.Path, root+"/") || strings.Contains(target.Path, "//") {
		return root
	}
	return (&url.URL{Path: target.Path, RawPath: target.RawPath, RawQuery: target.RawQuery}).String()
}

// answered answers what failed by a page.
func (c *Console) answered(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) error {
		err := fault.Recovered(func() error { return next(ec) })
		if err == nil || ec.Response().Committed {
			return err
		}
		ctx := ec.Request().Context()
		var told *fault.Fault
		var sent *echo.HTTPError
		var room *tempfile.Refusal
		switch {
		case ctx.Err() != nil && !errors.As(err, &told):
			return err // nobody reads an answer
		case errors.As(err, &told) && told.Kind == fault.KindMissing:
			return page.Write(ec, http.StatusNotFound, nothingPage())
		case errors.As(err, &told):
			return page.Write(ec, http.StatusBadRequest, rejectedPage(raised(told.Detail)))
		case errors.As(err, &sent) && sent.Code == http.StatusNotFound:
			return page.Write(ec, http.StatusNotFound, nothingPage())
		case errors.As(err, &sent) && sent.Code < http.StatusInternalServerError:
			text, _ := sent.Message.(string)
			return page.Write(ec, sent.Code, rejectedPage(text))
		case errors.Is(err, user.ErrBusy):
			seconds := strconv.Itoa(int(user.BusyFor.Seconds()))
			ec.Response().Header().Set(echo.HeaderRetryAfter, seconds)
			return page.Write(ec, http.StatusServiceUnavailable, rejectedPage("Too many passwords are being checked just now. Nothing was changed. Try again in "+seconds+" seconds."))
		case errors.As(err, &room):
			return page.Write(ec, c.Failed(ec, err), rejectedPage("The server has no room for temporary files now. Try again later, or export as CSV or NDJSON, which need none."))
		}
		return page.Write(ec, c.Failed(ec, err), crashedPage(requestID(ec)))
	}
}
