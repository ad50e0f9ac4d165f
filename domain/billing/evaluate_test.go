package billing_test

import (
	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/domaintest"
	"tollkeeper/store"
)

var _ = Describe("Evaluating prices", func() {
	It("returns what an invoice charges", func() {
		a := open("2025-01-01")
		prices := a.SamplePrices()
		rapid.Check(GinkgoT(), func(r *rapid.T) {
			a.Clock("2025-01-01")
			id := a.Customer()
			t, _ := a.subscribe(id, "2025-01-01", prices...)
			events := domaintest.GenerateCalls(r)
			a.Clock("2025-02-01")
			a.RecordInline(id, events)

			asked := charge.Evaluation{CustomerID: &id, Timeframe: domaintest.January}
			for _, i := range t.Intervals {
				asked.Prices = append(asked.Prices, charge.PriceEvaluation{PriceID: &i.Price.ID})
			}
			var evaluated []charge.Evaluated
			a.Do(func(tx *store.Tx) (err error) {
				evaluated, err = charge.Evaluate(tx, asked)
				return err
			})
			a.issueAll()
			for k, i := range t.Intervals {
				for _, s := range t.ServicePeriods(domaintest.January) {
					if s.Interval.ID != i.ID {
						continue
					}
					line, group := a.line(t, s), evaluated[k].Groups[0]
					if !line.Exact.WithoutTail().Equal(group.Amount) || !line.Quantity.Equal(group.Quantity) {
						r.Fatalf("%s: evaluated as %s for %s, charged as %s for %s", prices[k].ModelType, group.Quantity, group.Amount, line.Quantity, line.Exact)
					}
				}
			}
		})
	})
})
