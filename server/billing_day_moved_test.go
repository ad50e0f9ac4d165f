package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A billing day that an edit moved", func() {
	// moved is a subscription from the first of May whose day is moved to the tenth on the fifth of June, and
	// its price intervals.
	moved := func(buyer object, prices ...func(fixture) object) (s fixture, who, sub string) {
		GinkgoHelper()
		s = newFixture("2025-05-01T00:00:00Z")
		who = s.buyer(buyer)
		bodies := []object{}
		for _, price := range prices {
			bodies = append(bodies, price(s))
		}
		made := s.subscribe(who, nil, bodies...)
		sub = made.text("id")
		s.clock("2025-06-05T12:00:00Z")
		s.moveDays(sub, 10)
		return s, who, sub
	}
	fee := func(s fixture) object { return s.fee("310.00") }

	It("holds from the running cycle on: closed cycles stay as they were billed", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, fee(s), s.calls("1.00")).text("id")
		s.use(buyer, "2025-05-01T00:00:00Z", "7")
		s.clock("2025-06-01T12:00:00Z")
		may := s.invoices(sub).entry("data", 2).text("id")
		s.post("/v1/invoices/"+may+"/mark_paid", object{"payment_received_date": "2025-06-01"}).expect(200)
		s.clock("2025-06-05T12:00:00Z")
		s.moveDays(sub, 10)
		Expect(s.invoice(may).at("status")).To(Equal("paid"))
		Expect(s.invoice(may).each("credit_notes", "total")).To(BeEmpty())
		s.clock("2025-07-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{ // of the cycle from May 10 to June 10 nine days are left
			"2025-05-01 paid 310.00", "2025-06-01 issued 97.00", "2025-06-10 issued 310.00", "2025-07-10 issued 310.00", "2025-08-10 draft 310.00",
		}))
		s.moveDays(sub, nil)
		s.clock("2025-09-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{ // and 22 of the month of July
			"2025-05-01 paid 310.00", "2025-06-01 issued 97.00", "2025-06-10 issued 310.00", "2025-07-10 issued 220.00",
			"2025-08-01 issued 310.00", "2025-09-01 issued 310.00", "2025-10-01 draft 310.00",
		}))
	})

	It("stays after a change of the plan with the alignment unchanged, and in later phases", func() {
		s, _, sub := moved(nil, fee)
		plan := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD",
			"plan_phases": list{object{"order": 1, "duration": 2, "duration_unit": "monthly"}, object{"order": 2}},
			"prices":      list{object{"price": s.fee("600.00"), "plan_phase_order": 1}, object{"price": s.fee("930.00"), "plan_phase_order": 2}},
		}).expect(201).text("id")
		s.clock("2025-06-25T00:00:00Z")
		after := s.move(sub, plan, object{"billing_cycle_alignment": "unchanged"}).expect(200)
		Expect(after.at("billing_cycle_day")).To(Equal(number("10")))
		Expect(after.each("price_intervals", "billing_cycle_day")).To(Equal(list{number("10"), number("10"), number("10")}))
		Expect(changed(after)).To(Equal([]string{"2025-06-25 issued 300.00", "2025-07-10 draft 600.00", "adjustment 155.00"}))
		s.clock("2025-09-11T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-05-01 issued 310.00", "2025-06-01 issued 90.00", "2025-06-10 issued 310.00", "2025-06-25 issued 300.00",
			"2025-07-10 issued 600.00", "2025-08-10 issued 290.32", "2025-08-25 issued 480.00", "2025-09-10 issued 930.00", "2025-10-10 draft 930.00",
		}))
	})

	It("is that of a price that is added, which an edit moves with the others", func() {
		s, _, sub := moved(nil, fee)
		s.clock("2025-06-12T00:00:00Z")
		after := s.intervals(sub, adding(object{"price": floating(s.fee("30.00")), "start_date": "2025-06-15"})).expect(200)
		Expect(after.each("price_intervals", "billing_cycle_day")).To(Equal(list{number("10"), number("10")}))
		s.clock("2025-07-10T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-05-01 issued 310.00", "2025-06-01 issued 90.00", "2025-06-10 issued 310.00", "2025-06-15 issued 25.00",
			"2025-07-10 issued 340.00", "2025-08-10 draft 340.00",
		}))
		s.intervals(sub, edit(after.text("price_intervals[0].id"), object{"billing_cycle_day": 20})).
			invalid("edit[0].billing_cycle_day: must be that of all prices")
		s.moveDays(sub, 20)
		s.clock("2025-08-20T00:00:00Z")
		Expect(s.bills(sub)[4:]).To(Equal([]string{ // 10 of the 30 days from June 20 on
			"2025-07-10 issued 113.33", "2025-07-20 issued 340.00", "2025-08-20 issued 340.00", "2025-09-20 draft 340.00",
		}))
	})

	It("gives way to an alignment that a change of the plan asks for; each price shows its own", func() {
		s, _, sub := moved(nil, fee)
		s.clock("2025-06-25T00:00:00Z")
		after := s.move(sub, s.plan(nil, s.fee("600.00")).text("id"), object{"billing_cycle_alignment": "plan_change_date"}).expect(200)
		Expect(after.at("billing_cycle_day")).To(Equal(number("25")))
		Expect(after.each("price_intervals", "billing_cycle_day")).To(Equal(list{number("10"), number("25")}))
		s.clock("2025-07-26T00:00:00Z")
		Expect(s.bills(sub)[3:]).To(Equal([]string{"2025-06-25 issued 600.00", "2025-07-25 issued 600.00", "2025-08-25 draft 600.00"}))
	})

	It("moves a longer cycle from its own beginning, in the customer's zone", func() {
		s, _, sub := moved(object{"timezone": "America/New_York"},
			func(s fixture) object {
				return with(s.fee("910.00"), object{"cadence": "quarterly", "name": "Quarter"})
			}, fee)
		s.clock("2025-08-20T00:00:00Z")
		intervals := s.get("/v1/subscriptions/" + sub).expect(200)
		Expect(intervals.each("price_intervals", "current_billing_period_start_date")).To(HaveExactElements(
			HavePrefix("2025-07-10T04:00"), HavePrefix("2025-08-10T04:00")))
		Expect(s.bills(sub)).To(Equal([]string{ // 71 of the 91 days from April 10 on, and one of April
			"2025-04-30 issued 720.33", "2025-05-01 issued 310.00", "2025-06-01 issued 90.00", "2025-06-10 issued 310.00",
			"2025-07-10 issued 1220.00", "2025-08-10 issued 310.00", "2025-09-10 draft 310.00",
		}))
	})
})

// moveDays moves the billing day of all price intervals that are in force; nil: back to the anchor.
func (s fixture) moveDays(sub string, day any) {
	GinkgoHelper()
	edits := list{}
	shown := s.get("/v1/subscriptions/" + sub).expect(200)
	for _, id := range shown.each("price_intervals", "id") {
		edits = append(edits, object{"price_interval_id": id, "billing_cycle_day": day})
	}
	s.intervals(sub, object{"edit": edits}).expect(200)
}
