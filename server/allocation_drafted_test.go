package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// The fee of a period stands on a draft for the grace period where usage is billed beside it. What was
// spent of its credits by then stays paid, also where the price turns out to have ended before
// (semantics 11.2.5).
var _ = DescribeTable("The fee of an allocation on a draft, whose price is ended before its period",
	func(zone, start, used, now, end string, bills, refunds []string) {
		s := newFixture(start)
		customer := s.buyer(object{"timezone": zone})
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), object{"price": s.calls("1.00")})
		s.subscribeTo(customer, nil, s.callsInCredits())
		s.clock(now)
		if used != "0" {
			s.use(customer, now, used)
		}
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": s.allocationIntervals(sub)[0].text("id"), "end_date": end}},
		}).expect(200)
		of := func() (texts []string) {
			for _, text := range append(s.bills(sub), s.datedRefunds(sub)...) {
				if text[:7] == now[:7] {
					texts = append(texts, text)
				}
			}
			return texts
		}
		Expect(of()).To(ContainElements(bills))
		Expect(s.datedRefunds(sub)).To(ConsistOf(refunds))
	},
	Entry("is charged for what was spent", "UTC", "2025-06-01T00:00:00Z", "300", "2025-07-01T06:00:00Z", "2025-06-20",
		[]string{"2025-07-01 issued 50.00"}, []string{"2025-06-01 18.33", "2025-07-01 35.00"}),
	Entry("is not charged where nothing was spent", "UTC", "2025-06-01T00:00:00Z", "0", "2025-07-01T06:00:00Z", "2025-06-20",
		[]string{}, []string{"2025-06-01 18.33"}),
	Entry("over a change of the clock", "America/New_York", "2025-03-01T05:00:00Z", "300", "2025-04-01T10:00:00Z", "2025-03-12",
		[]string{"2025-04-01 issued 50.00"}, []string{"2025-03-01 32.26", "2025-04-01 35.00"}),
)
