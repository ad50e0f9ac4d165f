package main

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// price models 5.6.
var _ = Describe("prices of the model that are invoiced several times in a cycle", func() {
	yearly := func(p priceSpec, every cycle) (*subscription, *interval) {
		s, i := monthly("2025-01-01", p)
		i.spec.Cycle, i.spec.Invoiced = cycle{Months: 12}, &every
		return s, i
	}

	It("cut a fee of 1000.00 into 83.33, 83.34, 83.33 and so on, 1000.00 in sum", func() {
		s, i := yearly(priceSpec{Name: "Fee", Model: "unit", Amount: "1000", Quantity: "1", Advance: true}, cycle{Months: 1})
		sum := rat("0")
		var first []string
		for _, p := range s.pieces(i, date("2025-12-31")) {
			if sum = add(sum, p.instalment()); len(first) < 3 {
				first = append(first, show(p.instalment()))
			}
		}
		Expect(first).To(Equal([]string{"83.33", "83.34", "83.33"}))
		Expect(show(sum)).To(Equal("1000"))
	})

	It("charge a part of one by its days where the price begins within it", func() {
		s, i := yearly(priceSpec{Name: "Fee", Model: "unit", Amount: "1200", Quantity: "1", Advance: true}, cycle{Months: 3})
		i.from = date("2025-03-02")
		p := s.pieces(i, date("2025-04-01"))
		Expect(p).To(HaveLen(2))
		Expect(show(p[0].instalment())).To(Equal("100")) // 30 of 90 days of 300.00
		Expect(show(cents(p[0].fee()))).To(Equal("100"))
		Expect(show(p[1].instalment())).To(Equal("300"))
	})

	It("rate usage from the start of the cycle on, and know what earlier invoices have of it", func() {
		s, i := yearly(priceSpec{Name: "Calls", Model: "tiered", Metric: "sum", Amount: "1.00", Bound: "100", Above: "0.50"}, cycle{Months: 1})
		w := newWorld()
		w.came(eventSpec{Key: "a", Customer: "customer1", At: "2025-01-10T00:00:00Z", N: "60"}, nil)
		w.came(eventSpec{Key: "b", Customer: "customer1", At: "2025-02-10T00:00:00Z", N: "90"}, nil)
		p := s.pieces(i, date("2025-02-20"))
		Expect(p).To(HaveLen(2))
		Expect(show(w.used(p[0], p[0].to))).To(Equal("60"))
		Expect(show(w.used(p[1], p[1].to))).To(Equal("125"))
		Expect(clock(p[1].from)).To(Equal("2025-02-01T00:00:00Z"))
		Expect(clock(p[1].since)).To(Equal("2025-01-01T00:00:00Z"))
	})

	It("wait for the next invoice where they end within one and may wait", func() { // semantics 6.2.8
		s, i := monthly("2025-01-01", priceSpec{Name: "Calls", Model: "unit", Metric: "sum", Amount: "1"})
		i.to, i.deferred = date("2025-01-15"), true
		Expect(clock(s.pieces(i, date("2025-02-01"))[0].billed())).To(Equal("2025-02-01T00:00:00Z"))
		s.to = date("2025-01-20")
		Expect(clock(s.pieces(i, date("2025-02-01"))[0].billed())).To(Equal("2025-01-20T00:00:00Z"))
	})
})

var _ = Describe("the conversion of credits in the model", func() {
	It("runs tiers over what is left, and rounds once", func() { // price models 7.2
		p := priceSpec{Conversion: "0.10", UpTo: "50", Beyond: "0.08"}
		Expect(show(p.converted(rat("75.5")))).To(Equal("7.04"))
		Expect(show(p.converted(rat("50")))).To(Equal("5"))
		Expect(show(p.converted(rat("0")))).To(Equal("0"))
		p.UpTo = ""
		Expect(show(p.converted(rat("75.5")))).To(Equal("7.55"))
	})
})

var _ = Describe("adjustments that were added to a subscription of the model", func() {
	It("work on usage of periods that end in their time, or with it", func() { // semantics 6.3.7
		s, i := monthly("2025-01-01", priceSpec{Name: "Calls", Model: "unit", Metric: "sum", Amount: "1"})
		a := &ownAdjustment{price: "price_1", from: date("2025-02-01"), to: date("2025-04-01")}
		var covered []time.Month
		for _, p := range s.pieces(i, date("2025-06-01")) {
			if a.covers(p) {
				covered = append(covered, p.from.Month())
			}
		}
		Expect(covered).To(Equal([]time.Month{time.February, time.March}))
	})

	It("end with what they adjust, and go on where that does", func() { // semantics 6.3.3
		s, _ := monthly("2025-01-01", priceSpec{Name: "Calls", Model: "unit", Metric: "sum", Amount: "1"})
		s.adjusts = []*ownAdjustment{{from: date("2025-02-01")}, {from: date("2025-01-01"), to: date("2025-02-01")}, {from: date("2025-03-10")}}
		s.cut(date("2025-03-05"))
		s.to = date("2025-03-05")
		Expect(s.adjusts).To(HaveLen(2))
		Expect(s.adjusts[0].to).To(Equal(s.to))
		s.open()
		Expect(s.adjusts[0].to).To(BeZero())
		Expect(clock(s.adjusts[1].to)).To(Equal("2025-02-01T00:00:00Z"))
	})
})
