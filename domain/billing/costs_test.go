package billing_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// costs reads the costs of a subscription.
func (o office) costs(t subscription.Terms, q charge.CostQuery) (all []charge.Cost) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) (err error) {
		q.InvoicesOf = invoice.InvoicesBeside
		all, err = charge.Costs(tx, t, q)
		return err
	})
	return all
}

// days writes costs as "first to end: total".
func days(costs []charge.Cost) []string {
	texts := []string{}
	for _, c := range costs {
		texts = append(texts, fmt.Sprintf("%s to %s: %s", c.Window.Start.Format("01-02"), c.Window.End.Format("01-02"), c.Currency.Format(c.Total)))
	}
	return texts
}

var _ = Describe("Costs", func() {
	It("counts a fee in full from the first day of its service period", func() {
		o := open("2025-03-03T10:00:00")
		t, _ := o.subscribe(o.customer(), "2025-03-01", o.fee("31"))
		Expect(days(o.costs(t, charge.CostQuery{}))).To(Equal([]string{
			"03-01 to 03-02: 31.00", "03-01 to 03-03: 31.00", "03-01 to 03-04: 31.00",
		}))
		alone := o.costs(t, charge.CostQuery{Periodic: true})
		Expect(days(alone)).To(Equal([]string{"03-01 to 03-02: 31.00", "03-02 to 03-03: 0.00", "03-03 to 03-04: 0.00"}))
		Expect(alone[0].Prices[0].Quantity.String()).To(Equal("1"))
		Expect(alone[1].Prices[0].Quantity.String()).To(Equal("0"))
	})

	It("counts a price of a year by what it is worth to date less its worth at the start of the month", func() {
		o := open("2025-01-01")
		id := o.customer()
		yearly := o.fee("120")
		yearly.Cadence = period.CadenceAnnual
		counted := o.calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1"}, {"first_unit": 10, "last_unit": null, "unit_amount": "0.1"}]}`)
		counted.Cadence = period.CadenceAnnual
		monthly := o.fee("5")
		t, _ := o.subscribe(id, "2025-01-01", yearly, counted, monthly)
		o.call(id, "2025-01-10", "8")
		o.call(id, "2025-02-01", "4")
		o.clock("2025-02-02T10:00:00")
		january := o.costs(t, charge.CostQuery{Start: at("2025-01-31"), End: at("2025-02-01")})
		Expect(days(january)).To(Equal([]string{"01-01 to 02-01: 133.00"}))
		// of the four units of February two are within the year's first ten
		Expect(days(o.costs(t, charge.CostQuery{}))).To(Equal([]string{"02-01 to 02-02: 7.20", "02-01 to 02-03: 7.20"}))
	})

	It("starts tiers with the period, and gives a day what it adds", func() {
		o := open("2025-03-01")
		id := o.customer()
		t, _ := o.subscribe(id, "2025-03-01", o.calls("bulk", `{"tiers": [{"maximum_units": 10, "unit_amount": "1"}, {"maximum_units": null, "unit_amount": "0.5"}]}`))
		o.call(id, "2025-03-01T01:00:00", "10")
		o.call(id, "2025-03-02T01:00:00", "2")
		Expect(days(o.costs(t, charge.CostQuery{Periodic: true}))).To(Equal([]string{"03-01 to 03-02: 10.00", "03-02 to 03-03: -4.00"}))
	})

	It("has prices in one currency only", func() {
		o := open("2025-03-01")
		t, _ := o.subscribe(o.customer(), "2025-03-01", o.fee("31"))
		other := o.costs(t, charge.CostQuery{Currency: "EUR"})
		Expect(other).To(HaveLen(1))
		Expect(other[0].Prices).To(BeEmpty())
	})

	It("adds up to what is billed for the same time, and days alone to days together", func() {
		o := open("2025-01-01")
		configs := []catalog.NewPrice{
			o.fee("9.99"),
			o.calls("unit", `{"unit_amount": "0.0335"}`),
			o.calls("package", `{"package_amount": "1.5", "package_size": 7}`),
			o.calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 3, "unit_amount": "0.335"}, {"first_unit": 3, "last_unit": null, "unit_amount": "0.0007"}]}`),
		}
		rapid.Check(GinkgoT(), func(r *rapid.T) {
			o.clock("2025-01-01")
			id := o.customer()
			start := period.Date{Year: 2025, Month: time.January, Day: 1}.AddDays(rapid.IntRange(0, 30).Draw(r, "start"))
			prices := rapid.SliceOfNDistinct(rapid.SampledFrom(configs), 1, 3, func(p catalog.NewPrice) string { return p.ModelType + string(p.Config) }).Draw(r, "prices")
			o.clock(start.String())
			t, _ := o.subscribe(id, start.String(), prices...)
			for _, hours := range rapid.SliceOfNDistinct(rapid.IntRange(0, 40*24), 0, 5, rapid.ID[int]).Draw(r, "hours") {
				o.call(id, period.FormatInstant(t.StartAt.Add(time.Duration(hours)*time.Hour)), fmt.Sprint(rapid.IntRange(0, 5000).Draw(r, "thousandths"))+"e-3")
			}
			o.clock("2025-04-01")
			asked := charge.CostQuery{Start: at("2025-01-01"), End: at("2025-03-01")}
			together := o.costs(t, asked)
			asked.Periodic = true
			running := money.Decimal{}
			for k, day := range o.costs(t, asked) {
				if k == 0 || !together[k].Window.Start.Equal(together[k-1].Window.Start) {
					running = money.Decimal{}
				}
				running = running.Add(day.Total)
				if running.Cmp(together[k].Total) != 0 {
					r.Fatalf("%s adds up to %s instead of %s", day.Window, running, together[k].Total)
				}
			}
			o.issueAll()
			billed := money.Decimal{}
			for _, s := range t.ServicePeriods(period.Period{Start: t.StartAt, End: instant("2025-03-01")}) {
				billed = billed.Add(o.line(t, s).Subtotal)
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

// line finds the line item of a service on the invoices.
func (o office) line(t subscription.Terms, s subscription.ServicePeriod) invoice.Line {
	GinkgoHelper()
	for _, v := range o.of(t) {
		for _, l := range v.Lines {
			if l.PriceID == s.Interval.PriceID && l.StartAt.Equal(s.Period.Start) {
				return l
			}
		}
	}
	Fail("no invoice charges " + s.Interval.Price.Name)
	return invoice.Line{}
}

func at(text string) *time.Time {
	t := instant(text)
	return &t
}
