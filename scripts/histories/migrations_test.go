package main

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("migrations of the model", func() {
	var s *subscription
	var i *interval
	var from, to *plan
	BeforeEach(func() {
		s, i = monthly("2025-03-01", priceSpec{Name: "Calls", Model: "unit", Metric: "sum", Amount: "1"})
		fee := priceSpec{Name: "Fee", Model: "unit", Cycle: cycle{Months: 1}, Amount: "62", Quantity: "1", Advance: true}
		calls := priceSpec{Name: "Calls 2", Model: "unit", Metric: "sum", Cycle: cycle{Months: 1}, Amount: "2"}
		from = &plan{id: "plan_1", version: 1, ids: map[string]string{"Calls": "price_1"}, prices: []priceSpec{i.spec}}
		to = &plan{id: "plan_1", version: 2, ids: map[string]string{"Calls 2": "price_2", "Fee": "price_3"}, prices: []priceSpec{calls, fee}, replaces: map[string]string{"Calls 2": "Calls"}}
	})
	texts := func() (all []string) {
		for _, i := range s.intervals {
			all = append(all, i.spec.Name+" from "+clock(i.from)+" to "+clock(i.to))
		}
		return all
	}

	It("end a price, begin the one in its place and the one that is added", func() {
		i.counted = []counting{{filter: "n > 5"}}
		s.migrate(from, to, "plan1@2", date("2025-03-11"))
		Expect(texts()).To(Equal([]string{
			"Calls 2 from 2025-03-11T00:00:00Z to open", "Calls from 2025-03-01T00:00:00Z to 2025-03-11T00:00:00Z", "Fee from 2025-03-11T00:00:00Z to open",
		}))
		Expect(s.intervals[0].counts(date("2025-03-12")).filter).To(Equal("n > 5"))
		Expect(s.planAt(date("2025-03-12"))).To(Equal("plan1@2"))
	})

	It("keep the end of a subscription", func() {
		s.to, i.to = date("2025-03-21"), date("2025-03-21")
		s.migrate(from, to, "plan1@2", date("2025-03-11"))
		Expect(texts()).To(Equal([]string{
			"Calls 2 from 2025-03-11T00:00:00Z to 2025-03-21T00:00:00Z", "Calls from 2025-03-01T00:00:00Z to 2025-03-11T00:00:00Z",
			"Fee from 2025-03-11T00:00:00Z to 2025-03-21T00:00:00Z",
		}))
	})

	It("bill what ended with the next regular invoice", func() { // semantics 5.2.8
		s.migrate(from, to, "plan1@2", date("2025-03-11"))
		p := s.pieces(i, date("2025-04-01"))
		Expect(p).To(HaveLen(1))
		Expect(clock(p[0].billed())).To(Equal("2025-04-01T00:00:00Z"))
	})

	It("are held by a coupon for a price that goes", func() { // semantics 5.2.7
		Expect(s.holds(from, to, date("2025-03-11"))).To(BeFalse())
		s.coupons = []redemption{{part: rat("0.2"), from: date("2025-03-01"), prices: []string{"price_1"}}}
		Expect(s.holds(from, to, date("2025-03-11"))).To(BeTrue())
		s.coupons[0].to = date("2025-03-11")
		Expect(s.holds(from, to, date("2025-03-11"))).To(BeFalse())
	})
})
