package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// bulkSeats subscribes to a fee of which 1 costs 10.00, 2 cost 20.00, and of more each costs 2.00.
func (s fixture) bulkSeats(quantity int) (sub, price string) {
	GinkgoHelper()
	return s.seats(quantity, nil, object{"model_type": "bulk", "unit_config": absent, "bulk_config": object{"tiers": list{
		object{"maximum_units": 2, "unit_amount": "10.00"}, object{"unit_amount": "2.00"},
	}}})
}

var _ = Describe("The quantity of a fee of which more units cost less (semantics 6.3.6)", func() {
	costs := func(s fixture, sub string) list {
		GinkgoHelper()
		return s.get("/v1/subscriptions/"+sub+"/costs").expect(200).each("data", "total")
	}

	It("is charged for at once where fewer units cost more", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.bulkSeats(4)
		s.clock("2025-06-16T00:00:00Z")
		after := s.quantity(sub, price, 1, nil).expect(200)
		Expect(changed(after)).To(Equal([]string{"2025-06-16 issued 1.00"})) // (10.00 - 8.00) * 15/30
		Expect(lines(after.entry("changed_resources.created_invoices", 0))).To(Equal([]string{"Seats 2025-06-16 to 2025-07-01: 1.00"}))
		Expect(after.entry("changed_resources.created_invoices", 0).entry("line_items", 0).at("quantity")).To(Equal(json.Number("-3")))
		Expect(costs(s, sub)[14:]).To(Equal(list{"8.00", "9.00"}))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-01 issued 8.00", "2025-06-16 issued 1.00", "2025-07-01 issued 10.00", "2025-08-01 draft 10.00"}))
	})

	It("is credited where more units cost less, on no invoice", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.bulkSeats(1)
		s.clock("2025-06-16T00:00:00Z")
		s.quantity(sub, price, 4, object{"allow_invoice_credit_or_void": false}).refuse(400, "400-constraint-violation", "allow_invoice_credit_or_void")
		Expect(changed(s.quantity(sub, price, 4, nil).expect(200))).To(Equal([]string{"adjustment 1.00"}))
		Expect(costs(s, sub)[14:]).To(Equal(list{"10.00", "9.00"}))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-01 issued 10.00", "2025-07-01 issued 8.00", "2025-08-01 draft 8.00"}))
	})

	It("is charged for and credited in turn, and gives back the rest where the subscription ends", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.bulkSeats(4)
		s.clock("2025-06-16T00:00:00Z")
		Expect(changed(s.quantity(sub, price, 2, nil).expect(200))).To(Equal([]string{"2025-06-16 issued 6.00"})) // 12.00 * 15/30
		s.clock("2025-06-22T00:00:00Z")
		Expect(changed(s.quantity(sub, price, 3, nil).expect(200))).To(Equal([]string{"adjustment 4.20"})) // 14.00 * 9/30
		s.clock("2025-06-25T00:00:00Z")
		Expect(changed(s.cancel(sub, nil).expect(200))).To(Equal([]string{"adjustment 1.20"})) // 6.00 * 6/30
	})

	It("opens a draft for a day ahead where it will cost more, and none where it will cost less", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.bulkSeats(4)
		s.quantity(sub, price, 1, object{"effective_date": "2025-06-16"}).expect(200)
		s.quantity(sub, price, 5, object{"effective_date": "2025-06-22"}).expect(200) // the same as 1
		s.quantity(sub, price, 3, object{"effective_date": "2025-06-25"}).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-01 issued 8.00", "2025-06-16 draft 1.00", "2025-07-01 draft 6.00"}))
		unschedule := func() *answer {
			return s.post("/v1/subscriptions/"+sub+"/unschedule_fixed_fee_quantity_updates", object{"price_id": price})
		}
		unschedule().expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-01 issued 8.00", "2025-07-01 draft 8.00"}))
		s.quantity(sub, price, 1, object{"effective_date": "2025-06-16"}).expect(200)
		s.clock("2025-06-20T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-01 issued 8.00", "2025-06-16 issued 1.00", "2025-07-01 draft 10.00"}))
	})

	It("is credited as the invoice is issued that was a draft until then", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), nil, s.calls("1.00"), with(s.fee("20.00"), object{
			"name": "Seats", "fixed_price_quantity": 2, "model_type": "bulk", "unit_config": absent, "bulk_config": object{"tiers": list{
				object{"maximum_units": 2, "unit_amount": "10.00"}, object{"unit_amount": "2.00"},
			}},
		}))
		sub, price := after.text("id"), after.entry("price_intervals", 1).text("price.id")
		s.clock("2025-07-01T03:00:00Z")
		Expect(changed(s.quantity(sub, price, 3, nil).expect(200))).To(BeEmpty())
		s.clock("2025-07-01T12:00:00Z")
		month := s.invoices(sub).entry("data", 1)
		Expect(lines(month)).To(Equal([]string{"Calls 2025-06-01 to 2025-07-01: 0.00", "Seats 2025-07-01 to 2025-08-01: 20.00"}))
		Expect(month.each("credit_notes", "total")).To(Equal(list{"14.00"}))
	})

	It("counts days of the customer's calendar, over a change of the clock and at the end of a month", func() {
		s := newFixture("2025-03-01T08:00:00Z")
		after := s.subscribe(s.buyer(object{"timezone": "America/Los_Angeles"}), nil, with(s.fee("20.00"), object{
			"fixed_price_quantity": 4, "model_type": "bulk", "unit_config": absent, "bulk_config": object{"tiers": list{
				object{"maximum_units": 2, "unit_amount": "10.00"}, object{"unit_amount": "2.00"},
			}},
		}))
		sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
		s.quantity(sub, price, 2, object{"effective_date": "2025-03-09"}).expect(200)
		s.quantity(sub, price, 4, object{"effective_date": "2025-03-31"}).expect(200)
		s.clock("2025-04-01T07:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 8.00", "2025-03-09 issued 8.90", "2025-04-01 issued 8.00", "2025-05-01 draft 8.00", // 12.00 * 23/31
		}))
		Expect(s.get("/v1/credit_notes").expect(200).each("data", "total")).To(Equal(list{"0.39"})) // 12.00 * 1/31
	})

	DescribeTable("follows the amounts where an end was taken back, up to which the fee was charged",
		func(first, then int, bills, notes []string) {
			s := newFixture("2025-06-01T00:00:00Z")
			after := s.subscribe(s.buyer(nil), object{"end_date": "2025-06-19"}, with(s.fee("20.00"), object{
				"name": "Seats", "fixed_price_quantity": first, "model_type": "bulk", "unit_config": absent, "bulk_config": object{"tiers": list{
					object{"maximum_units": 2, "unit_amount": "10.00"}, object{"unit_amount": "2.00"},
				}},
			}))
			sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
			s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
			s.clock("2025-06-10T00:00:00Z")
			s.quantity(sub, price, then, nil).expect(200)
			s.clock("2025-07-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal(bills))
			Expect(s.get("/v1/credit_notes").expect(200).each("data", "total")).To(HaveExactElements(notes))
		},
		// 18 of 30 days, the difference for 9 of them, the other 12 days
		Entry("fewer units cost more", 4, 1, []string{
			"2025-06-01 issued 4.80", "2025-06-10 issued 0.60", "2025-06-19 issued 4.00", "2025-07-01 issued 10.00", "2025-08-01 draft 10.00",
		}, []string{}),
		Entry("more units cost less", 1, 4, []string{
			"2025-06-01 issued 6.00", "2025-06-19 issued 3.20", "2025-07-01 issued 8.00", "2025-08-01 draft 8.00",
		}, []string{"0.60"}),
	)

	It("gives back all lines where the plan changes", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.bulkSeats(4)
		s.clock("2025-06-16T00:00:00Z")
		s.quantity(sub, price, 1, nil).expect(200)
		s.clock("2025-06-22T00:00:00Z")
		next := s.plan(object{"prices": list{object{"price": with(s.fee("30.00"), object{"name": "Flat"})}}}).text("id")
		after := s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"plan_id": next, "change_option": "immediate"}).expect(200)
		Expect(changed(after)).To(Equal([]string{"2025-06-22 issued 9.00", "2025-07-01 draft 30.00", "adjustment 2.40", "adjustment 0.60"})) // 9 of 30 days of 8.00, 9 of 15 of 1.00
	})
})
