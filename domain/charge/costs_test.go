package charge_test

import (
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("Costs", func() {
	It("counts a fee in full from the first day of its service period", func() {
		a := open("2025-03-03T10:00:00")
		t := a.Subscribe(a.Customer(), "2025-03-01", a.Fee("31"))
		Expect(days(a.costs(t, charge.CostQuery{}))).To(Equal([]string{
			"03-01 to 03-02: 31.00", "03-01 to 03-03: 31.00", "03-01 to 03-04: 31.00",
		}))
		alone := a.costs(t, charge.CostQuery{Periodic: true})
		Expect(days(alone)).To(Equal([]string{"03-01 to 03-02: 31.00", "03-02 to 03-03: 0.00", "03-03 to 03-04: 0.00"}))
		Expect(alone[0].Prices[0].Quantity.String()).To(Equal("1"))
		Expect(alone[1].Prices[0].Quantity.String()).To(Equal("0"))
	})

	It("counts a price of a year by what it is worth to date less its worth at the start of the month", func() {
		a := open("2025-01-01")
		id := a.Customer()
		yearly := a.Fee("120")
		yearly.Cadence = period.CadenceAnnual
		counted := a.Calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1"}, {"first_unit": 10, "last_unit": null, "unit_amount": "0.1"}]}`)
		counted.Cadence = period.CadenceAnnual
		monthly := a.Fee("5")
		t := a.Subscribe(id, "2025-01-01", yearly, counted, monthly)
		a.Record(id, "2025-01-10", "8")
		a.Record(id, "2025-02-01", "4")
		a.Clock("2025-02-02T10:00:00")
		january := a.costs(t, charge.CostQuery{Start: at("2025-01-31"), End: at("2025-02-01")})
		Expect(days(january)).To(Equal([]string{"01-01 to 02-01: 133.00"}))
		// of the four units of February two are within the year's first ten
		Expect(days(a.costs(t, charge.CostQuery{}))).To(Equal([]string{"02-01 to 02-02: 7.20", "02-01 to 02-03: 7.20"}))
	})

	It("starts tiers with the period, and gives a day what it adds", func() {
		a := open("2025-03-01")
		id := a.Customer()
		t := a.Subscribe(id, "2025-03-01", a.Calls("bulk", `{"tiers": [{"maximum_units": 10, "unit_amount": "1"}, {"maximum_units": null, "unit_amount": "0.5"}]}`))
		a.Record(id, "2025-03-01T01:00:00", "10")
		a.Record(id, "2025-03-02T01:00:00", "2")
		Expect(days(a.costs(t, charge.CostQuery{Periodic: true}))).To(Equal([]string{"03-01 to 03-02: 10.00", "03-02 to 03-03: -4.00"}))
	})

	It("has prices in one currency only", func() {
		a := open("2025-03-01")
		t := a.Subscribe(a.Customer(), "2025-03-01", a.Fee("31"))
		other := a.costs(t, charge.CostQuery{Currency: "EUR"})
		Expect(other).To(HaveLen(1))
		Expect(other[0].Prices).To(BeEmpty())
	})
})

var _ = Describe("Costs of days (semantics 7.1)", func() {
	It("C-4: are cumulative within their own period, where the cycle begins in mid-month", func() {
		a := open("2025-05-15")
		id := a.Customer()
		var t subscription.Terms
		plan, start := a.Plan(catalog.NewPlan{Prices: domaintest.Listed(a.Calls("unit", `{"unit_amount": "1.00"}`))}).ID, "2025-05-15"
		a.Do(func(tx *store.Tx) (err error) {
			t, err = subscription.Create(tx, subscription.NewSubscription{CustomerID: &id, PlanID: &plan, StartDate: &start, AlignWithStart: true})
			return err
		})
		a.Record(id, "2025-05-20", "1")
		a.Record(id, "2025-06-20", "1")
		a.Clock("2025-07-02")
		told := days(a.costs(t, charge.CostQuery{Start: at("2025-06-01"), End: at("2025-07-01")}))
		Expect(told[0]).To(Equal("05-15 to 06-02: 1.00"))
		Expect(told).To(ContainElement("06-15 to 06-16: 0.00"))
		Expect(told[len(told)-1]).To(Equal("06-15 to 07-01: 1.00"))
		Expect(told).To(HaveLen(30))
	})

	It("C-6: end with the subscription", func() {
		a := open("2025-04-01")
		id := a.Customer()
		t := a.Subscribe(id, "2025-04-01", a.Calls("unit", `{"unit_amount": "1.00"}`))
		a.Do(func(tx *store.Tx) error { return subscription.Cancel(tx, t, domaintest.Instant("2025-04-10")) })
		a.Clock("2025-05-20")
		a.Do(func(tx *store.Tx) (err error) {
			t, err = subscription.Find(tx, t.ID)
			return err
		})
		told := days(a.costs(t, charge.CostQuery{}))
		Expect(told).To(HaveLen(9))
		Expect(told[8]).To(Equal("04-01 to 04-10: 0.00"))
	})

	It("are local days, over a change of the clock and the end of a month (semantics 7.1.8)", func() {
		a := open("2025-03-01T05:00:00Z")
		buyer := a.CustomerIn("America/New_York")
		t := a.Subscribe(buyer.ID, "2025-03-01", a.Calls("unit", `{"unit_amount": "1.00"}`))
		a.Record(buyer.ID, "2025-03-09T04:59:59Z", "1") // the 8th there
		a.Record(buyer.ID, "2025-03-10T03:59:59Z", "2") // the 9th, which has 23 hours
		a.Record(buyer.ID, "2025-03-10T04:00:00Z", "4")
		a.Record(buyer.ID, "2025-04-01T03:59:59Z", "8") // the 31st
		a.Clock("2025-04-01T03:59:59Z")
		used := map[string]string{}
		all := a.costs(t, charge.CostQuery{Periodic: true})
		for _, c := range all {
			used[c.Window.Start.In(buyer.Location()).Format("01-02")] = c.Total.String()
		}
		Expect(all).To(HaveLen(31))
		Expect(used).To(And(HaveKeyWithValue("03-08", "1"), HaveKeyWithValue("03-09", "2"), HaveKeyWithValue("03-10", "4"), HaveKeyWithValue("03-31", "8")))
	})

	It("are none of a subscription that has not begun, and wrong where they end before they begin (semantics 7.1.5)", func() {
		a := open("2025-03-01")
		t := a.Subscribe(a.Customer(), "2025-04-01", a.Fee("1"))
		Expect(a.costs(t, charge.CostQuery{})).To(BeEmpty())
		a.Clock("2025-04-02")
		Expect(a.Try(func(tx *store.Tx) error {
			_, err := charge.Costs(tx, t, charge.CostQuery{Start: at("2025-04-02"), End: at("2025-04-02")})
			return err
		})).To(domaintest.BeInvalid("timeframe_end"))
	})

	It("add up alone to what they are together, whatever was used when", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			a := open("2025-02-01")
			id := a.Customer()
			t := a.Subscribe(id, "2025-02-01", a.Fee("9.99"), a.Calls("tiered",
				`{"tiers": [{"first_unit": 0, "last_unit": 3, "unit_amount": "0.335"}, {"first_unit": 3, "last_unit": null, "unit_amount": "0.0007"}]}`))
			for _, hour := range rapid.SliceOfNDistinct(rapid.IntRange(0, 28*24-1), 0, 6, rapid.ID[int]).Draw(rt, "hours") {
				a.Record(id, t.StartAt.Add(time.Duration(hour)*time.Hour).Format(time.RFC3339), fmt.Sprint(rapid.IntRange(0, 5000).Draw(rt, "thousandths"))+"e-3")
			}
			a.Clock("2025-02-28T23:00:00Z")
			var running money.Decimal
			together := a.costs(t, charge.CostQuery{})
			for k, day := range a.costs(t, charge.CostQuery{Periodic: true}) {
				if running = running.Add(day.Total); !running.Equal(together[k].Total) {
					rt.Fatalf("%s adds up to %s instead of %s", day.Window, running, together[k].Total)
				}
			}
		})
	})
})

var _ = Describe("Costs of adjusted prices", func() {
	It("C-1, C-2: a minimum counts in full from the first day", func() {
		a := open("2025-02-01")
		id, t := a.SellNew("2025-03-01", catalog.NewPlan{
			Prices:      domaintest.Listed(a.Calls("unit", `{"unit_amount": "2.00"}`)),
			Adjustments: []catalog.PlanAdjustment{a.Adjustment(rating.Minimum, "30.00")},
		})
		a.Record(id, "2025-03-01T08:00:00", "5")
		a.Record(id, "2025-03-03T08:00:00", "12")
		a.Record(id, "2025-03-04T08:00:00", "3")
		a.Clock("2025-03-04T23:00:00")
		Expect(amounts(a.costs(t, charge.CostQuery{}))).To(Equal([]string{
			"03-01 to 03-02: 5, 10.00, 30.00", "03-01 to 03-03: 5, 10.00, 30.00",
			"03-01 to 03-04: 17, 34.00, 34.00", "03-01 to 03-05: 20, 40.00, 40.00",
		}))
		Expect(amounts(a.costs(t, charge.CostQuery{Periodic: true}))).To(Equal([]string{
			"03-01 to 03-02: 5, 10.00, 30.00", "03-02 to 03-03: 0, 0.00, 0.00",
			"03-03 to 03-04: 12, 24.00, 4.00", "03-04 to 03-05: 3, 6.00, 6.00",
		}))
	})

	It("C-5: a percentage takes its part of each day", func() {
		a := open("2025-02-01")
		id, t := a.SellNew("2025-03-01", catalog.NewPlan{
			Prices:      domaintest.Listed(a.Calls("unit", `{"unit_amount": "4.00"}`)),
			Adjustments: []catalog.PlanAdjustment{a.Adjustment(rating.PercentageDiscount, "0.25")},
		})
		a.Record(id, "2025-03-01T08:00:00", "3")
		a.Record(id, "2025-03-02T08:00:00", "1")
		Expect(amounts(a.costs(t, charge.CostQuery{}))).To(Equal([]string{
			"03-01 to 03-02: 3, 12.00, 9.00", "03-01 to 03-03: 4, 16.00, 12.00",
		}))
		Expect(amounts(a.costs(t, charge.CostQuery{Periodic: true}))).To(Equal([]string{
			"03-01 to 03-02: 3, 12.00, 9.00", "03-02 to 03-03: 1, 4.00, 3.00",
		}))
	})
})

var _ = Describe("Costs of prices in a custom unit", func() {
	It("are in that unit, and not among the costs in money", func() {
		a := open("2025-03-01")
		id, t := a.SellNew("2025-03-01", catalog.NewPlan{Prices: domaintest.Listed(a.CallsInCredits())})
		a.Record(id, "2025-03-20", "151")
		Expect(a.costs(t, charge.CostQuery{})[19].Prices).To(BeEmpty())
		Expect(amounts(a.costs(t, charge.CostQuery{Currency: money.Credits}))[19]).To(Equal("03-01 to 03-21: 151, 75.5, 75.5"))
	})
})
