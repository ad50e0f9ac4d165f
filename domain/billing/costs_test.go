package billing_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// costs reads the costs of a subscription.
func (a testAccount) costs(t subscription.Terms, q charge.CostQuery) (all []charge.Cost) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) (err error) {
		q.InvoicesOf = invoice.InvoicesBeside
		all, err = charge.Costs(tx, t, q)
		return err
	})
	return all
}

var _ = Describe("Costs of what is invoiced", func() {
	It("adds up to what is billed for the same time, and days alone to days together", func() {
		a := open("2025-01-01")
		configs := []catalog.NewPrice{
			a.Fee("9.99"),
			a.Calls("unit", `{"unit_amount": "0.0335"}`),
			a.Calls("package", `{"package_amount": "1.5", "package_size": 7}`),
			a.Calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 3, "unit_amount": "0.335"}, {"first_unit": 3, "last_unit": null, "unit_amount": "0.0007"}]}`),
		}
		rapid.Check(GinkgoT(), func(r *rapid.T) {
			a.Clock("2025-01-01")
			id := a.Customer()
			start := period.Date{Year: 2025, Month: time.January, Day: 1}.AddDays(rapid.IntRange(0, 30).Draw(r, "start"))
			prices := rapid.SliceOfNDistinct(rapid.SampledFrom(configs), 1, 3, func(p catalog.NewPrice) string { return p.ModelType + string(p.Config) }).Draw(r, "prices")
			a.Clock(start.String())
			t, _ := a.subscribe(id, start.String(), prices...)
			for _, hours := range rapid.SliceOfNDistinct(rapid.IntRange(0, 40*24), 0, 5, rapid.ID[int]).Draw(r, "hours") {
				a.Record(id, period.FormatInstant(t.StartAt.Add(time.Duration(hours)*time.Hour)), fmt.Sprint(rapid.IntRange(0, 5000).Draw(r, "thousandths"))+"e-3")
			}
			a.Clock("2025-04-01")
			asked := charge.CostQuery{Start: at("2025-01-01"), End: at("2025-03-01")}
			together := a.costs(t, asked)
			asked.Periodic = true
			running := money.Decimal{}
			for k, day := range a.costs(t, asked) {
				if k == 0 || !together[k].Window.Start.Equal(together[k-1].Window.Start) {
					running = money.Decimal{}
				}
				running = running.Add(day.Total)
				if running.Cmp(together[k].Total) != 0 {
					r.Fatalf("%s adds up to %s instead of %s", day.Window, running, together[k].Total)
				}
			}
			a.issueAll()
			billed := money.Decimal{}
			for _, s := range t.ServicePeriods(period.Period{Start: t.StartAt, End: domaintest.Instant("2025-03-01")}) {
				billed = billed.Add(a.line(t, s).Subtotal)
			}
			last := money.Decimal{}
			for k, c := range together {
				if k+1 == len(together) || !together[k+1].Window.Start.Equal(c.Window.Start) {
					last = last.Add(c.Total)
				}
			}
			if last.Cmp(billed) != 0 {
				r.Fatalf("costs %s, billed %s", last, billed)
			}
		})
	})
})

func at(text string) *time.Time {
	t := domaintest.Instant(text)
	return &t
}
