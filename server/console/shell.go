package console

import "strings"

// navGroup is a group of sections in the navigation.
type navGroup struct {
	Name     string
	Sections []section
}

// section is an entry of the navigation. Who has no right to its operation does not see it.
type section struct {
	Name, Path, Icon, Operation string
}

// sections is the navigation, in its order.
var sections = []navGroup{
	{"", []section{{"Home", "", "home", ""}}},
	{"Billing", []section{
		{"Customers", "customers", "users", "listCustomers"},
		{"Subscriptions", "subscriptions", "repeat", "listSubscriptions"},
		{"Invoices", "invoices", "file", "listInvoices"},
		{"Credit notes", "credit-notes", "note", "listCreditNotes"},
		{"Credits", "credits", "coins", "listCredits"},
	}},
	{"Catalog", []section{
		{"Plans", "plans", "box", "listPlans"},
		{"Prices", "prices", "tag", "listPrices"},
		{"Metrics", "metrics", "ruler", "listMetrics"},
		{"Coupons", "coupons", "card", "listCoupons"},
	}},
	{"Usage", []section{
		{"Events", "events", "pulse", "searchEvents"},
		{"Backfills", "backfills", "history", "listBackfills"},
		{"Alerts", "alerts", "bell", "listAlerts"},
	}},
	{"Developers", []section{
		{"API keys", "keys", "key", "listAPIKeys"},
		{"Webhooks", "webhooks", "hook", "listWebhookEndpoints"},
		{"Requests", "requests", "history", "listAuditLog"},
		{"Test clock", "clock", "clock", "fetchTestClock"},
	}},
	{"Account", []section{
		{"Parked work", "work", "pause", "fetchTestClock"},
		{"Settings", "settings", "gear", ""},
		{"Audit log", "audit", "shield", "listAuditLog"},
		{"Exports", "exports", "file", ""},
		{"Mails", "mails", "note", "listInvoices"},
		{"All forms", "do", "grid", ""},
	}},
}

// navigation is what the person sees of the sections.
func (v *visit) navigation() (groups []navGroup) {
	for _, g := range sections {
		shown := navGroup{Name: g.Name}
		for _, s := range g.Sections {
			if s.Path == "clock" && !v.account.Test() {
				continue
			}
			if s.Operation == "" || v.may(s.Operation) {
				shown.Sections = append(shown.Sections, s)
			}
		}
		if len(shown.Sections) > 0 {
			groups = append(groups, shown)
		}
	}
	return groups
}

// address of the section's list.
func (s section) address() string {
	if s.Path == "" {
		return "/console"
	}
	return link(s.Path)
}

// isCurrent reports whether the page that is asked for belongs to the section.
func (s section) isCurrent(v *visit) bool {
	path := strings.TrimPrefix(v.echo.Request().URL.Path, "/console")
	if s.Path == "" {
		return path == "" || path == "/"
	}
	return path == "/"+s.Path || strings.HasPrefix(path, "/"+s.Path+"/")
}

// said is what the form before this page did, which the address names.
func (v *visit) said() string {
	op, ok := v.pages.operations[v.query("done")]
	if !ok {
		return ""
	}
	return "Done: " + strings.ToLower(op.Summary[:1]) + op.Summary[1:] + "."
}
