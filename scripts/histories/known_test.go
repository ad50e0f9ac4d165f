package main

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The controls of quick comparisons: what they leave out is found at the end, and what changed
// is found at once.
var _ = Describe("quick comparisons", func() {
	play := func(ctx SpecContext) *run {
		c, err := shared.account(ctx)
		Expect(err).NotTo(HaveOccurred())
		r := newRun(c)
		r.quick = true
		for _, s := range []step{
			{Do: "clock", At: "2025-03-01T00:00:00Z"},
			{Do: "customer", Name: "customer1", Zone: "America/New_York"},
			{Do: "plan", Name: "plan1", Prices: []priceSpec{
				{Name: "Fee", Model: "unit", Cycle: cycle{Months: 1}, Amount: "10.00", Quantity: "1", Advance: true, Item: "Item A"},
				{Name: "Calls", Model: "unit", Metric: "sum", Cycle: cycle{Months: 1}, Amount: "0.50", Item: "Item A"}}},
			{Do: "subscribe", Name: "sub1", Of: "customer1", Plan: "plan1", At: "2025-03-01"},
			{Do: "credit", Name: "block1", Of: "customer1", Currency: "USD", Amount: "1", Basis: "1"},
			{Do: "ingest", Events: []eventSpec{{Key: "event1", Customer: "customer1", At: "2025-03-01T12:00:00Z", N: "6"}}},
			{Do: "clock", At: "2025-03-03T12:00:00Z"},
			{Do: "clock", At: "2025-03-04T12:00:00Z"},
		} {
			done, err := r.do(ctx, s)
			Expect(err).NotTo(HaveOccurred(), s.String())
			Expect(done).To(BeTrue(), s.String())
		}
		return r
	}
	again := func(ctx SpecContext, r *run, full bool) error {
		r.known.full = full
		for _, c := range r.w.customers {
			r.w.settle(c)
		}
		return r.check(ctx)
	}

	It("find nothing where nothing changed, and ask for little", func(ctx SpecContext) {
		r := play(ctx)
		before := r.c.asks
		Expect(again(ctx, r, false)).To(Succeed())
		Expect(r.c.asks - before).To(BeZero())
		Expect(again(ctx, r, true)).To(Succeed())
		Expect(r.c.asks - before).To(BeNumerically(">", 6))
	})

	DescribeTable("find a difference", func(ctx SpecContext, change func(*run), atOnce bool) {
		r := play(ctx)
		change(r)
		if atOnce {
			Expect(again(ctx, r, false)).NotTo(Succeed())
		}
		Expect(again(ctx, r, true)).NotTo(Succeed())
	},
		Entry("of usage on days that were compared", func(r *run) {
			r.w.events["event1"].N = "7"
			r.w.recount()
			r.known.used["customer1"] = true
		}, true),
		Entry("of what is left of a block", func(r *run) { r.w.customers["customer1"].ledgers["USD"].blocks[0].initial = rat("2") }, true),
		Entry("of the bounds of a price, at the end", func(r *run) { r.w.subs["sub1"].intervals[0].to = date("2025-06-01") }, false),
		Entry("of the bounds of a price, where a step is about the subscription", func(r *run) {
			r.w.subs["sub1"].intervals[0].to = date("2025-06-01")
			r.touch(step{Do: "quantity", Of: "sub1"})
		}, true),
	)
})
