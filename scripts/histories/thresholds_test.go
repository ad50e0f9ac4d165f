package main

import (
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Semantics S-8: a threshold of 10.00 at 0.40 a unit. 26 units by day 5 are a partial invoice of
// 10.40; 20 more make a line of 18.40, of which 8.00 are left.
var _ = Describe("invoicing thresholds of the model", func() {
	check := func(partial, partially, rest string) error {
		r := newRun(nil)
		s, _ := monthly("2025-03-01", priceSpec{Name: "Calls", Model: "unit", Metric: "sum", Amount: "0.40"})
		s.threshold = rat("10")
		r.w.now = date("2025-03-20")
		r.w.plans["plan1"] = &plan{}
		r.w.subs["sub1"], r.w.order = s, []string{"sub1"}
		bill := func(id, status, source, to, amount, partially string) {
			v := &invoice{id: id, status: status, source: source, sub: "sub_1", total: rat(amount)}
			zero := new(big.Rat)
			v.lines = []*line{{invoice: v, price: "price_1", from: date("2025-03-01"), to: date(to), quantity: zero, subtotal: zero, adjusted: zero, credits: zero,
				amount: rat(amount), partially: rat(partially)}}
			r.books.invoices[id], r.books.order = v, append(r.books.order, id)
		}
		r.books.invoices = map[string]*invoice{}
		bill("a", "issued", "partial", "2025-03-05", partial, "0")
		bill("b", "draft", "subscription", "2025-04-01", rest, partially)
		return r.thresholds(s)
	}

	It("find nothing where the invoice of the period takes off what was billed", func() {
		Expect(check("10.40", "10.40", "8.00")).To(Succeed())
	})

	DescribeTable("find", func(partial, partially, rest string) {
		Expect(check(partial, partially, rest)).NotTo(Succeed())
	},
		Entry("a partial invoice below the threshold", "9.99", "9.99", "8.00"),
		Entry("less taken off than was billed", "10.40", "10.39", "8.00"),
		Entry("nothing taken off", "10.40", "0", "8.00"),
		Entry("as much as the threshold left", "10.40", "10.40", "10.00"),
	)
})
