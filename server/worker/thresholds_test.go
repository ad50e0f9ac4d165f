package worker_test

import (
	"log/slog"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/server/background"
	"tollkeeper/server/worker"
	"tollkeeper/store"
)

var _ = Describe("Threshold invoices of the background", func() {
	open := func() (a domaintest.Account, w *worker.Worker, customer string) {
		GinkgoHelper()
		a = domaintest.Open("2025-01-01")
		log := slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		w = worker.New(worker.Config{Store: a.Store, Workers: 1, Log: log, Runner: background.NewRunner(log, nil)})
		customer = a.Customer()
		plan := a.Plan(catalog.NewPlan{Prices: domaintest.Listed(a.Fee("10"), a.Calls("unit", `{"unit_amount": "1"}`))})
		threshold, start := money.Must("5"), "2025-01-01"
		a.Do(func(tx *store.Tx) error {
			_, _, err := billing.Subscribe(tx, subscription.NewSubscription{CustomerID: &customer, PlanID: &plan.ID, StartDate: &start, InvoicingThreshold: &threshold})
			return err
		})
		return a, w, customer
	}
	// invoices are those of the account, in the order in which they were made.
	invoices := func(a domaintest.Account) (rows []string) {
		GinkgoHelper()
		a.Do(func(tx *store.Tx) error {
			return tx.Raw(`SELECT concat_ws(' ', source, to_char(invoice_date, 'MM-DD'), status, substr(number, 7), total) FROM invoices WHERE account_id = ? ORDER BY seq`, tx.AccountID).Scan(&rows).Error
		})
		return rows
	}

	It("are issued where the clock is stopped and nothing else is due", func() {
		a, w, customer := open()
		Expect(w.Due(a.Ctx)).To(Equal([]string{"notice usage", "invoice partially"}), "a request leaves nothing else to do")
		a.Record(customer, "2025-01-01T00:00:00", "10")
		w.DoThresholds(a.Ctx)
		Expect(invoices(a)).To(ContainElement(HavePrefix("partial 01-01 issued")))
	})

	It("wait for the units that come before them, as where an advance of the clock met an outage on its way", func() {
		var outcomes [2][]string
		for k, between := range []bool{false, true} {
			a, w, customer := open()
			Expect(w.Advance(a.Ctx, domaintest.Instant("2025-01-15"))).To(Succeed())
			a.Clock("2025-02-01") // at which an invoice is opened
			a.Record(customer, "2025-02-01T00:00:00", "10")
			if between {
				w.DoThresholds(a.Ctx)
			}
			Expect(w.Advance(a.Ctx, domaintest.Instant("2025-02-05"))).To(Succeed())
			outcomes[k] = invoices(a)
		}
		Expect(outcomes[0]).To(ContainElement(HavePrefix("partial 02-01 issued")))
		Expect(outcomes[1]).To(Equal(outcomes[0]))
	})
})
