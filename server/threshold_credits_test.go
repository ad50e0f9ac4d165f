package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// What counts is what usage lines would charge after prepaid credits (semantics 6.2.7), which rises too
// when these credits go elsewhere.
var _ = Describe("An invoicing threshold where credits pay no longer for usage that they paid for", func() {
	var s fixture
	var acme, sub, block string

	// begin has the customer use 12.00, which credits of 12.00 pay, under a threshold of 10.00.
	begin := func(now, zone, used string) {
		GinkgoHelper()
		s = newFixture(now)
		acme = s.buyer(object{"timezone": zone})
		sub = s.subscribe(acme, object{"invoicing_threshold": "10.00"}, s.calls("1.00")).text("id")
		block = s.entry(acme, object{"entry_type": "increment", "amount": 12, "currency": "USD"}).text("credit_block.id")
		s.clock(used)
		s.use(acme, used, "12")
		s.clock(used)
		Expect(s.bills(sub)).To(HaveLen(1), "the draft")
	}
	// rival is another subscription of the customer, whose invoice comes first, and charges 11.00 in arrears.
	rival := func(start string) string {
		GinkgoHelper()
		return s.subscribe(acme, object{"start_date": start}, with(s.fee("11.00"), object{"billed_in_advance": false, "cadence": "monthly"})).text("id")
	}

	DescribeTable("is looked at when another subscription takes them",
		func(now, zone, used, rivals, partial, end, rest string) {
			begin(now, zone, used)
			rival(rivals)
			s.clock(used)
			Expect(s.bills(sub)).To(ContainElement(partial))
			s.clock(end)
			Expect(s.bills(sub)).To(ContainElement(rest), "once")
			Expect(s.balance(acme)).To(Equal("0.00"))
		},
		Entry("that is made", "2025-03-01T00:00:00Z", "UTC", "2025-03-05T10:00:00Z", "2025-02-10",
			"2025-03-05 issued 11.00", "2025-04-01T12:00:00Z", "2025-04-01 paid 0.00"),
		Entry("over a change of the clock", "2025-03-01T05:00:00Z", "America/New_York", "2025-03-09T10:00:00Z", "2025-02-10",
			"2025-03-09 issued 11.00", "2025-04-01T16:00:00Z", "2025-04-01 paid 0.00"),
		Entry("on the last day of a month", "2025-02-01T00:00:00Z", "UTC", "2025-02-28T23:00:00Z", "2025-01-31",
			"2025-02-28 issued 11.00", "2025-03-01T12:00:00Z", "2025-03-01 paid 0.00"),
	)

	It("is looked at when they are taken by hand beyond what is left", func() {
		begin("2025-03-01T00:00:00Z", "UTC", "2025-03-05T10:00:00Z")
		s.entry(acme, object{"entry_type": "decrement", "amount": 11, "currency": "USD"})
		s.clock("2025-03-05T10:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-03-05 issued 11.00"))
	})

	It("is looked at when their block is deleted", func() {
		begin("2025-03-01T00:00:00Z", "UTC", "2025-03-05T10:00:00Z")
		s.delete("/v1/credit_blocks/" + block).expect(204)
		s.clock("2025-03-05T10:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-03-05 issued 12.00"))
	})

	It("stays as it is while they are left", func() {
		begin("2025-03-01T00:00:00Z", "UTC", "2025-03-05T10:00:00Z")
		s.entry(acme, object{"entry_type": "increment", "amount": 20, "currency": "USD"})
		rival("2025-02-10")
		s.clock("2025-03-05T10:00:00Z")
		Expect(s.bills(sub)).To(HaveLen(1))
	})
})
