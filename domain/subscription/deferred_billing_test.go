package subscription_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

var _ = Describe("A price interval that ends amid a cycle", func() {
	// ended lets the first price end on a day, and wait for its last charge.
	ended := func(d deal, end string, waits bool) subscription.Terms {
		t := d.terms()
		at := at(end, t.Customer.Location())
		t.Intervals[0].EndAt, t.Intervals[0].CanDeferBilling = &at, waits
		t.PlanIntervals = []subscription.PlanInterval{{StartAt: t.StartAt}}
		return t
	}
	// billed lists what is billed on each date after the start.
	billed := func(t subscription.Terms, until string) (texts []string) {
		for date, ok := t.NextBilling(t.StartAt); ok && !date.After(at(until, t.Customer.Location())); date, ok = t.NextBilling(date) {
			texts = append(texts, written(t, t.BilledOn(date))...)
		}
		return texts
	}

	DescribeTable("is billed (semantics 6.2.8)",
		func(d deal, end string, waits bool, expected ...string) {
			t := ended(d, end, waits)
			Expect(billed(t, "2025-05-01")).To(HaveExactElements(expected))
			s, found := t.ServicePeriodAt(t.Intervals[0].ID, t.StartAt)
			Expect(found).To(BeTrue())
			Expect(written(t, []subscription.ServicePeriod{s})).To(ContainElement(expected[0]))
		},
		Entry("at its end", deal{start: "2025-03-01", prices: []price{"quarterly usage"}}, "2025-03-18", false,
			"quarterly usage: 2025-03-01 to 2025-03-18, on 2025-03-18"),
		Entry("on the next billing date of the subscription, if it may wait",
			deal{start: "2025-03-01", prices: []price{"quarterly usage", "monthly arrears"}}, "2025-03-18", true,
			"quarterly usage: 2025-03-01 to 2025-03-18, on 2025-04-01",
			"monthly arrears: 2025-03-01 to 2025-04-01, on 2025-04-01",
			"monthly arrears: 2025-04-01 to 2025-05-01, on 2025-05-01"),
		Entry("where its cycle would have ended, if it has no other price beside it",
			deal{start: "2025-02-01", anchor: period.Anchor{Day: 1, Month: ptr(1)}, prices: []price{"quarterly usage"}}, "2025-03-18", true,
			"quarterly usage: 2025-02-01 to 2025-03-18, on 2025-04-01"),
		Entry("at the end of the subscription, which waits for nothing",
			deal{start: "2025-03-01", end: "2025-03-25", prices: []price{"monthly usage"}}, "2025-03-18", true,
			"monthly usage: 2025-03-01 to 2025-03-18, on 2025-03-25"),
		Entry("at its end where that is the end of a cycle",
			deal{start: "2025-03-01", prices: []price{"monthly usage"}}, "2025-04-01", true,
			"monthly usage: 2025-03-01 to 2025-04-01, on 2025-04-01"),
		Entry("T-9: on the local day of the date, past a clock change",
			deal{zone: "America/New_York", start: "2025-03-01", prices: []price{"monthly usage"}}, "2025-03-09T03:30:00", true,
			"monthly usage: 2025-03-01 to 2025-03-09T03:30:00, on 2025-04-01"),
	)

	It("does not make a fee in advance wait", func() {
		t := ended(deal{start: "2025-03-01", prices: []price{"monthly advance"}}, "2025-03-18", true)
		Expect(written(t, t.ServicePeriods(period.Period{Start: t.StartAt, End: utc("2025-06-01")}))).
			To(HaveExactElements("monthly advance: 2025-03-01 to 2025-03-18, on 2025-03-01"))
		_, more := t.NextBilling(t.StartAt)
		Expect(more).To(BeFalse())
	})

	It("has a date that does not hang on from where it is looked for", func() {
		t := ended(deal{start: "2025-03-01", prices: []price{"annual usage", "monthly usage"}}, "2025-03-18", true)
		for day := utc("2025-03-18"); day.Before(utc("2025-04-01")); day = day.Add(17 * time.Hour) {
			next, found := t.NextBilling(day)
			Expect(found).To(BeTrue())
			Expect(next).To(Equal(utc("2025-04-01")))
		}
	})
})
