package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// linesOf are the lines of all invoices of a subscription.
func (s fixture) linesOf(sub string) (all []string) {
	GinkgoHelper()
	for k := range s.invoices(sub).list("data") {
		all = append(all, lines(s.invoices(sub).entry("data", k))...)
	}
	return all
}

// Each quantity of a fee in arrears weighs by its days. Together they are one line, rounded
// once, which shows the last quantity in force.
var _ = Describe("A fee in arrears whose quantity changes", func() {
	// seats subscribes to one seat in arrears, and sets later quantities: a day and the quantity.
	seats := func(s fixture, buyer, change object, days map[string]int, more ...object) (sub string) {
		GinkgoHelper()
		prices := append([]object{with(with(s.fee("10.00"), object{"name": "Seats", "fixed_price_quantity": 1, "billed_in_advance": false}), change)}, more...)
		after := s.subscribe(s.buyer(buyer), nil, prices...)
		price := after.entry("price_intervals", 0).text("price.id")
		for day, to := range days {
			s.quantity(after.text("id"), price, to, object{"effective_date": day}).expect(200)
		}
		return after.text("id")
	}
	march := map[string]int{"2025-03-11": 2, "2025-03-21": 3}

	DescribeTable("is one line, rounded once",
		func(zone, start, end string, days map[string]int, amount, quantity string) {
			s := newFixture(start)
			sub := seats(s, object{"timezone": zone}, nil, days)
			draft := s.invoices(sub).entry("data", 0)
			Expect(draft.each("line_items", "subtotal")).To(Equal(list{amount}))
			s.clock(end)
			issued := s.invoices(sub).entry("data", 1)
			Expect(issued.each("line_items", "amount")).To(Equal(list{amount}))
			Expect(issued.each("line_items", "quantity")).To(Equal(list{json.Number(quantity)}))
			Expect(issued.at("status")).To(Equal("issued"))
			shown := s.explain(issued, 0)
			Expect(shown.each("rating.steps", "quantity")).To(HaveLen(len(days) + 1))
		},
		Entry("of three quantities, over the clock change of Berlin", "Europe/Berlin", "2025-03-01T00:00:00+01:00", "2025-04-01T13:00:00+02:00", march, "20.32", "3"),
		Entry("in UTC", "UTC", "2025-03-01T00:00:00Z", "2025-04-01T13:00:00Z", march, "20.32", "3"),
		// (27 + 4) / 28 of 10.00
		Entry("changed on the last day of a month", "UTC", "2025-02-01T00:00:00Z", "2025-03-01T13:00:00Z", map[string]int{"2025-02-28": 4}, "11.07", "4"),
		// one day of 1, 27 of 3, the first of 25 hours, and 2 of 2: 86/30 of 10.00
		Entry("on the day of an autumn clock change", "America/New_York", "2025-11-01T00:00:00-04:00", "2025-12-01T13:00:00-05:00",
			map[string]int{"2025-11-02": 3, "2025-11-29": 2}, "28.67", "2"),
	)

	// April from the 5th on is 26 of 180 days: 12.345 x 26 / 180 is 1.78316..., and the 4 days before have 0.00183... of a
	// cent left over: half a cent together, although neither number has a last digit.
	It("is rounded with what the days before left over, exact to the last digit", func() {
		s := newFixture("2025-03-26T12:00:00Z")
		fee := with(s.fee("12.345"), object{"cadence": "semi_annual", "billed_in_advance": false, "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}})
		sub := s.subscribe(s.buyer(nil), object{"start_date": "2025-03-26", "trial_duration_days": 10}, fee).text("id")
		s.clock("2025-05-02T00:00:00Z")
		Expect(s.linesOf(sub)).To(ContainElement("Fee 2025-04-05 to 2025-05-01: 1.79"))
	})

	It("costs what is billed, with the last quantity", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := seats(s, nil, nil, march)
		s.clock("2025-03-31T12:00:00Z")
		costs := s.get("/v1/subscriptions/" + sub + "/costs").expect(200)
		last := costs.entry("data", 30)
		Expect(last.at("total")).To(Equal("20.32"))
		Expect(last.entry("per_price_costs", 0).at("quantity")).To(Equal(json.Number("3")))
	})

	It("is adjusted as one: by a percentage, an amount, units and a minimum", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		for _, of := range []struct {
			adjustment object
			total      string
		}{
			{object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5}, "12.74"}, // half of 25.48: (15*1 + 16*4) / 31 of 10.00
			{object{"adjustment_type": "amount_discount", "amount_discount": "5.00"}, "20.48"},
			{object{"adjustment_type": "usage_discount", "usage_discount": 1}, "15.48"}, // a seat less on each day
			{object{"adjustment_type": "minimum", "minimum_amount": "40.00", "item_id": s.item}, "40.00"},
		} {
			other := s.account("test").newFixture("2025-03-01T00:00:00Z")
			if of.adjustment["item_id"] != nil {
				of.adjustment["item_id"] = other.item
			}
			plan := other.plan(object{"adjustments": list{object{"adjustment": with(of.adjustment, object{"applies_to_all": true})}}},
				with(other.fee("10.00"), object{"name": "Seats", "fixed_price_quantity": 1, "billed_in_advance": false})).text("id")
			after := other.post("/v1/subscriptions", object{"customer_id": other.buyer(nil), "plan_id": plan}).expect(201)
			sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
			other.quantity(sub, price, 4, object{"effective_date": "2025-03-16"}).expect(200)
			other.clock("2025-03-31T12:00:00Z")
			Expect(other.get("/v1/subscriptions/"+sub+"/costs").expect(200).entry("data", 30).at("total")).To(Equal(of.total))
			other.clock("2025-04-02T00:00:00Z")
			Expect(other.invoices(sub).entry("data", 1).at("total")).To(Equal(of.total))
			other.agree()
		}
	})

	It("is one line up to a change of the plan within its time", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := seats(s, nil, nil, march)
		other := s.plan(object{"name": "Other"}, s.fee("7.00")).text("id")
		s.clock("2025-03-25T00:00:00Z")
		s.move(sub, other, object{"change_option": "immediate"}).expect(200)
		s.clock("2025-03-26T00:00:00Z")
		// (10*1 + 10*2 + 4*3) / 31 of 10.00
		Expect(s.linesOf(sub)).To(ContainElement("Seats 2025-03-01 to 2025-03-25: 13.55"))
	})

	It("is one line up to a cancellation as of a past day", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := seats(s, nil, nil, march)
		s.clock("2025-03-25T00:00:00Z")
		s.cancel(sub, asOf("2025-03-16")).expect(200)
		Expect(s.linesOf(sub)).To(Equal([]string{"Seats 2025-03-01 to 2025-03-16: 6.45"})) // (10*1 + 5*2) / 31
	})

	It("is billed anew where an earlier quantity of an issued line becomes another", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := seats(s, nil, nil, march)
		s.clock("2025-04-02T00:00:00Z")
		interval := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 0).text("id")
		anew := s.intervals(sub, edit(interval, object{"fixed_fee_quantity_transitions": list{
			object{"effective_date": "2025-03-11", "quantity": 5}, object{"effective_date": "2025-03-21", "quantity": 3},
		}})).expect(200)
		Expect(changed(anew)).To(ContainElements("2025-04-01 void 20.32", "2025-04-01 issued 30.00")) // (10*1 + 10*5 + 11*3) / 31
	})

	It("rounds what several quantities of an instalment come to once", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := seats(s, nil, object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}, march)
		s.clock("2025-04-02T00:00:00Z")
		first := s.invoices(sub).entry("data", 1)
		Expect(first.each("line_items", "amount")).To(Equal(list{"6.77"})) // 63/31 of a third of 10.00
	})
})
