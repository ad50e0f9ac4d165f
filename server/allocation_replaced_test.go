package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A price that takes the place of another in the middle of a period grants the difference
// alone, or takes back of what is unspent (semantics 11.2.5).
var _ = Describe("An allocation price that is replaced in the middle of a period", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-06-01T09:00:00Z") })

	// rent subscribes a new customer.
	rent := func(buyer object, first object) (customer, sub string) {
		GinkgoHelper()
		customer = s.buyer(buyer)
		return customer, s.subscribeTo(customer, nil, first, s.callsInCredits())
	}
	// replace lets another allocation price follow the present one on a day.
	replace := func(sub, day string, next object) {
		GinkgoHelper()
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": s.openAllocations(sub)[0], "end_date": day}},
			"add":  list{with(next, object{"start_date": day})},
		}).expect(200)
	}
	It("grants and charges the difference alone where it grants more", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		s.clock("2025-06-11T00:00:00Z")
		s.use(customer, "2025-06-11T00:00:00Z", "300")
		replace(sub, "2025-06-16", paidCredits("1500", nil))
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"700", "500"}))
		Expect(s.refunds(sub)).To(BeEmpty())
		Expect(s.bills(sub)).To(ContainElements("2025-06-01 issued 50.00", "2025-06-16 issued 25.00"))
		s.clock("2025-07-01T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "0", "1500"}))
		Expect(s.refunds(sub)).To(BeEmpty())
	})

	DescribeTable("takes back of what is unspent where it grants less",
		func(used, refund string, left ...string) {
			customer, sub := rent(nil, paidCredits("1000", nil))
			s.clock("2025-06-11T00:00:00Z")
			s.use(customer, "2025-06-11T00:00:00Z", used)
			replace(sub, "2025-06-16", paidCredits("600", nil))
			s.clock("2025-06-16T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(Equal(left))
			Expect(s.refunds(sub)).To(Equal([]string{refund}))
			s.clock("2025-06-20T12:00:00Z")
			s.use(customer, "2025-06-20T12:00:00Z", "1")
			s.clock("2025-07-03T00:00:00Z")
			Expect(s.refunds(sub)).To(Equal([]string{refund}))
			Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "600"}))
		},
		Entry("the difference, and the days that are left of its fee", "300", "10.00", "300"),
		Entry("no more than that, and no more than it cost", "900", "5.00", "0"),
	)

	It("grants nothing where it grants as much, also at another price", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		replace(sub, "2025-06-16", paidCredits("1000", object{"per_unit_cost_basis": "0.10"}))
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"1000"}))
		Expect(s.refunds(sub)).To(BeEmpty())
		Expect(s.bills(sub)).NotTo(ContainElement(HavePrefix("2025-06-16")))
		s.clock("2025-07-01T12:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-07-01 issued 100.00"))
	})

	It("takes the newest credits back where several prices follow each other, and the rest at the end", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		replace(sub, "2025-06-11", paidCredits("1500", nil))
		s.clock("2025-06-11T12:00:00Z")
		replace(sub, "2025-06-16", paidCredits("1200", nil))
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"1000", "200"}))
		Expect(s.refunds(sub)).To(Equal([]string{"11.25"})) // 15 of 20 days of 300 credits
		s.clock("2025-06-21T00:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "0"}))
		Expect(s.refunds(sub)).To(ConsistOf("11.25", "5.00", "16.67")) // 10 of 20 days of 200, 10 of 30 of 1,000
	})

	It("does so for credits that cost nothing, once", func() {
		free := object{"per_unit_cost_basis": absent}
		customer, sub := rent(nil, paidCredits("1000", free))
		replace(sub, "2025-06-11", paidCredits("600", free))
		s.clock("2025-06-11T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"600"}))
		s.clock("2025-06-12T12:00:00Z")
		replace(sub, "2025-06-16", paidCredits("700", free))
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"600", "100"}))
	})

	It("goes by local days across a change of the clock", func() {
		s = newFixture("2025-03-01T05:00:00Z")
		customer, sub := rent(object{"timezone": "America/New_York"}, paidCredits("1000", nil))
		replace(sub, "2025-03-12", paidCredits("600", nil))
		s.clock("2025-03-12T03:59:59Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"1000"}))
		s.clock("2025-03-12T04:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"600"}))
		Expect(s.refunds(sub)).To(Equal([]string{"12.90"})) // 20 of 31 days of 400 credits
	})

	It("is another grant where it grants another unit, or is for other items", func() {
		customer, sub := rent(nil, paidCredits("1000", nil))
		replace(sub, "2025-06-16", paidCredits("1500", object{"filters": list{filter("item_id", "includes", s.item)}}))
		s.clock("2025-06-16T12:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "1500"}))
		Expect(s.refunds(sub)).To(Equal([]string{"25.00"}))
	})

	DescribeTable("by a change of the plan is such a one, unless a period of its own begins with that",
		func(alignment string, left ...string) {
			customer, sub := rent(nil, paidCredits("1000", nil))
			s.clock("2025-06-11T00:00:00Z")
			s.use(customer, "2025-06-11T00:00:00Z", "300")
			next := s.plan(object{"prices": list{paidCredits("1500", nil), s.callsInCredits()}}).text("id")
			s.clock("2025-06-16T00:00:00Z")
			s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{
				"plan_id": next, "change_option": "immediate", "billing_cycle_alignment": alignment,
			}).expect(200)
			Expect(s.blocks(customer, "credits")).To(Equal(left))
		},
		Entry("it goes on", "unchanged", "700", "500"),
		Entry("it begins then", "plan_change_date", "0", "1500"),
	)
})
