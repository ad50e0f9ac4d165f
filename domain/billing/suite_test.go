package billing_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

func TestBilling(t *testing.T) { domaintest.RunSuite(t, "billing", 15) }

// errUndo rolls back a transaction that succeeded.
var errUndo = errors.New("undo")

// testAccount is an account whose subscriptions have invoices.
type testAccount struct{ domaintest.Account }

// open makes an account whose clock is set to that instant.
func open(now string) testAccount {
	GinkgoHelper()
	return testAccount{domaintest.Open(now)}
}

// subscribe subscribes a customer to a new plan of those prices from a date on. It returns the
// subscription and the invoices that were issued or opened at once.
func (a testAccount) subscribe(customerID, start string, prices ...catalog.NewPrice) (subscription.Terms, []invoice.View) {
	GinkgoHelper()
	return a.sell(customerID, start, catalog.NewPlan{Prices: domaintest.Listed(prices...)})
}

// sell is subscribe to any new plan.
func (a testAccount) sell(customerID, start string, plan catalog.NewPlan) (terms subscription.Terms, created []invoice.View) {
	GinkgoHelper()
	planID := a.Plan(plan).ID
	a.Do(func(tx *store.Tx) (err error) {
		terms, created, err = billing.Subscribe(tx, subscription.NewSubscription{CustomerID: &customerID, PlanID: &planID, StartDate: &start})
		return err
	})
	return terms, created
}

// find reads an invoice.
func (a testAccount) find(id string) (v invoice.View) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) (err error) {
		v, err = invoice.Find(tx, id)
		return err
	})
	return v
}

// invoices reads the invoices of a subscription by date.
func (a testAccount) invoices(t subscription.Terms) (all []invoice.View) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) (err error) {
		all, err = invoice.OfSubscription(tx, t.ID)
		return err
	})
	return all
}

// line finds the line item of a service period on the invoices.
func (a testAccount) line(t subscription.Terms, s subscription.ServicePeriod) invoice.Line {
	GinkgoHelper()
	for _, v := range a.invoices(t) {
		for _, l := range v.Lines {
			if l.PriceID == s.Interval.PriceID && l.StartAt.Equal(s.Period.Start) {
				return l
			}
		}
	}
	Fail("no invoice charges " + s.Interval.Price.Name)
	return invoice.Line{}
}

// charged is the total of a subscription's issued invoices, less their credit notes.
func (a testAccount) charged(t subscription.Terms) (net money.Decimal) {
	GinkgoHelper()
	for _, v := range a.invoices(t) {
		if v.Status == invoice.StatusDraft || v.Status == invoice.StatusVoid {
			continue
		}
		net = net.Add(v.Total)
		for _, note := range v.CreditNotes {
			net = net.Sub(note.Total)
		}
	}
	return net
}

// issueAll opens and issues all invoices that are due by the clock.
func (a testAccount) issueAll() {
	GinkgoHelper()
	a.All(billing.OpenNext)
	a.All(billing.IssueNext)
}

// summaries writes invoices as "date status: total".
func summaries(views []invoice.View) []string {
	texts := []string{}
	for _, v := range views {
		texts = append(texts, fmt.Sprintf("%s %s: %s", v.InvoiceDate.Format(time.DateOnly), v.Status, v.Currency.Format(v.Total)))
	}
	return texts
}
