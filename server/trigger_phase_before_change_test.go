package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A change of the plan that lies ahead ends the phases of the plan before it, whenever those begin.
var _ = Describe("Triggering a phase while a change of the plan lies ahead", func() {
	It("leaves the change where it is: no price of the plan before it is billed beyond", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.ramp(nil, false)
		next := s.plan(nil, with(s.fee("310.00"), object{"name": "Next"})).text("id")
		s.move(sub, next, with(onDate("2025-04-16"), nil)).expect(200)
		s.clock("2025-03-11T15:00:00Z")
		after := s.post("/v1/subscriptions/"+sub+"/trigger_phase", object{}).expect(200)
		Expect(spans(after)).To(ConsistOf("Fee 2025-03-01 to 2025-03-11", "Fee 2025-03-11 to 2025-04-11", "Fee 2025-04-11 to 2025-04-16", "Next 2025-04-16 to on"))
		s.clock("2025-05-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 31.00", "2025-03-11 issued 42.00", "2025-04-01 issued 20.67", "2025-04-11 issued 15.50",
			"2025-04-16 issued 155.00", "2025-05-01 issued 310.00", "2025-06-01 draft 310.00",
		}))
	})
})
