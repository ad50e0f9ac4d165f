package main

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("top-ups of the model", func() {
	// use is a ledger with a block of 25 and a top-up of 100 at 20, after usage worth an amount.
	use := func(amount string, days int) (*ledger, day) {
		d, z := parseDay("2025-03-10"), newZone("UTC")
		l := &ledger{blocks: []*block{{name: "block1", from: d, initial: rat("25"), basis: rat("0")}}, topUp: &topUp{"a", rat("20"), rat("100"), rat("0"), days}}
		one := &charge{day: d, at: z.start(d), amount: rat(amount), interval: &interval{}}
		l.charges = []*charge{one}
		l.pay(one, z, z.start(d))
		l.topUpOn(d, z, z.start(d), l.charges)
		return l, d
	}

	It("add once what brings the balance above the threshold", func() { // semantics TU-1
		l, d := use("5", 0)
		Expect(show(l.balance(newZone("UTC"), newZone("UTC").start(d)))).To(Equal("120"))
		Expect(l.blocks).To(HaveLen(2))
	})

	It("add twice where the first pays for what was not covered", func() { // semantics TU-2
		l, d := use("160", 0)
		Expect(show(l.balance(newZone("UTC"), newZone("UTC").start(d)))).To(Equal("65"))
		Expect(l.blocks).To(HaveLen(3))
		Expect(show(l.charges[0].drawn())).To(Equal("160"))
	})

	It("add nothing above the threshold", func() {
		l, d := use("4.99", 0)
		Expect(show(l.balance(newZone("UTC"), newZone("UTC").start(d)))).To(Equal("20.01"))
	})

	It("add credits that live so many days", func() { // semantics 11.1.3
		l, d := use("5", 3)
		Expect(l.blocks[1].to).To(Equal(d + 3))
		Expect(show(l.balance(newZone("UTC"), newZone("UTC").start(d+3)))).To(Equal("25")) // they paid for the day, as they expire first
	})
})
