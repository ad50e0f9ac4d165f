package console

import "github.com/a-h/templ"

// settingsPage shows the settings of the account.
func settingsPage(v *visit) (templ.Component, error) {
	t := table{Label: "Settings", Columns: []column{{"Setting", ""}, {"Value", ""}}}
	for _, s := range v.account.Settings() {
		t.Rows = append(t.Rows, []templ.Component{text(words(s.Name)), text(s.Value)})
	}
	var team []action
	if v.session.Role.ManagesAccount() {
		team = []action{{Address: link("settings", "team"), Name: "Team", Icon: "users", Kind: "primary"}}
	}
	return recordPage(v, record{
		Head:  head{Title: "Settings", Lead: "They are changed on the command line: tollkeeper account set.", Meta: []templ.Component{copyable(v.account.ID)}, Actions: team},
		Title: "Account", Facts: []fact{{"Name", text(v.account.Name)}, {"Mode", text(words(string(v.account.Mode)))}, {"Time zone", text(v.account.Timezone)}, {"Created", timeOrNone(&v.account.CreatedAt)}},
		Tables: []titled{{"Settings", t}},
	}), nil
}
