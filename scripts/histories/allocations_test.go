package main

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("allocations of the model", func() {
	var w *world
	var s *subscription
	var i *interval
	grant := func(from string, price priceSpec) {
		price.Name, price.Model, price.Advance, price.Credits = "Credits", "allocation", true, "credits"
		s, i = monthly(from, price)
		s.reduced = map[*interval]bool{}
		w = newWorld()
		w.subs[s.name], w.order, w.customers = s, []string{s.name}, map[string]*customer{s.customer.name: s.customer}
	}
	allocate := func(now string) (texts []string) {
		w.now = date(now)
		w.allocate(s.customer)
		for _, g := range s.grants {
			texts = append(texts, g.String())
		}
		return texts
	}

	It("grant each month, until its end", func() { // semantics AL-1
		grant("2025-06-01", priceSpec{Amount: "1000", Basis: "0", Expires: true})
		Expect(allocate("2025-07-01")).To(Equal([]string{
			"grant of 1000 from 2025-06-01T00:00:00Z until 2025-07-01T00:00:00Z", "grant of 1000 from 2025-07-01T00:00:00Z until 2025-08-01T00:00:00Z",
		}))
		Expect(show(s.customer.ledger("credits").balance(s.customer.zone, w.now))).To(Equal("1000"))
	})

	It("add up where they do not expire, and end with the subscription", func() { // semantics AL-2 and AL-4
		grant("2025-06-01", priceSpec{Amount: "1000", Basis: "0"})
		allocate("2025-07-01")
		Expect(show(s.customer.ledger("credits").balance(s.customer.zone, w.now))).To(Equal("2000"))
		s.to, i.to = date("2025-07-10").Add(9*time.Hour), date("2025-07-10").Add(9*time.Hour)
		allocate("2025-07-11")
		Expect(show(s.customer.ledger("credits").balance(s.customer.zone, w.now))).To(Equal("0"))
	})

	DescribeTable("give the smaller of two shares of the fee back",
		func(spent, refund string) {
			grant("2025-06-01", priceSpec{Amount: "1000", Basis: "0.05", Expires: true})
			allocate("2025-06-10")
			g := s.grants[0]
			g.block.take(rat(spent))
			s.to, i.to, g.ended = w.now, w.now, w.now
			s.takeBack(g)
			Expect(show(g.refund(g.takes[0]))).To(Equal(refund))
			Expect(show(s.customer.ledger("credits").left(g.block))).To(Equal("0"))
		},
		Entry("21 of 30 days are left", "100", "35"),
		Entry("600 credits are left", "400", "30"),
		Entry("a part of a credit is left", "999.7", "0.02"),
	)

	It("grant the difference where another price takes the place of one in the middle of a period", func() {
		grant("2025-06-01", priceSpec{Amount: "1000", Basis: "0.05"})
		allocate("2025-06-01")
		next := *i
		next.spec.Amount = "1500"
		i.to, next.from = date("2025-06-16"), date("2025-06-16")
		s.intervals = append(s.intervals, &next)
		Expect(allocate("2025-06-16")).To(HaveLen(2))
		Expect(show(s.grants[1].amount)).To(Equal("500"))
		Expect(show(s.grants[1].fee())).To(Equal("25"))
	})

	It("take back the difference, as far as it is unspent, and grant only what exceeds the rest", func() {
		grant("2025-06-01", priceSpec{Amount: "1000", Basis: "0.05"})
		allocate("2025-06-01")
		s.grants[0].block.take(rat("900"))
		less, more := *i, *i
		less.spec.Amount, more.spec.Amount = "600", "1200"
		i.to, less.from, less.to, more.from = date("2025-06-16"), date("2025-06-16"), date("2025-06-21"), date("2025-06-21")
		s.intervals = append(s.intervals, &less, &more)
		p, _ := s.pieceOf(s.grants[0])
		next, found := s.replacement(p)
		Expect(found).To(BeTrue())
		s.reduce(p, next)
		Expect(show(s.grants[0].takes[0].asked)).To(Equal("400"))
		Expect(show(s.grants[0].takes[0].taken)).To(Equal("100"))
		allocate("2025-06-21")
		Expect(show(s.grants[1].amount)).To(Equal("300")) // 1,200 less the 900 that were spent
	})
})
