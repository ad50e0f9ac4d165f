package hosted

import (
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/portal"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// overview is what the first page shows.
type overview struct {
	*visitor
	Plans   []plan
	Costs   costs
	Ledgers []ledger
	Overdue string // "" where nothing is
	Alerts  []alertRow
	Own     ownAlerts
	Ask     string // address to ask for a link that changes; "": there is none
}

// plan is a subscription that is active.
type plan struct {
	Name        string
	Since       string
	NextInvoice string // "" where there is none
}

func overviewPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	read, err := portal.ReadOverview(tx, v.Customer, v.Lasting)
	if err != nil {
		return nil, err
	}
	o := overview{
		visitor: v, Costs: v.costs(read.Costs), Ledgers: v.ledgers(read.Ledgers), Overdue: v.overdue(read.Overdue),
		Alerts: v.alerts(read.Alerts), Own: v.ownAlerts(read),
	}
	for _, t := range read.Subscriptions {
		o.Plans = append(o.Plans, v.plan(t))
	}
	mailed, err := portal.MailsLinks(tx, v.Customer)
	if v.Lasting && mailed {
		o.Ask = v.path("/link")
	}
	return overviewView(o), err
}

func (v *visitor) plan(t subscription.Terms) plan {
	shown := plan{Name: t.Plan.Name, Since: v.date(t.StartAt)}
	if t.NextBillingAt != nil {
		shown.NextInvoice = v.date(*t.NextBillingAt)
	}
	return shown
}

func usagePage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "usage"
	days, err := portal.Costs(tx, v.Customer)
	return usageView(v, v.costs(days)), err
}

func creditsPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "credits"
	ledgers, err := portal.Ledgers(tx, v.Customer)
	return creditsView(v, v.ledgers(ledgers)), err
}

func invoicesPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "invoices"
	views, next, err := portal.Invoices(tx, v.Customer, v.echo.QueryParam("cursor"))
	if err != nil {
		return nil, err
	}
	rows := make([]invoiceRow, len(views))
	for k, shown := range views {
		d := document.Document{Words: v.Words, Zone: v.Customer.Location(), Due: period.DateOf(*shown.DueAt, v.Customer.Location())}
		rows[k] = invoiceRow{
			Number: shown.Number, Page: shown.Page, Date: v.date(shown.InvoiceDate), State: stateOf(d, shown),
			Total: v.Words.Money(shown.Total, shown.Currency),
		}
	}
	older := ""
	if next != "" {
		older = v.path("/invoices?cursor=" + next)
	}
	return invoicesView(v, rows, older), nil
}

// invoiceRow is an invoice in the list.
type invoiceRow struct {
	Number, Page, Date, Total string
	State                     state
}

// overdue tells how many invoices are, and how much in all, for each currency.
func (v *visitor) overdue(sums []invoice.OverdueSum) string {
	texts := make([]string, len(sums))
	for k, of := range sums {
		texts[k] = v.Words.Fill(v.Words.OverdueCount, "count", v.Words.Number(money.FromInt(int64(of.Invoices))), "amount", v.Words.Money(of.Amount, of.Currency))
	}
	return strings.Join(texts, " ")
}
