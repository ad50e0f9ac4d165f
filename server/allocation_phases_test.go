package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The end of a phase is known from the start. The price of the phase ends within a period of its grants
// all the same, so the unspent credits are taken back and refunded then (semantics 11.2.5).
var _ = DescribeTable("The fee of an allocation is given back where its phase ends within a period",
	func(zone, start, before, end, refund string) {
		s := newFixture(start)
		customer := s.buyer(object{"timezone": zone})
		plan := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD",
			"plan_phases": list{object{"order": 1, "duration": 1, "duration_unit": "monthly"}, object{"order": 2}},
			"prices": list{
				with(paidCredits("1000", nil), object{"plan_phase_order": 1}),
				object{"price": s.calls("1"), "plan_phase_order": 2},
			},
		}).expect(201).text("id")
		sub := s.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan}).expect(201).text("id")
		s.clock(before)
		Expect(s.refunds(sub)).To(BeEmpty())
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "1000"}))
		s.clock(end)
		Expect(s.refunds(sub)).To(Equal([]string{refund}))
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "0"}))
	},
	Entry("12 of 31 days are left", "UTC", "2025-06-20T00:00:00Z", "2025-07-19T23:59:59Z", "2025-07-20T00:00:00Z", "19.35"),
	Entry("the last day of a month is left", "UTC", "2025-01-28T00:00:00Z", "2025-02-27T23:59:59Z", "2025-02-28T00:00:00Z", "1.79"),
	Entry("over a change of the clock", "America/New_York", "2025-02-12T05:00:00Z", "2025-03-12T03:59:59Z", "2025-03-12T04:00:00Z", "32.26"),
)
