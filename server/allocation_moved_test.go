package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// What was taken back as one price took the place of another is taken back once, also where the day
// of that turns out to be another one (semantics 11.2.5).
var _ = Describe("An allocation price that replaces another one on another day than it did", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-06-01T09:00:00Z") })

	grants := func(amount string) object {
		return object{"allocation_price": object{
			"amount": amount, "currency": "credits", "cadence": "monthly", "expires_at_end_of_cadence": true, "per_unit_cost_basis": "0.05",
		}}
	}
	// allocations are the ids of the intervals of allocation prices, by their start.
	allocations := func(sub string) (ids []string) {
		GinkgoHelper()
		all := s.get("/v1/subscriptions/" + sub).expect(200)
		for k := range all.list("price_intervals") {
			if i := all.entry("price_intervals", k); i.at("price.credit_allocation") != nil {
				ids = append(ids, i.text("id"))
			}
		}
		return ids
	}
	rent := func() (customer, sub string) {
		GinkgoHelper()
		customer = s.buyer(nil)
		plan := s.plan(object{"prices": list{grants("1000")}}).text("id")
		sub = s.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan}).expect(201).text("id")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": allocations(sub)[0], "end_date": "2025-06-16"}},
			"add":  list{with(grants("600"), object{"start_date": "2025-06-16"})},
		}).expect(200)
		return customer, sub
	}
	move := func(sub, day string) {
		GinkgoHelper()
		ids := allocations(sub)
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{"edit": list{
			object{"price_interval_id": ids[0], "end_date": day}, object{"price_interval_id": ids[1], "start_date": day},
		}}).expect(200)
	}
	refunds := func() list {
		GinkgoHelper()
		return s.get("/v1/credit_notes").expect(200).each("data", "total")
	}

	DescribeTable("takes the difference back once, and refunds what its days are worth more",
		func(day string, notes ...any) {
			customer, sub := rent()
			s.clock("2025-06-17T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(Equal([]string{"600"}))
			Expect(refunds()).To(Equal(list{"10.00"})) // 400 credits for 15 of 30 days
			move(sub, day)
			Expect(s.blocks(customer, "credits")).To(Equal([]string{"600"}))
			s.clock("2025-06-25T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(Equal([]string{"600"}))
			Expect(refunds()).To(ConsistOf(notes...))
			s.clock("2025-07-01T12:00:00Z")
			Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "600"}))
		},
		Entry("an earlier one", "2025-06-10", "10.00", "4.00"), // 14.00 for 21 days
		Entry("a later one that is past", "2025-06-17", "10.00"),
		Entry("a later one that is ahead", "2025-06-20", "10.00"),
	)

	It("gives the rest back where it ends then", func() {
		customer, sub := rent()
		s.clock("2025-06-17T12:00:00Z")
		move(sub, "2025-06-10")
		s.clock("2025-06-21T00:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}).expect(200)
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0"}))
		Expect(refunds()).To(ConsistOf("10.00", "4.00", "10.00")) // 600 credits for 10 of 30 days
	})

	It("counts local days across a change of the clock", func() {
		s = newFixture("2025-03-01T05:00:00Z")
		customer := s.buyer(object{"timezone": "America/New_York"})
		plan := s.plan(object{"prices": list{grants("1000")}}).text("id")
		sub := s.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan}).expect(201).text("id")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": allocations(sub)[0], "end_date": "2025-03-12"}},
			"add":  list{with(grants("600"), object{"start_date": "2025-03-12"})},
		}).expect(200)
		s.clock("2025-03-12T04:00:00Z")
		move(sub, "2025-03-05")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"600"}))
		Expect(refunds()).To(ConsistOf("12.90", "4.52")) // 20 of 31 days of 20.00, then 27
		s.clock("2025-04-01T04:00:00Z")
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "600"}))
	})
})
