package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// seats subscribes to a fee for a quantity, and returns the subscription and the price.
func (s fixture) seats(quantity int, buyer, change object) (sub, price string) {
	GinkgoHelper()
	after := s.subscribe(s.buyer(buyer), nil, with(with(s.fee("20.00"), object{"name": "Seats", "fixed_price_quantity": quantity}), change))
	return after.text("id"), after.entry("price_intervals", 0).text("price.id")
}

// quantity asks for another quantity: now, or as change says.
func (a *api) quantity(sub, price string, quantity int, change object) *answer {
	GinkgoHelper()
	return a.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity",
		with(object{"price_id": price, "quantity": quantity}, change))
}

var _ = Describe("POST /v1/subscriptions/{subscription_id}/update_fixed_fee_quantity", func() {
	const refused = "400-constraint-violation"

	It("S-6: invoices more seats and credits fewer for the rest of the period", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, nil)
		s.collect(sub)
		s.clock("2025-06-16T00:00:00Z")
		after := s.quantity(sub, price, 10, nil).expect(200)
		Expect(changed(after)).To(Equal([]string{"2025-06-16 issued 50.00"}))
		Expect(lines(after.entry("changed_resources.created_invoices", 0))).To(Equal([]string{"Seats 2025-06-16 to 2025-07-01: 50.00"}))
		Expect(after.entry("changed_resources.created_invoices", 0).entry("line_items", 0).at("quantity")).To(Equal(json.Number("5")))
		s.clock("2025-06-21T00:00:00Z")
		after = s.quantity(sub, price, 6, nil).expect(200)
		Expect(changed(after)).To(Equal([]string{"adjustment 26.67"}))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-06-01 paid 100.00", "2025-06-16 issued 50.00", "2025-07-01 issued 120.00", "2025-08-01 draft 120.00",
		}))
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("fixed_fee_quantity_schedule")).To(Equal(list{
			object{"price_id": price, "quantity": json.Number("5"), "start_date": "2025-06-01T00:00:00+00:00", "end_date": "2025-06-16T00:00:00+00:00"},
			object{"price_id": price, "quantity": json.Number("10"), "start_date": "2025-06-16T00:00:00+00:00", "end_date": "2025-06-21T00:00:00+00:00"},
			object{"price_id": price, "quantity": json.Number("6"), "start_date": "2025-06-21T00:00:00+00:00", "end_date": nil},
		}))
	})

	It("credits fewer seats when their invoice is issued, if it was a draft until then", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), nil, s.calls("1.00"), with(s.fee("20.00"), object{"name": "Seats", "fixed_price_quantity": 5}))
		sub, price := after.text("id"), after.entry("price_intervals", 1).text("price.id")
		s.clock("2025-07-01T03:00:00Z") // in the grace period
		Expect(changed(s.quantity(sub, price, 7, nil).expect(200))).To(Equal([]string{"2025-07-01 issued 40.00"}))
		s.clock("2025-07-01T06:00:00Z")
		Expect(changed(s.quantity(sub, price, 2, nil).expect(200))).To(Equal([]string{"adjustment 40.00"}))
		s.clock("2025-07-01T12:00:00Z")
		month := s.invoices(sub).entry("data", 2)
		Expect(lines(month)).To(Equal([]string{"Calls 2025-06-01 to 2025-07-01: 0.00", "Seats 2025-07-01 to 2025-08-01: 100.00"}))
		Expect(month.each("credit_notes", "total")).To(Equal(list{"60.00"}))
		Expect(month.at("amount_due")).To(Equal("40.00"))
	})

	It("invoices more seats once, also when the invoice of their day is made anew", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), nil, s.calls("1.00"), with(s.fee("20.00"), object{"name": "Seats", "fixed_price_quantity": 5}))
		sub, calls, price := after.text("id"), after.entry("price_intervals", 0).text("id"), after.entry("price_intervals", 1).text("price.id")
		s.clock("2025-07-01T13:00:00Z") // after the grace period
		more := s.quantity(sub, price, 7, object{"effective_date": "2025-07-01"}).expect(200)
		Expect(changed(more)).To(Equal([]string{"2025-07-01 issued 40.00"}))
		anew := s.intervals(sub, edit(calls, object{"end_date": "2025-06-20"})).expect(200)
		Expect(changed(anew)).To(Equal([]string{"2025-06-20 paid 0.00", "2025-07-01 issued 100.00", "2025-07-01 void 100.00"}))
	})

	It("credits the newest lines first, up to what they have, one note for each invoice", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, nil)
		s.clock("2025-06-16T00:00:00Z")
		s.quantity(sub, price, 7, nil).expect(200)
		after := s.quantity(sub, price, 1, nil).expect(200) // at the same instant
		Expect(changed(after)).To(Equal([]string{"adjustment 40.00", "adjustment 20.00"}))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-06-01 issued 100.00", "2025-06-16 paid 20.00", "2025-07-01 issued 20.00", "2025-08-01 draft 20.00",
		}))
		Expect(s.cancel(sub, nil).expect(200).entry("changed_resources.created_credit_notes", 0).at("total")).To(Equal("19.35"))
	})

	It("gives back what a decrease has left, where the subscription ends then", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(10, nil, nil)
		s.clock("2025-06-16T00:00:00Z")
		Expect(changed(s.quantity(sub, price, 6, nil).expect(200))).To(Equal([]string{"adjustment 40.00"}))
		s.clock("2025-06-21T00:00:00Z")
		Expect(changed(s.cancel(sub, nil).expect(200))).To(Equal([]string{"adjustment 40.00"}))
	})

	Describe("on the boundary of a period", func() {
		It("bills the full new quantity", func() {
			s := newFixture("2025-06-01T00:00:00Z")
			sub, price := s.seats(5, nil, nil)
			s.quantity(sub, price, 6, object{"change_option": "upcoming_invoice"}).expect(200)
			Expect(s.bills(sub)[1]).To(Equal("2025-07-01 draft 120.00"))
			s.quantity(sub, price, 7, object{"change_option": "effective_date", "effective_date": "2025-07-01"}).expect(200)
			Expect(s.bills(sub)[1]).To(Equal("2025-07-01 draft 140.00"))
			Expect(s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 0).at("fixed_fee_quantity_transitions")).To(Equal(list{
				object{"price_id": price, "quantity": json.Number("7"), "effective_date": "2025-07-01T00:00:00+00:00"},
			}))
		})

		It("bills the difference beside what was issued at the very instant", func() {
			s := newFixture("2025-06-01T00:00:00Z")
			sub, price := s.seats(5, nil, nil)
			after := s.quantity(sub, price, 6, nil).expect(200)
			Expect(changed(after)).To(Equal([]string{"2025-06-01 issued 20.00"}))
			Expect(after.entry("changed_resources.created_invoices", 0).at("invoice_date")).To(Equal("2025-06-01T00:00:00+00:00"))
			after = s.quantity(sub, price, 8, nil).expect(200)
			Expect(changed(after)).To(Equal([]string{"2025-06-01 issued 40.00"}))
			Expect(after.each("fixed_fee_quantity_schedule", "quantity")).To(Equal(list{json.Number("8")}))
			after = s.quantity(sub, price, 5, nil).expect(200)
			Expect(changed(after)).To(Equal([]string{"adjustment 20.00", "adjustment 40.00"}))
		})
	})

	It("changes on a day ahead, when that comes", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, nil)
		s.quantity(sub, price, 10, object{"effective_date": "2025-06-16"}).expect(200)
		after := s.quantity(sub, price, 6, object{"effective_date": "2025-06-21"}).expect(200)
		Expect(changed(after)).To(BeEmpty())
		Expect(s.bills(sub)[1]).To(Equal("2025-06-16 draft 50.00"))
		s.clock("2025-06-20T00:00:00Z")
		Expect(s.bills(sub)[1]).To(Equal("2025-06-16 issued 50.00"))
		Expect(s.invoices(sub).each("data", "amount_due")).To(ConsistOf("100.00", "50.00", "120.00"))
		s.clock("2025-06-21T00:00:00Z")
		Expect(s.invoices(sub).each("data", "amount_due")).To(ConsistOf("100.00", "23.33", "120.00"))
	})

	It("returns to the quantity that was set for a day ahead, also when it was the present one then", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(4, nil, nil)
		s.quantity(sub, price, 4, object{"effective_date": "2025-06-22"}).expect(200)
		s.quantity(sub, price, 7, object{"effective_date": "2025-06-16"}).expect(200)
		s.clock("2025-07-01T00:00:00Z")
		// 4 at 20.00, 3 more for 15 of 30 days, 3 fewer for 9 of them, then 4
		Expect(s.invoices(sub).each("data", "total")).To(ConsistOf("80.00", "30.00", "80.00", "80.00"))
		notes := s.get("/v1/credit_notes").expect(200)
		Expect(notes.each("data", "total")).To(Equal(list{"18.00"}))
	})

	It("bills quantities of a fee in arrears by their days", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, object{"billed_in_advance": false})
		s.clock("2025-06-16T10:00:00Z")
		Expect(changed(s.quantity(sub, price, 10, nil).expect(200))).To(BeEmpty())
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(sub)[0]).To(Equal("2025-07-01 issued 150.00"))
		Expect(lines(s.invoices(sub).entry("data", 1))).To(Equal([]string{"Seats 2025-06-01 to 2025-07-01: 150.00"}))
	})

	It("charges the difference of two prices where they are not in proportion", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, object{"model_type": "tiered", "unit_config": absent, "tiered_config": object{"tiers": list{
			object{"first_unit": 0, "last_unit": 6, "unit_amount": "20.00"}, object{"first_unit": 6, "unit_amount": "5.00"},
		}}})
		s.clock("2025-06-16T00:00:00Z")
		Expect(changed(s.quantity(sub, price, 10, nil).expect(200))).To(Equal([]string{"2025-06-16 issued 20.00"})) // (20 + 4*5)/2
	})

	It("discounts a difference by percentages, and gives back as much", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		s.coupon(percent("A", "0.5"), nil)
		after := s.subscribe(s.buyer(nil), object{"coupon_redemption_code": "A"}, with(s.fee("20.00"), object{"fixed_price_quantity": 5}))
		sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
		s.clock("2025-06-16T00:00:00Z")
		Expect(changed(s.quantity(sub, price, 10, nil).expect(200))).To(Equal([]string{"2025-06-16 issued 25.00"}))
		Expect(changed(s.quantity(sub, price, 6, nil).expect(200))).To(Equal([]string{"adjustment 20.00"}))
	})

	It("shows costs with what was added and taken off", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, nil)
		s.clock("2025-06-16T00:00:00Z")
		s.quantity(sub, price, 10, nil).expect(200)
		s.clock("2025-06-21T00:00:00Z")
		s.quantity(sub, price, 6, nil).expect(200)
		totals := s.get("/v1/subscriptions/"+sub+"/costs").expect(200).each("data", "total")
		Expect(totals[14:17]).To(Equal(list{"100.00", "150.00", "150.00"}))
		Expect(totals[20]).To(Equal("123.33"))
	})

	DescribeTable("counts days of the customer's calendar",
		func(zone, month, day, total string) {
			s := newFixture(month + "T12:00:00Z")
			sub, price := s.seats(1, object{"timezone": zone}, nil)
			after := s.quantity(sub, price, 2, object{"effective_date": day}).expect(200)
			Expect(s.bills(sub)).To(ContainElement(HaveSuffix(" draft "+total)), after.text("id"))
		},
		Entry("over a spring change", "America/Los_Angeles", "2025-03-01", "2025-03-09", "14.84"),
		Entry("over an autumn change", "America/New_York", "2025-11-01", "2025-11-16", "10.00"),
		Entry("in a month of 28 days", "UTC", "2025-02-01", "2025-02-15", "10.00"),
		Entry("on the last day of a month", "UTC", "2025-01-01", "2025-01-31", "0.65"),
	)

	It("takes a quantity of 0", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, nil)
		Expect(changed(s.quantity(sub, price, 0, nil).expect(200))).To(Equal([]string{"adjustment 100.00"}))
		Expect(s.bills(sub)[1]).To(Equal("2025-07-01 draft 0.00"))
	})

	It("is refused where it may not credit, for a subscription that has ended, and behind changes", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, nil)
		s.clock("2025-06-16T00:00:00Z")
		s.quantity(sub, price, 4, object{"allow_invoice_credit_or_void": false}).refuse(400, refused, "allow_invoice_credit_or_void")
		s.quantity(sub, price, 6, object{"allow_invoice_credit_or_void": false}).expect(200)
		s.quantity(sub, price, 7, object{"effective_date": "2025-06-10"}).invalid("effective_date: must not be before a change")
		s.quantity(sub, price, 7, object{"effective_date": "2025-05-31"}).invalid("effective_date: must not be before the start")
		s.cancel(sub, nil).expect(200)
		s.quantity(sub, price, 7, nil).refuse(400, refused, "has ended")
	})

	DescribeTable("refuses requests that are wrong in themselves",
		func(change object, violations ...string) {
			s := newFixture("2025-06-01T00:00:00Z")
			sub, price := s.seats(5, nil, nil)
			s.quantity(sub, price, 7, change).invalid(violations...)
		},
		Entry("a negative quantity", object{"quantity": -1}, "quantity: must not be negative"),
		Entry("no quantity", object{"quantity": absent}, "quantity: is required"),
		Entry("another option", object{"change_option": "soon"}, "change_option: "),
		Entry("a date without its option", object{"change_option": "immediate", "effective_date": "2025-06-16"}, "effective_date: must not be given"),
		Entry("the option without its date", object{"change_option": "effective_date"}, "effective_date: is required"),
		Entry("another member", object{"reason": "x"}, "reason: is not a field"),
	)

	It("refuses a price that the subscription does not have", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, _ := s.seats(5, nil, nil)
		s.quantity(sub, "nope", 7, nil).refuse(400, refused, "price_id: must be a price of the subscription")
	})

	It("refuses a usage price", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), nil, s.calls("1.00"))
		s.quantity(after.text("id"), after.entry("price_intervals", 0).text("price.id"), 7, nil).invalid("price_id: must be a fixed fee")
		s.quantity("nope", "nope", 7, nil).refuse(404, "404-resource-not-found", "Subscription")
	})
})

var _ = Describe("POST /v1/subscriptions/{subscription_id}/unschedule_fixed_fee_quantity_updates", func() {
	It("takes back the changes that lie ahead", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		sub, price := s.seats(5, nil, nil)
		unschedule := func() *answer {
			return s.post("/v1/subscriptions/"+sub+"/unschedule_fixed_fee_quantity_updates", object{"price_id": price})
		}
		unschedule().refuse(400, "400-constraint-violation", "no change")
		s.quantity(sub, price, 6, nil).expect(200)
		s.quantity(sub, price, 10, object{"effective_date": "2025-06-16"}).expect(200)
		s.quantity(sub, price, 9, object{"effective_date": "2025-07-01"}).expect(200)
		after := unschedule().expect(200)
		Expect(after.entry("price_intervals", 0).each("fixed_fee_quantity_transitions", "quantity")).To(Equal(list{json.Number("6")}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-01 issued 100.00", "2025-06-01 issued 20.00", "2025-07-01 draft 120.00"}))
		s.post("/v1/subscriptions/"+sub+"/unschedule_fixed_fee_quantity_updates", object{"price_id": "nope"}).refuse(400, "400-constraint-violation", "price_id: must be a price")
	})
})
