package console

import (
	"net/http"

	"github.com/a-h/templ"

	"tollkeeper/domain/account"
	"tollkeeper/domain/user"
	"tollkeeper/store"
)

// teamView is who may use the console of the account.
type teamView struct {
	visit       *visit
	Members     []user.Member
	Invitations []user.Invitation
	Email       string // as it was given
	Role        string
	Link        string        // of an invitation that was just made; it is shown once
	Keys        []account.Key // that still work, of a person who was just removed
	Failed      string
	Problems    []violation
}

// manages refuses who may not see and change the team.
func (v *visit) manages() error {
	if !v.session.Role.ManagesAccount() {
		return &failure{Status: http.StatusForbidden}
	}
	return nil
}

// teamPage shows the members of the account and the invitations that are open.
func teamPage(v *visit) (templ.Component, error) {
	view, err := loadTeam(v)
	if err != nil {
		return nil, err
	}
	return teamDetail(view), nil
}

func loadTeam(v *visit) (view teamView, err error) {
	view.visit, view.Role = v, string(user.RoleReader)
	if err := v.manages(); err != nil {
		return view, err
	}
	err = v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		if view.Members, err = user.Members(tx); err != nil {
			return err
		}
		view.Invitations, err = user.Invitations(tx)
		return err
	})
	return view, err
}

// teamChange is what the page shows of a change, once.
type teamChange struct {
	Link string
	Keys []account.Key
}

// changeTeam makes a change of the team in the name of the person, and shows the team after it. What
// is refused is shown on the same page.
func changeTeam(v *visit, action string, change func(tx *store.Tx) (shown teamChange, err error)) (templ.Component, error) {
	if err := v.manages(); err != nil {
		return nil, err
	}
	var shown teamChange
	err := v.pages.store.Update(v.recorded(action), func(tx *store.Tx) (err error) {
		shown, err = change(tx)
		return err
	})
	if err == nil && shown.Link == "" && len(shown.Keys) == 0 {
		return leadTo(link("settings", "team")), nil
	}
	refused := refusal(err)
	if refused != nil && statusOf(refused) >= http.StatusInternalServerError {
		return nil, err
	}
	view, loadErr := loadTeam(v)
	if loadErr != nil {
		return nil, loadErr
	}
	if refused == nil {
		view.Link, view.Keys = shown.Link, shown.Keys
		return teamDetail(view), nil
	}
	view.Failed, view.Email, view.Role = problemText(refused), v.echo.FormValue("email"), v.echo.FormValue("role")
	return withStatus{teamDetail(view), statusOf(refused)}, nil
}

// invite makes an invitation. Its link is shown once, on the page that answers. It begins with the public
// address of the server: what a request says of its host is of no weight.
func invite(v *visit) (templ.Component, error) {
	return changeTeam(v, "inviteMember", func(tx *store.Tx) (teamChange, error) {
		_, token, err := user.Invite(tx, v.echo.FormValue("email"), user.Role(v.echo.FormValue("role")))
		return teamChange{Link: tx.Origin + link("invitation", token)}, err
	})
}

// withdrawInvitation ends an invitation.
func withdrawInvitation(v *visit) (templ.Component, error) {
	return changeTeam(v, "withdrawInvitation", func(tx *store.Tx) (teamChange, error) {
		return teamChange{}, user.Withdraw(tx, v.param("id"))
	})
}

// changeMember gives a member another role, or ends the membership. Keys that the person made go on to work,
// so they are listed then.
func changeMember(v *visit) (templ.Component, error) {
	if role := v.echo.FormValue("role"); role != "" {
		return changeTeam(v, "changeMemberRole", func(tx *store.Tx) (teamChange, error) {
			return teamChange{}, user.ChangeRole(tx, v.param("id"), user.Role(role))
		})
	}
	return changeTeam(v, "removeMember", func(tx *store.Tx) (left teamChange, err error) {
		if err := user.Remove(tx, v.param("id")); err != nil {
			return left, err
		}
		left.Keys, err = account.KeysMadeBy(tx, v.param("id"))
		return left, err
	})
}

// roleMeans says what a role may do.
var roleMeans = map[user.Role]string{
	user.RoleOwner: "everything, the team included", user.RoleFinance: "customers, subscriptions, invoices, credits",
	user.RoleEngineer: "the catalog, events, keys, webhooks, the test clock", user.RoleSupport: "customers, credits, alerts", user.RoleReader: "sees all but keys",
}
