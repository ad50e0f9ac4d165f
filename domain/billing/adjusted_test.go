package billing_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// sell subscribes a new customer to a plan.
func (o office) sell(start string, plan catalog.NewPlan) (id string, t subscription.Terms) {
	GinkgoHelper()
	id = o.customer()
	plan.Name, plan.Currency, plan.Status = "Plan", "USD", catalog.PlanActive
	o.do(func(tx *store.Tx) error {
		made, err := catalog.CreatePlan(tx, plan)
		if err != nil {
			return err
		}
		t, _, err = billing.Subscribe(tx, subscription.NewSubscription{CustomerID: &id, PlanID: &made.ID, StartDate: &start})
		return err
	})
	return id, t
}

// adjusted is an adjustment on all prices of the plan.
func (o office) adjusted(kind rating.AdjustmentKind, value string) catalog.PlanAdjustment {
	a := catalog.NewAdjustment{Kind: kind, Value: money.Must(value)}
	if kind == rating.Minimum {
		a.ItemID = &o.item
	}
	return catalog.PlanAdjustment{Adjustment: a}
}

// worths writes costs as "first to end: quantity, subtotal, total".
func worths(costs []charge.Cost) []string {
	texts := []string{}
	for _, c := range costs {
		texts = append(texts, fmt.Sprintf("%s to %s: %s, %s, %s", c.Window.Start.Format("01-02"), c.Window.End.Format("01-02"),
			c.Prices[0].Quantity, c.Currency.Format(c.Subtotal), c.Currency.Format(c.Total)))
	}
	return texts
}

var _ = Describe("Adjusted lines", func() {
	It("S-10: a minimum of a first period that is cut is prorated by days", func() {
		o := open("2025-04-01")
		id, t := o.sell("2025-04-11", catalog.NewPlan{
			Prices:      listed([]catalog.NewPrice{o.calls("unit", `{"unit_amount": "1.00"}`)}),
			Adjustments: []catalog.PlanAdjustment{o.adjusted(rating.Minimum, "100.00")},
		})
		o.clock("2025-04-12")
		o.issueAll()
		o.call(id, "2025-04-20", "20")
		o.clock("2025-05-02")
		o.issueAll()
		line := o.of(t)[0].Lines[0]
		Expect(line.Subtotal.String()).To(Equal("20"))
		Expect(line.Adjustments[0].Amount.String()).To(Equal("46.67"))
		Expect(o.of(t)[0].Total.String()).To(Equal("66.67"))
	})

	It("keeps what each adjustment did in the issued line, to the byte of its draft", func() {
		o := open("2025-03-01")
		id, t := o.sell("2025-03-01", catalog.NewPlan{
			Prices: listed([]catalog.NewPrice{o.calls("unit", `{"unit_amount": "1.005"}`), o.fee("10")}),
			Adjustments: []catalog.PlanAdjustment{
				o.adjusted(rating.Maximum, "12"), o.adjusted(rating.PercentageDiscount, "0.1"), o.adjusted(rating.UsageDiscount, "2"),
			},
		})
		o.call(id, "2025-03-20", "5")
		draft := o.of(t)[1]
		o.clock("2025-04-02")
		o.issueAll()
		issued := o.of(t)[1]
		Expect(issued.Status).To(Equal(invoice.StatusIssued))
		Expect(issued.Lines).To(HaveLen(len(draft.Lines)))
		for k, line := range issued.Lines {
			was, err := json.Marshal(draft.Lines[k].Adjustments)
			Expect(err).NotTo(HaveOccurred())
			is, err := json.Marshal(line.Adjustments)
			Expect(err).NotTo(HaveOccurred())
			Expect(string(is)).To(Equal(string(was)))
		}
	})
})

var _ = Describe("Prices of other prices", func() {
	It("charge what the others on the invoice leave open", func() {
		o := open("2025-03-01")
		floor := o.fee("0")
		floor.ModelType, floor.Config = "minimum_composite", json.RawMessage(`{"minimum_amount": "50.00"}`)
		id, t := o.sell("2025-03-01", catalog.NewPlan{Prices: listed([]catalog.NewPrice{floor, o.calls("unit", `{"unit_amount": "2.00"}`)})})
		o.call(id, "2025-03-20", "6")
		draft := o.of(t)[0]
		Expect(draft.Lines[0].Subtotal.String()).To(Equal("38"))
		Expect(draft.Lines[1].Subtotal.String()).To(Equal("12"))
		Expect(draft.Total.String()).To(Equal("50"))
	})
})

var _ = Describe("Prices in a custom unit", func() {
	It("become money by their rate, rounded once", func() {
		o := open("2025-03-01")
		price := o.calls("unit", `{"unit_amount": "0.5"}`)
		price.Currency = money.Credits
		price.ConversionRateConfig = json.RawMessage(`{"conversion_rate_type": "tiered", "tiered_config": {"tiers": [
			{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"}, {"first_unit": 50, "last_unit": null, "unit_amount": "0.08"}]}}`)
		id, t := o.sell("2025-03-01", catalog.NewPlan{Prices: listed([]catalog.NewPrice{price})})
		o.call(id, "2025-03-20", "151")
		draft := o.of(t)[0]
		Expect(draft.Lines[0].Subtotal.String()).To(Equal("75.5"))
		Expect(draft.Lines[0].Amount.String()).To(Equal("7.04"))
		Expect(draft.Subtotal.String()).To(Equal("7.04"))
		Expect(o.costs(t, charge.CostQuery{})[19].Prices).To(BeEmpty())
		Expect(worths(o.costs(t, charge.CostQuery{Currency: money.Credits}))[19]).To(Equal("03-01 to 03-21: 151, 75.5, 75.5"))
	})
})

var _ = Describe("Plans with phases", func() {
	It("PL-6: bill each phase for its own time", func() {
		o := open("2025-07-01")
		one, two, months := 1, 2, catalog.PhaseMonthly
		_, t := o.sell("2025-07-11", catalog.NewPlan{
			Phases: []catalog.NewPhase{{Order: 1, Duration: &one, DurationUnit: &months}, {Order: 2}},
			Prices: []catalog.PlanPrice{{Price: o.fee("20.00"), PhaseOrder: &one}, {Price: o.fee("60.00"), PhaseOrder: &two}},
		})
		o.clock("2025-09-02")
		o.issueAll()
		lines := []string{}
		for _, v := range o.of(t) {
			for _, l := range v.Lines {
				lines = append(lines, fmt.Sprintf("%s: %s to %s %s", v.InvoiceDate.Format("01-02"), l.StartAt.Format("01-02"), l.EndAt.Format("01-02"), l.Amount))
			}
		}
		Expect(lines).To(Equal([]string{
			"07-11: 07-11 to 08-01 13.55", "08-01: 08-01 to 08-11 6.45", "08-11: 08-11 to 09-01 40.65",
			"09-01: 09-01 to 10-01 60", "10-01: 10-01 to 11-01 60",
		}))
	})
})
