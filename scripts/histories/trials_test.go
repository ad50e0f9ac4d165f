package main

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("trials of the model", func() {
	It("move what lies behind their end by local days, and keep the last quantity of the days they lose", func() { // semantics 6.3.8
		s, i := monthly("2025-03-01", priceSpec{Name: "Fee", Model: "unit", Amount: "10", Quantity: "1", Advance: true, Phase: 1})
		s.trial, i.to = date("2025-03-15"), date("2025-04-01")
		s.phases = []placed{{order: 1, from: date("2025-03-01"), to: date("2025-04-01")}, {order: 2, from: date("2025-04-01")}}
		for on, q := range map[string]string{"2025-03-06": "2", "2025-03-11": "3", "2025-03-12": "4", "2025-03-20": "5"} {
			i.set(parseDay(on), rat(q))
		}
		shift{s.trial, date("2025-03-10"), s.customer.zone}.move(s)
		Expect(clock(i.from)).To(Equal("2025-03-01T00:00:00Z"))
		Expect(clock(i.to)).To(Equal("2025-03-27T00:00:00Z"))
		Expect(clock(s.phases[1].from)).To(Equal("2025-03-27T00:00:00Z"))
		var quantities []string
		for _, t := range i.quantities {
			quantities = append(quantities, t.from.String()+" "+show(t.quantity))
		}
		Expect(quantities).To(Equal([]string{"2025-03-06 2", "2025-03-10 4", "2025-03-15 5"}))
	})

	It("do not move the end of the subscription, and leave out what it does not let be reached", func() {
		s, i := monthly("2025-03-01", priceSpec{Name: "Fee", Model: "unit", Amount: "10", Quantity: "1"})
		next := *i
		i.to, next.from, next.to, s.to = date("2025-04-01"), date("2025-04-01"), date("2025-04-05"), date("2025-04-05")
		s.intervals = append(s.intervals, &next)
		shift{date("2025-03-15"), date("2025-03-25"), s.customer.zone}.move(s)
		Expect(s.intervals).To(HaveLen(1))
		Expect(clock(s.intervals[0].to)).To(Equal("2025-04-05T00:00:00Z"))
	})
})
