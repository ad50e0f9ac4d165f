package console

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/user"
	"tollkeeper/server/page"
	"tollkeeper/store/fault"
)

// mountSignIn serves the pages for those who have not signed in, and those by which a session
// begins, changes its account and ends.
func (c *Console) mountSignIn(all *echo.Group) {
	g := all.Group("", limitForm)
	g.GET("/login", c.showSignIn)
	g.POST("/login", c.signIn)
	g.GET("/second-factor", c.showSecondFactor)
	g.POST("/second-factor", c.completeSignIn)
	g.GET("/setup", c.showSetup)
	g.POST("/setup", c.setUp)
	g.GET("/invitation/:token", c.showInvitation)
	g.POST("/invitation/:token", c.join)
	g.GET("/forgotten", c.showForgotten)
	g.POST("/forgotten", c.forgotten)
	g.GET("/reset/:token", c.showReset)
	g.POST("/reset/:token", c.reset)
	g.POST("/logout", c.signOut, c.signedIn)
	g.GET("/accounts", c.showAccounts, c.signedIn)
	g.POST("/accounts", c.chooseAccount, c.signedIn)
}

// largestForm bounds the forms of those who have not signed in, in bytes.
const largestForm = 64 << 10

func limitForm(next echo.HandlerFunc) echo.HandlerFunc {
	return func(ec echo.Context) error {
		ec.Request().Body = http.MaxBytesReader(ec.Response(), ec.Request().Body, largestForm)
		return next(ec)
	}
}

func (c *Console) showSignIn(ec echo.Context) error {
	next := within(ec.QueryParam("next"))
	if _, err := c.session(ec); !errors.Is(err, user.ErrNoSession) {
		if err == nil {
			err = ec.Redirect(http.StatusSeeOther, next)
		}
		return err
	}
	return page.Write(ec, http.StatusOK, signInPage(signInForm{Token: c.formToken(ec), Next: next}))
}

func (c *Console) signIn(ec echo.Context) error {
	if err := c.checkStranger(ec); err != nil {
		return err
	}
	form := signInForm{Token: c.formToken(ec), Next: within(ec.FormValue("next")), Email: ec.FormValue("email"), Keep: ec.FormValue("keep") != ""}
	from := c.from(ec)
	from.Keep = form.Keep
	token, waiting, err := user.SignIn(ec.Request().Context(), c.Store, form.Email, ec.FormValue("password"), from)
	var refused user.Refusal
	if errors.As(err, &refused) {
		form.Problem = raised(refused.Error())
		return page.Write(ec, refusedStatus(ec, refused), signInPage(form))
	}
	if err != nil {
		return err
	}
	if waiting {
		c.setCookie(ec, waitingCookie, token, false)
		return ec.Redirect(http.StatusSeeOther, root+"/second-factor?next="+url.QueryEscape(form.Next))
	}
	return c.begin(ec, token, form.Keep, form.Next)
}

// refusedStatus is the status of an attempt that failed. How long the next one waits is in a header.
func refusedStatus(ec echo.Context, refused user.Refusal) int {
	if refused.Wait > 0 {
		ec.Response().Header().Set(echo.HeaderRetryAfter, strconv.Itoa(refused.Seconds()))
	}
	if refused.Tried {
		return http.StatusUnauthorized
	}
	return http.StatusTooManyRequests
}

func (c *Console) showSecondFactor(ec echo.Context) error {
	_, err := user.FindWaiting(ec.Request().Context(), c.Store, readCookie(ec, waitingCookie))
	if errors.Is(err, user.ErrNoSession) {
		return ec.Redirect(http.StatusSeeOther, root+"/login")
	}
	if err != nil {
		return err
	}
	return page.Write(ec, http.StatusOK, secondFactorPage(signInForm{Token: c.formToken(ec), Next: within(ec.QueryParam("next"))}))
}

func (c *Console) completeSignIn(ec echo.Context) error {
	if err := c.checkStranger(ec); err != nil {
		return err
	}
	ctx := ec.Request().Context()
	form := signInForm{Token: c.formToken(ec), Next: within(ec.FormValue("next"))}
	waiting, err := user.FindWaiting(ctx, c.Store, readCookie(ec, waitingCookie))
	var token string
	if err == nil {
		token, err = user.CompleteSignIn(ctx, c.Store, readCookie(ec, waitingCookie), ec.FormValue("code"), c.from(ec))
	}
	var refused user.Refusal
	switch {
	case errors.Is(err, user.ErrNoSession):
		return ec.Redirect(http.StatusSeeOther, root+"/login")
	case errors.As(err, &refused):
		form.Problem = raised(refused.Error())
		return page.Write(ec, refusedStatus(ec, refused), secondFactorPage(form))
	case err != nil:
		return err
	}
	c.dropCookie(ec, waitingCookie)
	return c.begin(ec, token, waiting.Kept, form.Next)
}

func (c *Console) showSetup(ec echo.Context) error {
	link := ec.QueryParam("token")
	open, err := user.SetupOpen(ec.Request().Context(), c.Store, link)
	if err != nil {
		return err
	}
	if !open {
		return page.Write(ec, http.StatusNotFound, linkEndedPage())
	}
	return page.Write(ec, http.StatusOK, setupPage(signInForm{Token: c.formToken(ec)}, link))
}

func (c *Console) setUp(ec echo.Context) error {
	if err := c.checkStranger(ec); err != nil {
		return err
	}
	link := ec.FormValue("token")
	in := user.New{Email: ec.FormValue("email"), Name: ec.FormValue("name"), Password: ec.FormValue("password")}
	token, err := user.SetUp(ec.Request().Context(), c.Store, link, in, c.from(ec))
	if problems := problemsOf(err); problems != nil {
		form := signInForm{Token: c.formToken(ec), Email: in.Email, Name: in.Name, Fields: problems}
		return page.Write(ec, http.StatusBadRequest, setupPage(form, link))
	}
	if errors.Is(err, user.ErrLinkEnded) {
		return page.Write(ec, http.StatusNotFound, linkEndedPage())
	}
	if err != nil {
		return err
	}
	return c.begin(ec, token, false, root)
}

// showInvitation asks somebody new for a name and a password, and somebody who is known to sign in.
func (c *Console) showInvitation(ec echo.Context) error {
	invited, err := user.FindInvitation(ec.Request().Context(), c.Store, ec.Param("token"))
	if errors.Is(err, user.ErrLinkEnded) {
		return page.Write(ec, http.StatusNotFound, linkEndedPage())
	}
	if err != nil {
		return err
	}
	session, err := c.session(ec)
	switch {
	case err == nil:
		return page.Write(ec, http.StatusOK, joinPage(session, invited, session.Person.SameEmail(invited.Email)))
	case !errors.Is(err, user.ErrNoSession):
		return err
	case invited.Known:
		return toSignIn(ec)
	}
	return page.Write(ec, http.StatusOK, invitationPage(signInForm{Token: c.formToken(ec)}, invited))
}

func (c *Console) join(ec echo.Context) error {
	ctx, link := ec.Request().Context(), ec.Param("token")
	session, err := c.session(ec)
	if err == nil {
		if err := checkForm(ec, session.CSRF); err != nil {
			return err
		}
		err = session.Join(ctx, c.Store, link, c.from(ec))
		if errors.Is(err, user.ErrLinkEnded) {
			return page.Write(ec, http.StatusNotFound, linkEndedPage())
		}
		if err != nil {
			return err
		}
		return ec.Redirect(http.StatusSeeOther, root)
	}
	if !errors.Is(err, user.ErrNoSession) {
		return err
	}
	if err := c.checkStranger(ec); err != nil {
		return err
	}
	in := user.New{Name: ec.FormValue("name"), Password: ec.FormValue("password")}
	token, err := user.JoinAsNew(ctx, c.Store, link, in, c.from(ec))
	if errors.Is(err, user.ErrLinkEnded) {
		return page.Write(ec, http.StatusNotFound, linkEndedPage())
	}
	if problems := problemsOf(err); problems != nil {
		invited, err := user.FindInvitation(ctx, c.Store, link)
		if err != nil {
			return err
		}
		return page.Write(ec, http.StatusBadRequest, invitationPage(signInForm{Token: c.formToken(ec), Name: in.Name, Fields: problems}, invited))
	}
	if err != nil {
		return err
	}
	return c.begin(ec, token, false, root)
}

func (c *Console) showReset(ec echo.Context) error {
	person, err := user.FindReset(ec.Request().Context(), c.Store, ec.Param("token"))
	if errors.Is(err, user.ErrLinkEnded) {
		return page.Write(ec, http.StatusNotFound, linkEndedPage())
	}
	if err != nil {
		return err
	}
	return page.Write(ec, http.StatusOK, resetPage(signInForm{Token: c.formToken(ec)}, person))
}

func (c *Console) reset(ec echo.Context) error {
	if err := c.checkStranger(ec); err != nil {
		return err
	}
	ctx, link := ec.Request().Context(), ec.Param("token")
	person, err := user.FindReset(ctx, c.Store, link)
	if err == nil {
		err = user.Reset(ctx, c.Store, link, ec.FormValue("password"), c.from(ec))
	}
	if errors.Is(err, user.ErrLinkEnded) {
		return page.Write(ec, http.StatusNotFound, linkEndedPage())
	}
	if problems := problemsOf(err); problems != nil {
		return page.Write(ec, http.StatusBadRequest, resetPage(signInForm{Token: c.formToken(ec), Fields: problems}, person))
	}
	if err != nil {
		return err
	}
	c.dropCookie(ec, sessionCookie)
	return ec.Redirect(http.StatusSeeOther, root+"/login")
}

func (c *Console) signOut(ec echo.Context) error {
	ctx := ec.Request().Context()
	if err := FromContext(ctx).End(ctx, c.Store); err != nil && !fault.Is(err, fault.KindMissing) {
		return err
	}
	c.dropCookie(ec, sessionCookie)
	return goTo(ec, root+"/login")
}

func (c *Console) showAccounts(ec echo.Context) error {
	session := FromContext(ec.Request().Context())
	accounts, err := user.Accounts(ec.Request().Context(), c.Store, session.Person.ID)
	if err != nil {
		return err
	}
	return page.Write(ec, http.StatusOK, accountsPage(session, accounts))
}

func (c *Console) chooseAccount(ec echo.Context) error {
	ctx := ec.Request().Context()
	if err := FromContext(ctx).Choose(ctx, c.Store, ec.FormValue("account")); err != nil {
		return err
	}
	return goTo(ec, within(ec.FormValue("next")))
}

// problemsOf are the problems of fields, nil where an error is of none.
func problemsOf(err error) map[string]string {
	var told *fault.Fault
	if !errors.As(err, &told) || len(told.Violations) == 0 {
		return nil
	}
	problems := map[string]string{}
	for _, v := range told.Violations {
		problems[v.Field] = cmp.Or(problems[v.Field], raised(v.Reason))
	}
	return problems
}

// describedBy names the parts that tell more about a field.
func describedBy(name, hint, problem string) string {
	var parts []string
	if hint != "" {
		parts = append(parts, "f-"+name+"-hint")
	}
	if problem != "" {
		parts = append(parts, "f-"+name+"-problem")
	}
	return strings.Join(parts, " ")
}
