package main

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("licenses of the model", func() {
	var w *world
	var s *subscription
	var usage *interval
	BeforeEach(func() {
		var fee *interval
		s, fee = monthly("2025-06-10", priceSpec{Name: "Seats", Model: "unit", Amount: "10", Quantity: "3", Advance: true, Seats: "100"})
		one := *fee
		one.spec = priceSpec{Name: "Calls", Model: "unit", Metric: "sum", Cycle: cycle{Months: 1}, Amount: "1", Currency: "credits", Licensed: true}
		usage = &one
		s.intervals = append(s.intervals, usage)
		s.licenses = []*license{{name: "license1", of: "a", from: date("2025-06-10")}}
		w = newWorld()
		w.now = date("2025-07-01")
	})
	use := func(key, on, who, n string) {
		w.came(eventSpec{Key: key, Customer: "customer1", At: on + "T00:00:00Z", N: n, Who: who}, nil)
	}
	covered := func(until string) string { return show(w.covered(s.pieces(usage, date("2025-06-10"))[0], date(until))) }

	It("pay for usage of their own up to what they are granted", func() { // semantics LT-4
		use("1", "2025-06-11", "a", "70")
		use("2", "2025-06-12", "a", "60")
		use("3", "2025-06-12", "b", "5")
		Expect(covered("2025-06-12")).To(Equal("70"))
		Expect(covered("2025-06-13")).To(Equal("100"))
	})

	It("drop what exceeds it where the price writes it off", func() {
		s.intervals[0].spec.WritesOff = true
		use("1", "2025-06-11", "a", "130")
		Expect(covered("2025-07-01")).To(Equal("130"))
	})

	It("pay for nothing while they are not active", func() {
		s.licenses[0].to = date("2025-06-12")
		use("1", "2025-06-11", "a", "30")
		use("2", "2025-06-12", "a", "20")
		Expect(covered("2025-07-01")).To(Equal("30"))
	})

	It("have the difference alone where another price takes the place of theirs in the middle of a period", func() {
		next := *s.intervals[0]
		next.spec.Seats = "150"
		s.intervals[0].to, next.from = date("2025-06-20"), date("2025-06-20")
		s.intervals = append(s.intervals, &next)
		use("1", "2025-06-11", "a", "60")
		use("2", "2025-06-20", "a", "120")
		Expect(covered("2025-07-01")).To(Equal("150"))
	})
})
