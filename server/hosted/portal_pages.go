package hosted

import (
	"strings"

	"github.com/a-h/templ"

	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/server/mails"
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
	o := overview{visitor: v}
	subscriptions, err := subscription.OfCustomer(tx, v.Customer.ID)
	if err != nil {
		return nil, err
	}
	for _, t := range subscriptions {
		if t.Status(tx.Now) != subscription.StatusActive {
			continue
		}
		shown := plan{Name: t.Plan.Name, Since: v.date(t.StartAt)}
		if t.NextBillingAt != nil {
			shown.NextInvoice = v.date(*t.NextBillingAt)
		}
		o.Plans = append(o.Plans, shown)
	}
	if o.Costs, err = v.costs(tx); err != nil {
		return nil, err
	}
	if o.Ledgers, err = v.ledgers(tx); err != nil {
		return nil, err
	}
	if o.Overdue, err = v.overdue(tx); err != nil {
		return nil, err
	}
	if o.Alerts, err = v.alerts(tx, subscriptions); err != nil {
		return nil, err
	}
	if o.Own, err = v.ownAlerts(tx, subscriptions); err != nil {
		return nil, err
	}
	if o.Ask, err = v.ask(tx); err != nil {
		return nil, err
	}
	return overviewView(o), nil
}

// ask is where the form goes that has a link mailed, where the address only shows and the account sends mail.
func (v *visitor) ask(tx *store.Tx) (string, error) {
	if !v.Lasting || v.Customer.Email == "" {
		return "", nil
	}
	mailed, err := mails.SendsPortalLinks(tx)
	if !mailed {
		return "", err
	}
	return v.path("/link"), err
}

func usagePage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "usage"
	costs, err := v.costs(tx)
	return usageView(v, costs), err
}

func creditsPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "credits"
	ledgers, err := v.ledgers(tx)
	return creditsView(v, ledgers), err
}

func invoicesPage(v *visitor, tx *store.Tx) (templ.Component, error) {
	v.Current = "invoices"
	views, next, err := invoice.List(tx, invoice.Filter{
		CustomerID: v.Customer.ID, Statuses: []invoice.Status{invoice.StatusIssued, invoice.StatusPaid, invoice.StatusSynced, invoice.StatusVoid},
	}, store.Page{Limit: 20, Cursor: v.echo.QueryParam("cursor")})
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
func (v *visitor) overdue(tx *store.Tx) (string, error) {
	sums, err := invoice.OverdueOf(tx, v.Customer.ID)
	texts := make([]string, len(sums))
	for k, of := range sums {
		texts[k] = v.Words.Fill(v.Words.OverdueCount, "count", v.Words.Number(money.FromInt(int64(of.Invoices))), "amount", v.Words.Money(of.Amount, of.Currency))
	}
	return strings.Join(texts, " "), err
}
