package hosted

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/audit"
	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/portal"
	"tollkeeper/server/page"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// The actions of customers, as the audit log names them.
const (
	editDetails = "editPortalDetails"
	addAlert    = "addPortalAlert"
	removeAlert = "removePortalAlert"
	endSession  = "endPortalSession"
)

// change makes a change in the session of the token, and leads back to a place of the overview. An address that lasts changes
// nothing (semantics 8.6.2). The form needs no token against other sites: its address has the session, in place of a cookie.
func (p *pages) change(c echo.Context, action, place string, change func(tx *store.Tx, v *visitor) error) error {
	if portal.Lasts(c.Param("token")) {
		return fault.Refused("this address shows the account, and changes nothing")
	}
	to := ""
	err := p.recorded(c, action, func(tx *store.Tx) error {
		v, err := p.visit(c, tx)
		if err != nil {
			return err
		}
		to = v.path(place)
		return change(tx, v)
	})
	if errors.Is(err, portal.ErrUnchanged) {
		err = nil
	}
	if err != nil || c.Response().Committed {
		return err
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// recorded runs fn in a transaction whose changes are in the audit log as those of the session, with the name that the customer
// has then (semantics 8.6.5). fn looks the token up again: the session may have ended meanwhile.
func (p *pages) recorded(c echo.Context, action string, fn func(tx *store.Tx) error) error {
	accountID, ok := portal.AccountOf(c.Param("token"))
	if !ok {
		return errNothing
	}
	ctx := store.WithAccount(c.Request().Context(), accountID)
	actor := audit.Actor{Type: audit.PortalSession}
	err := p.Store.View(ctx, func(tx *store.Tx) error {
		session, buyer, err := portal.OpenSession(tx, c.Param("token"))
		actor.ID, actor.Name = session.ID, buyer.Name
		return err
	})
	if err == nil {
		request := c.Response().Header().Get(echo.HeaderXRequestID)
		err = p.Store.Update(audit.Begin(ctx, actor, action, &request), fn)
	}
	return p.unlessEnded(ctx, c, err)
}

// endSession ends the session of the token. An address that lasts has none.
func (p *pages) endSession(c echo.Context) error {
	if portal.Lasts(c.Param("token")) {
		return errNothing
	}
	err := p.recorded(c, endSession, func(tx *store.Tx) error { return portal.End(tx, c.Param("token")) })
	if err != nil || c.Response().Committed {
		return err
	}
	w := document.In(letterhead.English)
	return page.Write(c, http.StatusOK, p.refused(w.SessionEnded))
}
