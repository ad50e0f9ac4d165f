package main

import (
	"math/big"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The worked examples of price models 6.5 and 6.7, as the model compares documents with them.
var _ = Describe("adjustments of a period in the model", func() {
	var r *run
	var s *subscription
	var calls, keys *interval
	// quarterly has two prices of a quarter that are invoiced monthly, under adjustments of the plan.
	quarterly := func(adjust ...adjustment) {
		s, calls = monthly("2025-01-01", priceSpec{Name: "Calls", Model: "unit", Metric: "sum", Amount: "1"})
		calls.spec.Cycle, calls.spec.Invoiced = cycle{Months: 3}, &cycle{Months: 1}
		other := *calls
		keys = &other
		keys.spec.Name, keys.price = "Keys", "price_2"
		s.intervals = append(s.intervals, keys)
		r = newRun(nil)
		r.books.invoices = map[string]*invoice{}
		r.w.customers["customer1"], r.w.subs["sub1"], r.w.order = s.customer, s, []string{"sub1"}
		r.w.plans["plan1"] = &plan{adjust: adjust}
		r.w.now = date("2025-04-01")
	}
	// bill adds an invoice with what was used to date and what adjustments left of it, by price, and compares.
	bill := func(on string, used, left map[*interval]string) error {
		v := &invoice{id: on, sub: s.id, source: "subscription", status: "draft", date: date(on)}
		for _, i := range []*interval{calls, keys} {
			for _, p := range s.pieces(i, v.date) {
				if i.spec.Metric == "" && !p.from.Equal(v.date) || i.spec.Metric != "" && !p.to.Equal(v.date) || used[i] == "" {
					continue
				}
				v.lines = append(v.lines, &line{invoice: v, price: i.price, name: i.spec.Name, from: p.since, to: p.to, currency: "USD", quantity: new(big.Rat), subtotal: rat(used[i]), adjusted: rat(left[i])})
			}
		}
		r.books.order = append(r.books.order, on)
		r.books.invoices[on] = v
		return r.adjusted(v)
	}
	both := func(a, b string) map[*interval]string { return map[*interval]string{calls: a, keys: b} }

	It("wait for the last document of a quarter where they are a minimum: 430.00, 30.00, 440.00", func() { // 6.7.11
		quarterly(adjustment{Kind: "minimum", Amount: "900.00", Prices: []string{"Calls", "Keys"}})
		Expect(bill("2025-02-01", both("400", "30"), both("400", "30"))).To(Succeed())
		Expect(bill("2025-03-01", both("420", "40"), both("420", "40"))).To(Succeed())
		Expect(bill("2025-04-01", both("450", "50"), both("750", "150"))).To(Succeed()) // 400.00 more, as 30.00 and 10.00
	})

	It("find a cent too much", func() {
		quarterly(adjustment{Kind: "minimum", Amount: "900.00", Prices: []string{"Calls", "Keys"}})
		Expect(bill("2025-02-01", both("400", "30"), both("400", "30"))).To(Succeed())
		Expect(bill("2025-03-01", both("420", "40"), both("420", "40.01"))).To(MatchError(ContainSubstring("expected 40")))
	})

	It("work in full from the first document on where they are a maximum: 300.00, 0.00, 0.00", func() { // 6.7.8
		quarterly(adjustment{Kind: "maximum", Amount: "300.00", Prices: []string{"Calls", "Keys"}})
		Expect(bill("2025-02-01", both("400", "30"), both("279.07", "20.93"))).To(Succeed())
		Expect(bill("2025-03-01", both("420", "40"), both("279.07", "20.93"))).To(Succeed())
	})

	It("take the amount of a coupon off once, by the days of the period", func() { // 6.7.2
		quarterly()
		for _, i := range s.intervals {
			i.from, i.spec.Cycle, i.spec.Invoiced = date("2025-06-16"), cycle{Months: 1}, nil
		}
		s.coupons = []redemption{{amount: rat("15"), from: date("2025-06-16"), prices: []string{"price_1", "price_2"}}}
		Expect(bill("2025-07-01", both("30", "50"), both("27.19", "45.31"))).To(Succeed()) // 7.50 of 15 of 30 days
		keys.spec.Metric, keys.spec.Advance, keys.spec.Quantity = "", true, "1"
		Expect(bill("2025-08-01", map[*interval]string{calls: "100"}, map[*interval]string{calls: "85"})).To(Succeed())
	})

	It("are counted where the model does not decide them", func() {
		quarterly(adjustment{Kind: "minimum", Amount: "900.00", Prices: []string{"Calls", "Keys"}})
		s.migrated = date("2025-01-10")
		Expect(bill("2025-04-01", both("450", "50"), both("1", "1"))).To(Succeed())
		Expect(r.known.undecided).To(HaveLen(1))
	})
})
