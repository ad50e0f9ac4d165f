package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// ramp subscribes a customer to three phases: two months at 31, one at 62 and 93 for ever
// or, if it ends, for a month. It begins at the clock's instant, and so do its cycles.
func (s fixture) ramp(buyer object, ends bool) string {
	GinkgoHelper()
	third := object{"order": 3}
	if ends {
		third = object{"order": 3, "duration": 1, "duration_unit": "monthly"}
	}
	plan := s.post("/v1/plans", object{
		"name": "Ramp", "currency": "USD",
		"plan_phases": list{
			object{"order": 1, "duration": 2, "duration_unit": "monthly"}, object{"order": 2, "duration": 1, "duration_unit": "monthly"}, third,
		},
		"prices": list{
			object{"price": s.fee("31.00"), "plan_phase_order": 1}, object{"price": s.fee("62.00"), "plan_phase_order": 2},
			object{"price": s.fee("93.00"), "plan_phase_order": 3},
		},
	}).expect(201).text("id")
	return s.post("/v1/subscriptions", object{"customer_id": s.buyer(buyer), "plan_id": plan}).expect(201).text("id")
}

var _ = Describe("POST /v1/subscriptions/{subscription_id}/trigger_phase", func() {
	const refused = "400-constraint-violation"
	trigger := func(s fixture, sub string, body object) *answer {
		GinkgoHelper()
		return s.post("/v1/subscriptions/"+sub+"/trigger_phase", body)
	}

	It("begins the next phase today, and the ones after it as much earlier", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.ramp(nil, false)
		s.clock("2025-03-11T15:00:00Z")
		after := trigger(s, sub, object{}).expect(200)
		Expect(after.at("active_plan_phase_order")).To(Equal(json.Number("2")))
		Expect(after.each("price_intervals", "start_date")).To(Equal(list{
			"2025-03-01T00:00:00+00:00", "2025-03-11T00:00:00+00:00", "2025-04-11T00:00:00+00:00",
		}))
		Expect(after.each("price_intervals", "end_date")).To(Equal(list{"2025-03-11T00:00:00+00:00", "2025-04-11T00:00:00+00:00", nil}))
		Expect(changed(after)).To(Equal([]string{"2025-03-11 issued 42.00", "adjustment 21.00"}))
		s.clock("2025-05-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 31.00", "2025-03-11 issued 42.00", "2025-04-01 issued 20.67", "2025-04-11 issued 62.00",
			"2025-05-01 issued 93.00", "2025-06-01 draft 93.00",
		}))
	})

	It("begins it with the quantity that its fee is to begin with", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.ramp(nil, false)
		second := s.get("/v1/subscriptions/" + sub).expect(200).at("price_intervals[1].price.id")
		s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": second, "quantity": 3}).expect(200)
		s.clock("2025-03-11T15:00:00Z")
		after := trigger(s, sub, object{}).expect(200)
		Expect(after.at("price_intervals[1].fixed_fee_quantity_transitions[0].effective_date")).To(Equal("2025-03-11T00:00:00+00:00"))
		Expect(changed(after)).To(Equal([]string{"2025-03-11 issued 126.00", "adjustment 21.00"}))
	})

	It("leaves the last phase open-ended that the taking back of a cancellation has left so", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.ramp(nil, true)
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "requested_date", "cancellation_date": "2025-05-11"}).expect(200)
		left := s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", object{}).expect(200)
		Expect(left.at("end_date")).To(BeNil())
		Expect(left.each("price_intervals", "end_date")).To(Equal(list{"2025-05-01T00:00:00+00:00", nil}))
		s.clock("2025-03-11T15:00:00Z")
		after := trigger(s, sub, object{}).expect(200)
		Expect(after.at("end_date")).To(BeNil())
		Expect(after.each("price_intervals", "end_date")).To(Equal(list{"2025-03-11T00:00:00+00:00", nil}))
	})

	It("begins it on a day ahead, up to which the present one is charged", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.ramp(nil, true)
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("end_date")).To(Equal("2025-07-01T00:00:00+00:00"))
		after := trigger(s, sub, object{"effective_date": "2025-04-11"}).expect(200)
		Expect(after.at("end_date")).To(Equal("2025-06-11T00:00:00+00:00"))
		Expect(changed(after)).To(BeEmpty())
		s.clock("2025-07-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 31.00", "2025-04-01 issued 10.33", "2025-04-11 issued 41.33", "2025-05-01 issued 20.00",
			"2025-05-11 issued 63.00", "2025-06-01 issued 31.00",
		}))
	})

	It("leaves a cancellation where it is", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.ramp(nil, false)
		s.cancel(sub, asOf("2025-05-15")).expect(200)
		after := trigger(s, sub, object{"effective_date": "2025-04-01"}).expect(200)
		Expect(after.at("end_date")).To(Equal("2025-05-15T00:00:00+00:00"))
		s.clock("2025-06-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 62.00", "2025-05-01 issued 28.00"}))
	})

	It("takes a day of the customer's calendar, where the clock changes", func() {
		s := newFixture("2025-03-01T12:00:00Z")
		sub := s.ramp(object{"timezone": "America/Los_Angeles"}, false)
		s.clock("2025-03-31T06:30:00Z") // still the 30th there
		after := trigger(s, sub, object{}).expect(200)
		Expect(after.entry("price_intervals", 1).at("start_date")).To(Equal("2025-03-30T07:00:00+00:00"))
		Expect(after.entry("price_intervals", 2).at("start_date")).To(Equal("2025-04-30T07:00:00+00:00"))
	})

	It("is refused without a next phase, outside of the present one, and where it may not credit", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		plain := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		trigger(s, plain, object{}).refuse(400, refused, "no phase")
		sub := s.ramp(nil, false)
		trigger(s, sub, object{"effective_date": "2025-05-01"}).invalid("effective_date: must lie in the present phase")
		trigger(s, sub, object{"effective_date": "2025-02-28"}).invalid("effective_date: must lie in the present phase")
		trigger(s, sub, object{"effective_date": "soon"}).invalid("effective_date: ")
		s.clock("2025-03-11T00:00:00Z")
		trigger(s, sub, object{"allow_invoice_credit_or_void": false}).refuse(400, refused, "allow_invoice_credit_or_void")
		trigger(s, sub, object{}).expect(200)
		trigger(s, sub, object{}).expect(200) // a phase without a day is left at once
		trigger(s, sub, object{}).refuse(400, refused, "last phase")
		trigger(s, "nope", object{}).refuse(404, "404-resource-not-found", "Subscription")
	})
})
