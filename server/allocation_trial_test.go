package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Fixed fees begin where a trial ends (semantics 6.3.8), and so do the grants that they pay for (11.2.3).
var _ = DescribeTable("An allocation after a trial is granted as its fee is charged",
	func(zone, start, before, end, until string) {
		s := newFixture(start)
		customer := s.buyer(object{"timezone": zone})
		sub := s.subscribeTo(customer, object{"trial_duration_days": 14}, paidCredits("1000", nil), s.callsInCredits())
		s.clock(before)
		Expect(s.blocks(customer, "credits")).To(BeEmpty())
		s.clock(end)
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"1000"}))
		s.use(customer, end, "300")
		s.clock(until)
		Expect(s.bills(sub)).To(ContainElement(end[:10] + " issued 50.00"))
		Expect(s.blocks(customer, "credits")).To(Equal([]string{"0", "1000"}))
		Expect(s.ledger(customer, "credits")).To(ContainElements("decrement 300 committed: 700", "credit_block_expiry 700 committed: 0"))
	},
	Entry("within a month", "UTC", "2025-06-01T00:00:00Z", "2025-06-14T23:59:59Z", "2025-06-15T00:00:00Z", "2025-07-02T00:00:00Z"),
	Entry("over the end of a month", "UTC", "2025-01-25T00:00:00Z", "2025-02-07T23:59:59Z", "2025-02-08T00:00:00Z", "2025-03-02T00:00:00Z"),
	Entry("over a change of the clock", "America/New_York", "2025-03-01T05:00:00Z", "2025-03-15T03:59:59Z", "2025-03-15T04:00:00Z", "2025-04-02T04:00:00Z"),
)
