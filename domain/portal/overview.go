package portal

import (
	"errors"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Overview is what the first page shows of a customer (semantics 20.1.1).
type Overview struct {
	Subscriptions []subscription.Terms // that are active
	Costs         []charge.Cost        // see Costs
	Ledgers       []Ledger
	Overdue       []invoice.OverdueSum
	Alerts        []alert.Alert // that the account set for the customer
	Own           []OwnAlert
	Choices       []Choice // what another alert of their own can watch; none: no alert can be added
}

// ReadOverview reads it. A permanent address has no choices: it only shows.
func ReadOverview(tx *store.Tx, c customer.Customer, permanent bool) (o Overview, err error) {
	defer fault.Doing(&err, "read the portal of customer %s", c.ID)
	if o.Subscriptions, err = active(tx, c); err != nil {
		return o, err
	}
	if o.Costs, err = Costs(tx, c); err != nil {
		return o, err
	}
	if o.Ledgers, err = Ledgers(tx, c); err != nil {
		return o, err
	}
	if o.Overdue, err = invoice.OverdueOf(tx, c.ID); err != nil {
		return o, err
	}
	if o.Alerts, err = alerts(tx, c, o.Subscriptions); err != nil {
		return o, err
	}
	o.Own, o.Choices, err = ownAlerts(tx, c, o.Subscriptions, permanent)
	return o, err
}

// active are the subscriptions of a customer that are active.
func active(tx *store.Tx, c customer.Customer) (found []subscription.Terms, err error) {
	all, err := subscription.OfCustomer(tx, c.ID)
	for _, t := range all {
		if t.Status(tx.Now) == subscription.StatusActive {
			found = append(found, t)
		}
	}
	return found, err
}

// Costs are the costs of the current billing period to the end of each day, oldest first. They are empty where
// there is nothing to show costs of (semantics 20.1.2).
func Costs(tx *store.Tx, c customer.Customer) ([]charge.Cost, error) {
	days, err := charge.CustomerCosts(tx, c, charge.CostQuery{InvoicesOf: invoice.InvoicesBeside})
	var told *fault.Fault
	if errors.As(err, &told) {
		return nil, nil
	}
	return days, err
}

// Ledger is what a customer has in one unit.
type Ledger struct {
	Currency money.Currency
	Balance  money.Decimal
	Blocks   []credit.Block
	Entries  []credit.Entry // committed, newest first
}

// mostRows bounds the blocks and the entries of a ledger that are shown (semantics 20.1.3).
const mostRows = 50

// Ledgers are those of a customer.
func Ledgers(tx *store.Tx, c customer.Customer) (ledgers []Ledger, err error) {
	all, err := credit.LedgersOf(tx, []string{c.ID})
	if err != nil {
		return nil, err
	}
	for _, found := range all[c.ID] {
		l := Ledger{Currency: found.Currency, Balance: found.Balance}
		l.Blocks, _, err = credit.ListBlocks(tx, c.ID, credit.BlockFilter{Currency: found.Currency}, store.Page{Limit: mostRows})
		if err != nil {
			return nil, err
		}
		l.Entries, _, err = credit.ListEntries(tx, c.ID, credit.EntryFilter{Currency: found.Currency, Status: credit.EntryCommitted}, store.Page{Limit: mostRows})
		if err != nil {
			return nil, err
		}
		ledgers = append(ledgers, l)
	}
	return ledgers, nil
}

// invoicesPage is how many invoices a page lists.
const invoicesPage = 20

// Invoices returns a page of a customer's invoices, newest first. Drafts are not shown (semantics 20.1.4).
func Invoices(tx *store.Tx, c customer.Customer, cursor string) (views []invoice.View, next string, err error) {
	return invoice.List(tx, invoice.Filter{
		CustomerID: c.ID, Statuses: []invoice.Status{invoice.StatusIssued, invoice.StatusPaid, invoice.StatusSynced, invoice.StatusVoid},
	}, store.Page{Limit: invoicesPage, Cursor: cursor})
}

// mostAlerts bounds the alerts of each subscription, and of the customer, that are shown.
const mostAlerts = 20

// alerts are those that the account set for a customer and for subscriptions, and that are enabled.
func alerts(tx *store.Tx, c customer.Customer, subscriptions []subscription.Terms) (shown []alert.Alert, err error) {
	filters := []alert.Filter{{CustomerID: c.ID}}
	for _, t := range subscriptions {
		filters = append(filters, alert.Filter{SubscriptionID: t.ID})
	}
	for _, filter := range filters {
		listed, _, err := alert.List(tx, filter, store.Page{Limit: mostAlerts})
		if err != nil {
			return nil, err
		}
		for _, a := range listed {
			if a.Enabled {
				shown = append(shown, a)
			}
		}
	}
	return shown, nil
}
