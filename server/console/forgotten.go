package console

import (
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/user"
	"tollkeeper/server/page"
)

// showForgotten asks who forgot the password for the address, or, where no mail is set up, says who can help.
func (c *Console) showForgotten(ec echo.Context) error {
	if !c.MailsResets() {
		return page.Write(ec, http.StatusOK, askOperatorPage())
	}
	return page.Write(ec, http.StatusOK, forgottenPage(signInForm{Token: c.formToken(ec)}))
}

// forgotten has a link mailed. The answer is the same for an address that is not known, and the person is looked up after
// it was sent.
func (c *Console) forgotten(ec echo.Context) error {
	if err := c.checkStranger(ec); err != nil {
		return err
	}
	if !c.MailsResets() {
		return page.Write(ec, http.StatusNotFound, askOperatorPage())
	}
	form := signInForm{Token: c.formToken(ec), Email: strings.TrimSpace(ec.FormValue("email"))}
	if form.Email == "" || len(form.Email) > longestForgotten {
		form.Fields = map[string]string{"email": "Must be an email address."}
		return page.Write(ec, http.StatusBadRequest, forgottenPage(form))
	}
	from := c.from(ec)
	err := user.CountForgotten(ec.Request().Context(), c.Store, form.Email, from)
	var refused user.Refusal
	if errors.As(err, &refused) {
		form.Problem = "Too many links were asked for from your network. Try again in " + refused.Within() + "."
		return page.Write(ec, refusedStatus(ec, refused), forgottenPage(form))
	}
	if err != nil {
		return err
	}
	c.MailReset(form.Email, from)
	return page.Write(ec, http.StatusOK, resetMailedPage())
}

// longestForgotten bounds an address, in bytes.
const longestForgotten = 320
