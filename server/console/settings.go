package console

import (
	"net/http"

	"github.com/a-h/templ"

	"tollkeeper/domain/account"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// settingsPage shows the settings of the account. Who manages it may change most of them.
func settingsPage(v *visit) (templ.Component, error) {
	t := table{Label: "Settings", Columns: []column{{"Setting", ""}, {"Value", ""}}}
	for _, s := range v.account.Settings() {
		name := text(form.Words(s.Name))
		if _, err := account.FindOwnSetting(s.Name); err == nil && v.session.Role.ManagesAccount() {
			name = anchor(link("settings", s.Name), form.Words(s.Name))
		}
		t.Rows = append(t.Rows, []templ.Component{name, text(s.Value)})
	}
	var team []action
	lead := "Who manages the account changes them."
	if v.session.Role.ManagesAccount() {
		team = []action{{Address: link("settings", "team"), Name: "Team", Icon: "users", Kind: "primary"}, {Address: link("settings", "letterhead"), Name: "Letterhead", Icon: "note"}}
		lead = "Those without a link bound what the account may do to the server. An operator changes them: tollkeeper account set."
	}
	return recordPage(v, record{
		Head:  head{Title: "Settings", Lead: lead, Meta: []templ.Component{copyable(v.account.ID)}, Actions: team},
		Title: "Account", Facts: []fact{{"Name", text(v.account.Name)}, {"Mode", text(form.Words(string(v.account.Mode)))}, {"Time zone", text(v.account.Timezone)}, {"Created", timeOrNone(&v.account.CreatedAt)}},
		Tables: []titled{{"Settings", t}},
	}), nil
}

// settingView is a setting with the value that it has or that a person entered.
type settingView struct {
	visit   *visit
	Setting account.OwnSetting
	Value   string
	Problem string
}

// setting returns the setting of the address, to a person who may change it.
func (v *visit) setting() (account.OwnSetting, error) {
	if err := v.manages(); err != nil {
		return account.OwnSetting{}, err
	}
	s, err := account.FindOwnSetting(v.param("setting"))
	return s, refusal(err)
}

// settingPage shows the form of a setting.
func settingPage(v *visit) (templ.Component, error) {
	s, err := v.setting()
	if err != nil {
		return nil, err
	}
	return settingForm(settingView{visit: v, Setting: s, Value: s.Value(v.account)}), nil
}

// submitSetting changes a setting.
func submitSetting(v *visit) (templ.Component, error) {
	s, err := v.setting()
	if err != nil {
		return nil, err
	}
	value := v.echo.FormValue("value")
	err = v.pages.store.Update(v.recorded("changeSetting"), func(tx *store.Tx) error { return account.SetOwn(tx, s.Name, value) })
	if fault.Is(err, fault.KindInvalid) || fault.Is(err, fault.KindRefused) {
		return withStatus{settingForm(settingView{visit: v, Setting: s, Value: value, Problem: raised(err.Error())}), http.StatusBadRequest}, nil
	}
	if err != nil {
		return nil, err
	}
	return leadTo(link("settings")), nil
}
