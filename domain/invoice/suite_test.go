package invoice_test

import (
	"flag"
	"slices"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

func TestInvoice(t *testing.T) {
	if err := flag.Set("rapid.checks", "15"); err != nil { // each is a dozen transactions
		t.Fatal(err)
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "invoice")
}

// office is a test account. No invoice is opened or issued by itself.
type office struct{ domaintest.Account }

func open(now string) office {
	GinkgoHelper()
	return office{domaintest.Open(now)}
}

// draft opens the invoice of a subscription on a billing date, and reads it.
func (o office) draft(t subscription.Terms, date string) (v invoice.View) {
	GinkgoHelper()
	o.Do(func(tx *store.Tx) (err error) {
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
