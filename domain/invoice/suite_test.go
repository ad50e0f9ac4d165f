package invoice_test

import (
	"slices"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

func TestInvoice(t *testing.T) { domaintest.RunSuite(t, "invoice", 15) }

// testAccount is an account in which no invoice is opened or issued by itself.
type testAccount struct{ domaintest.Account }

// open makes an account whose clock is set to that instant.
func open(now string) testAccount {
	GinkgoHelper()
	return testAccount{domaintest.Open(now)}
}

// draft opens the invoice of a subscription on a billing date, and reads it.
func (a testAccount) draft(t subscription.Terms, date string) (v invoice.View) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) (err error) {
		services := t.BilledOn(domaintest.Instant(date))
		Expect(services).NotTo(BeEmpty())
		row := invoice.Invoice{
			Record: tx.Record("inv"), CustomerID: t.CustomerID, SubscriptionID: &t.ID, PlanID: &services[0].Interval.PlanID,
			Source: invoice.SourceSubscription, Status: invoice.StatusDraft, Currency: t.Currency, InvoiceDate: domaintest.Instant(date),
			HasUsage: slices.ContainsFunc(services, func(s subscription.ServicePeriod) bool { return !s.Interval.Price.Fixed() }),
		}
		if err := tx.Create(&row).Error; err != nil {
			return err
		}
		v, err = invoice.Find(tx, row.ID)
		return err
	})
	return v
}

// issue issues a draft as it is now, and reads it.
func (a testAccount) issue(id string) (v invoice.View) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) error {
		settings, err := account.Of(tx)
		if err != nil {
			return err
		}
		row, err := invoice.Lock(tx, id)
		if err != nil {
			return err
		}
		if v, err = invoice.ViewToIssue(tx, settings, row); err != nil {
			return err
		}
		return invoice.Finalize(tx, settings, v)
	})
	return a.find(id)
}

// issued issues the invoice of a subscription on a billing date, and reads it.
func (a testAccount) issued(t subscription.Terms, date string) invoice.View {
	GinkgoHelper()
	return a.issue(a.draft(t, date).ID)
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
