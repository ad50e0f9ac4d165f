package console

import (
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/search"
	"tollkeeper/gen"
	"tollkeeper/server/console/form"
	"tollkeeper/store"
)

// foundKind is how a kind of record is shown among what was found.
type foundKind struct {
	Kind      search.Kind
	Name, One string // of several, and of one
	Section   string // of the console
	Operation string // that lists them: who may not, does not see them
}

// foundKinds are the kinds in the order in which they are shown.
var foundKinds = []foundKind{
	{search.Customers, "Customers", "Customer", "customers", "listCustomers"},
	{search.Invoices, "Invoices", "Invoice", "invoices", "listInvoices"},
	{search.Subscriptions, "Subscriptions", "Subscription", "subscriptions", "listSubscriptions"},
	{search.CreditNotes, "Credit notes", "Credit note", "credit-notes", "listCreditNotes"},
	{search.Plans, "Plans", "Plan", "plans", "listPlans"},
	{search.Prices, "Prices", "Price", "prices", "listPrices"},
	{search.Metrics, "Metrics", "Metric", "metrics", "listMetrics"},
	{search.Coupons, "Coupons", "Coupon", "coupons", "listCoupons"},
	{search.Backfills, "Backfills", "Backfill", "backfills", "listBackfills"},
	{search.Alerts, "Alerts", "Alert", "alerts", "listAlerts"},
	{search.WebhookEndpoints, "Webhook endpoints", "Webhook endpoint", "webhooks", "listWebhookEndpoints"},
}

// mostFound is how many of each kind are shown.
const mostFound = 8

// searchView is a search over everything.
type searchView struct {
	visit  *visit
	Text   string
	Kinds  []titled
	Events eventsView // those with exactly that key
}

// searchPage finds records by the beginning of a text, and an event by its exact key.
func searchPage(v *visit) (templ.Component, error) {
	view := searchView{visit: v, Text: strings.TrimSpace(v.query("q")), Events: eventsView{visit: v}}
	if view.Text == "" {
		return searchResults(view), nil
	}
	var found []search.Found
	err := v.pages.store.View(v.ctx, func(tx *store.Tx) (err error) {
		found, err = search.Find(tx, view.Text, mostFound)
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, kind := range foundKinds {
		t := table{Label: kind.Name + " found", Links: true, Columns: []column{{kind.Name, ""}, {"", "mid"}, {"", ""}}}
		for _, f := range found {
			if f.Kind == kind.Kind && v.may(kind.Operation) {
				title, detail := firstOf(f.Title, "Draft"), text(f.Detail)
				if title == f.ID { // it has no name
					title, detail = firstOf(form.Words(f.Detail), kind.One), copyable(f.ID)
				}
				t.Rows = append(t.Rows, []templ.Component{rowLink(link(kind.Section, f.ID), title, ""), detail, templ.NopComponent})
				row := t.Rows[len(t.Rows)-1]
				if f.State != "" {
					row[2] = stateBadge(f.State)
				}
			}
		}
		if len(t.Rows) > 0 {
			view.Kinds = append(view.Kinds, titled{kind.Name, t})
		}
	}
	if err := view.findEvent(); err != nil {
		return nil, err
	}
	return searchResults(view), nil
}

// findEvent looks for an event whose key is the text. Who may not see events finds none.
func (s *searchView) findEvent() (err error) {
	v := s.visit
	if !v.may("searchEvents") || len(s.Text) > 255 {
		return nil
	}
	s.Events.Found, err = findEvents(v, []string{s.Text})
	if err != nil && statusOf(err) < 500 {
		return nil // no event has such a key
	}
	if err == nil {
		s.Events.Names, err = v.customers(idsOf(s.Events.Found, func(e gen.FoundEvent) string { return deref(e.CustomerID) }))
	}
	return err
}

// results counts what is shown.
func (s searchView) results() (count int) {
	for _, kind := range s.Kinds {
		count += len(kind.Table.Rows)
	}
	return count + len(s.Events.Found)
}
