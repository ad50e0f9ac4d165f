package main

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// price models 5.4.
var _ = Describe("a fee in arrears of the model", func() {
	It("is rounded once, however often its quantity changes", func() {
		r := newRun(nil)
		s, i := monthly("2025-03-01", priceSpec{Name: "Seats", Model: "unit", Amount: "10.00", Quantity: "1"})
		i.set(parseDay("2025-03-11"), rat("2"))
		i.set(parseDay("2025-03-21"), rat("3"))
		r.w.now = date("2025-04-02")
		billed := func(amount string) error {
			p := s.pieces(i, date("2025-03-31"))[0]
			v := &invoice{id: "inv_1", status: "draft", source: "subscription", date: p.to}
			return r.piece(p, []*line{{
				invoice: v, price: i.price, from: p.from, to: p.to, quantity: rat("3"), subtotal: rat(amount), adjusted: rat(amount), credits: rat("0"),
			}})
		}
		Expect(billed("20.32")).To(Succeed()) // 10 days of 1, 10 of 2 and 11 of 3, of 31
		Expect(billed("20.33")).To(MatchError(ContainSubstring("expected 20.32")))
	})
})
