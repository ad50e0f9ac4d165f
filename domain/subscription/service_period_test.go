package subscription_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

var _ = Describe("Services", func() {
	DescribeTable("cuts the life of a price at its billing cycles",
		func(d deal, from, to string, expected ...string) {
			t := d.terms()
			loc := t.Customer.Location()
			window := period.Period{Start: at(from, loc), End: at(to, loc)}
			Expect(written(t, t.ServicePeriods(window))).To(Equal(expected))
		},
		Entry("a fee in advance is billed where its piece begins, a first one in the middle of a month included",
			deal{start: "2025-01-15", prices: []price{"monthly advance"}}, "2025-01-01", "2025-03-01",
			"monthly advance: 2025-01-15 to 2025-02-01, on 2025-01-15",
			"monthly advance: 2025-02-01 to 2025-03-01, on 2025-02-01"),
		Entry("a fee in arrears is billed where its piece ends",
			deal{start: "2025-01-15", prices: []price{"monthly arrears"}}, "2025-01-01", "2025-03-01",
			"monthly arrears: 2025-01-15 to 2025-02-01, on 2025-02-01",
			"monthly arrears: 2025-02-01 to 2025-03-01, on 2025-03-01"),
		Entry("usage is billed in arrears",
			deal{start: "2025-01-15", prices: []price{"monthly usage"}}, "2025-01-15", "2025-01-16",
			"monthly usage: 2025-01-15 to 2025-02-01, on 2025-02-01"),
		Entry("pieces are told by start, then by place in the plan",
			deal{start: "2025-01-15", prices: []price{"monthly usage", "annual advance", "monthly advance"}}, "2025-01-15", "2025-02-02",
			"monthly usage: 2025-01-15 to 2025-02-01, on 2025-02-01",
			"annual advance: 2025-01-15 to 2026-01-01, on 2025-01-15",
			"monthly advance: 2025-01-15 to 2025-02-01, on 2025-01-15",
			"monthly usage: 2025-02-01 to 2025-03-01, on 2025-03-01",
			"monthly advance: 2025-02-01 to 2025-03-01, on 2025-02-01"),
		Entry("an end inside a cycle cuts the last piece, and arrears are billed there",
			deal{start: "2025-01-01", end: "2025-02-10", prices: []price{"monthly advance", "monthly usage"}}, "2025-02-01", "2025-06-01",
			"monthly advance: 2025-02-01 to 2025-02-10, on 2025-02-01",
			"monthly usage: 2025-02-01 to 2025-02-10, on 2025-02-10"),
		Entry("an end on a boundary leaves no piece behind it",
			deal{start: "2025-01-01", end: "2025-02-01", prices: []price{"monthly advance", "monthly usage"}}, "2025-01-01", "2025-06-01",
			"monthly advance: 2025-01-01 to 2025-02-01, on 2025-01-01",
			"monthly usage: 2025-01-01 to 2025-02-01, on 2025-02-01"),
		Entry("a window that only touches a piece does not get it",
			deal{start: "2025-01-01", prices: []price{"monthly usage"}}, "2025-02-01", "2025-03-01",
			"monthly usage: 2025-02-01 to 2025-03-01, on 2025-03-01"),
		Entry("a start inside a day begins the first piece at that instant",
			deal{start: "2025-01-15T10:30:00", prices: []price{"monthly usage"}}, "2025-01-01", "2025-02-01",
			"monthly usage: 2025-01-15T10:30:00 to 2025-02-01, on 2025-02-01"),
		Entry("cycles of days begin at the start date",
			deal{start: "2025-01-15", prices: []price{"10 days usage"}}, "2025-01-15", "2025-02-05",
			"10 days usage: 2025-01-15 to 2025-01-25, on 2025-01-25",
			"10 days usage: 2025-01-25 to 2025-02-04, on 2025-02-04",
			"10 days usage: 2025-02-04 to 2025-02-14, on 2025-02-14"),
		Entry("cycles of several months keep the phase of the start",
			deal{start: "2025-02-03", prices: []price{"2 months advance"}}, "2025-02-03", "2025-06-02",
			"2 months advance: 2025-02-03 to 2025-04-01, on 2025-02-03",
			"2 months advance: 2025-04-01 to 2025-06-01, on 2025-04-01",
			"2 months advance: 2025-06-01 to 2025-08-01, on 2025-06-01"),
		Entry("an anchor with month and year sets the phase of cycles of several years",
			deal{start: "2025-01-01", anchor: period.Anchor{Day: 15, Month: ptr(3), Year: ptr(2024)}, prices: []price{"24 months advance"}},
			"2025-01-01", "2026-04-01",
			"24 months advance: 2025-01-01 to 2026-03-15, on 2025-01-01",
			"24 months advance: 2026-03-15 to 2028-03-15, on 2026-03-15"),
		Entry("a one-time fee in advance is billed at the start",
			deal{start: "2025-01-15", prices: []price{"one_time advance", "monthly usage"}}, "2025-01-01", "2025-02-20",
			"one_time advance: 2025-01-15 to 2025-02-01, on 2025-01-15",
			"monthly usage: 2025-01-15 to 2025-02-01, on 2025-02-01",
			"monthly usage: 2025-02-01 to 2025-03-01, on 2025-03-01"),
		Entry("one-time usage is billed on the first billing date after the start",
			deal{start: "2025-01-15", prices: []price{"one_time usage", "quarterly advance"}}, "2025-01-01", "2025-12-01",
			"one_time usage: 2025-01-15 to 2025-04-01, on 2025-04-01",
			"quarterly advance: 2025-01-15 to 2025-04-01, on 2025-01-15",
			"quarterly advance: 2025-04-01 to 2025-07-01, on 2025-04-01",
			"quarterly advance: 2025-07-01 to 2025-10-01, on 2025-07-01",
			"quarterly advance: 2025-10-01 to 2026-01-01, on 2025-10-01"),
		Entry("a one-time fee in arrears is billed at an end that comes first",
			deal{start: "2025-01-15", end: "2025-01-20", prices: []price{"one_time arrears"}}, "2025-01-01", "2025-12-01",
			"one_time arrears: 2025-01-15 to 2025-01-20, on 2025-01-20"),
		Entry("one-time prices alone make monthly periods",
			deal{start: "2025-01-15", prices: []price{"one_time usage"}}, "2025-01-01", "2025-12-01",
			"one_time usage: 2025-01-15 to 2025-02-01, on 2025-02-01"),
	)

	It("tells the full cycle beside a piece of it, for proration", func() {
		t := deal{start: "2025-01-10", anchor: period.Anchor{Day: 31, Month: ptr(2)}, prices: []price{"quarterly advance"}}.terms()
		first := t.ServicePeriods(period.Period{Start: t.StartAt, End: utc("2025-01-11")})[0]
		Expect(span(first.Period, time.UTC)).To(Equal("2025-01-10 to 2025-02-28"))
		Expect(span(first.Cycle, time.UTC)).To(Equal("2024-11-30 to 2025-02-28"))
		Expect(period.FractionOf(first.Period, first.Cycle, time.UTC)).To(Equal(period.Fraction{Part: 49, Whole: 90}))
	})

	It("takes a one-time piece as a whole, however short", func() {
		t := deal{start: "2025-01-15", end: "2025-01-20", prices: []price{"one_time advance"}}.terms()
		s := t.ServicePeriods(period.Period{Start: t.StartAt, End: *t.EndAt})[0]
		Expect(period.FractionOf(s.Period, s.Cycle, time.UTC).IsWhole()).To(BeTrue())
	})
})

var _ = Describe("BilledOn", func() {
	mixed := deal{start: "2025-01-15", end: "2025-03-10", prices: []price{"monthly usage", "one_time advance", "monthly advance"}}
	DescribeTable("returns what the invoice of a date charges",
		func(d deal, date string, expected ...string) {
			t := d.terms()
			Expect(written(t, t.BilledOn(at(date, t.Customer.Location())))).To(HaveExactElements(expected))
		},
		Entry("at the start: fees in advance", mixed, "2025-01-15",
			"one_time advance: 2025-01-15 to 2025-02-01, on 2025-01-15",
			"monthly advance: 2025-01-15 to 2025-02-01, on 2025-01-15"),
		Entry("at a boundary: usage of the closed period, then the fee of the next", mixed, "2025-02-01",
			"monthly usage: 2025-01-15 to 2025-02-01, on 2025-02-01",
			"monthly advance: 2025-02-01 to 2025-03-01, on 2025-02-01"),
		Entry("at the end: the rest of usage", mixed, "2025-03-10",
			"monthly usage: 2025-03-01 to 2025-03-10, on 2025-03-10"),
		Entry("on a day between: nothing", mixed, "2025-02-02"),
		Entry("before the start: nothing", mixed, "2025-01-01"),
		Entry("after the end: nothing", mixed, "2025-04-01"),
		Entry("usage stands beside the fee of a year",
			deal{start: "2025-02-10", anchor: period.Anchor{Day: 10}, prices: []price{"annual advance", "monthly usage"}}, "2026-02-10",
			"monthly usage: 2026-01-10 to 2026-02-10, on 2026-02-10",
			"annual advance: 2026-02-10 to 2027-02-10, on 2026-02-10"),
	)
})

var _ = Describe("NextBilling", func() {
	// walk lists the first billing dates after the start, at most n.
	walk := func(t subscription.Terms, n int) []string {
		dates := []string{}
		for date, ok := t.NextBilling(t.StartAt); ok && len(dates) < n; date, ok = t.NextBilling(date) {
			dates = append(dates, local(date, t.Customer.Location()))
		}
		return dates
	}
	DescribeTable("goes from one billing date to the next",
		func(d deal, dates ...string) {
			Expect(walk(d.terms(), len(dates)+1)[:len(dates)]).To(Equal(dates))
		},
		Entry("on the first of the month without an anchor", deal{start: "2025-01-15", prices: []price{"monthly advance"}},
			"2025-02-01", "2025-03-01"),
		Entry("on the 31st or the last day before it", deal{start: "2025-01-31", anchor: period.Anchor{Day: 31}, prices: []price{"monthly usage"}},
			"2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31"),
		Entry("on the 29th of February in a leap year", deal{start: "2024-01-31", anchor: period.Anchor{Day: 31}, prices: []price{"monthly usage"}},
			"2024-02-29", "2024-03-31"),
		Entry("every year from a leap day", deal{start: "2024-02-29", anchor: period.Anchor{Day: 29}, prices: []price{"annual advance"}},
			"2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"),
		Entry("in the months that an anchor's month gives", deal{start: "2025-01-10", anchor: period.Anchor{Day: 31, Month: ptr(2)}, prices: []price{"quarterly advance"}},
			"2025-02-28", "2025-05-31", "2025-08-31", "2025-11-30"),
		Entry("for every cadence there is", deal{start: "2025-01-15", prices: []price{"quarterly arrears", "10 days usage"}},
			"2025-01-25", "2025-02-04", "2025-02-14", "2025-02-24", "2025-03-06", "2025-03-16", "2025-03-26", "2025-04-01", "2025-04-05"),
	)
	DescribeTable("ends with the last thing billed",
		func(d deal, dates ...string) { Expect(walk(d.terms(), 100)).To(HaveExactElements(dates)) },
		Entry("usage: at the end", deal{start: "2025-01-15", end: "2025-02-10", prices: []price{"monthly usage"}}, "2025-02-01", "2025-02-10"),
		Entry("fees in advance: before it", deal{start: "2025-01-15", end: "2025-02-10", prices: []price{"monthly advance"}}, "2025-02-01"),
		Entry("a one-time fee in advance: nothing after the start", deal{start: "2025-01-15", prices: []price{"one_time advance"}}),
		Entry("one-time usage: the first billing date", deal{start: "2025-01-15", prices: []price{"one_time usage"}}, "2025-02-01"),
	)
})

var _ = Describe("BillingPeriod", func() {
	DescribeTable("is the cycle of the shortest cadence within the subscription's life",
		func(d deal, now, expected string) {
			t := d.terms()
			loc := t.Customer.Location()
			p, ok := t.BillingPeriod(at(now, loc))
			Expect(ok).To(BeTrue())
			Expect(span(p, loc)).To(Equal(expected))
		},
		Entry("the rest of the month at the start", deal{start: "2025-01-15", prices: []price{"monthly advance"}},
			"2025-01-15T10:00:00", "2025-01-15 to 2025-02-01"),
		Entry("the month of monthly usage beside an annual fee", deal{start: "2025-01-15", prices: []price{"annual advance", "monthly usage"}},
			"2025-06-15", "2025-06-01 to 2025-07-01"),
		Entry("the year of annual prices alone", deal{start: "2025-01-15", prices: []price{"annual advance"}},
			"2026-06-15", "2026-01-01 to 2027-01-01"),
		Entry("ten days, which are shorter than a month", deal{start: "2025-01-15", prices: []price{"monthly usage", "10 days usage"}},
			"2025-01-30", "2025-01-25 to 2025-02-04"),
		Entry("forty days against a month: the month", deal{start: "2025-01-15", prices: []price{"40 days usage", "monthly usage"}},
			"2025-02-10", "2025-02-01 to 2025-03-01"),
		Entry("a month where prices are billed once", deal{start: "2025-01-15", prices: []price{"one_time advance"}},
			"2025-03-05", "2025-03-01 to 2025-04-01"),
		Entry("cut at the end", deal{start: "2025-01-15", end: "2025-02-10", prices: []price{"monthly usage"}},
			"2025-02-09T23:59:59", "2025-02-01 to 2025-02-10"),
	)
	DescribeTable("is none outside of the subscription's life",
		func(now string) {
			_, ok := deal{start: "2025-01-15", end: "2025-02-10", prices: []price{"monthly usage"}}.terms().BillingPeriod(utc(now))
			Expect(ok).To(BeFalse())
		},
		Entry("before the start", "2025-01-14T23:59:59"),
		Entry("at the end", "2025-02-10"),
	)
	DescribeTable("begins at local midnights",
		func(d deal, now, start, end string) {
			p, ok := d.terms().BillingPeriod(utc(now))
			Expect(ok).To(BeTrue())
			Expect([]string{period.FormatInstant(p.Start), period.FormatInstant(p.End)}).To(Equal([]string{start, end}))
		},
		Entry("a March that is an hour shorter", deal{zone: "America/Los_Angeles", start: "2025-01-01", prices: []price{"monthly usage"}},
			"2025-03-20T00:00:00Z", "2025-03-01T08:00:00+00:00", "2025-04-01T07:00:00+00:00"),
		Entry("a November that is an hour longer", deal{zone: "America/New_York", start: "2025-01-01", prices: []price{"monthly usage"}},
			"2025-11-20T00:00:00Z", "2025-11-01T04:00:00+00:00", "2025-12-01T05:00:00+00:00"),
		Entry("a midnight that the clock skips", deal{zone: "Africa/Cairo", start: "2025-01-25", anchor: period.Anchor{Day: 25}, prices: []price{"monthly usage"}},
			"2025-05-01T00:00:00Z", "2025-04-24T22:00:00+00:00", "2025-05-24T21:00:00+00:00"),
	)
})

var _ = Describe("PeriodOf", func() {
	t := deal{start: "2025-01-15", end: "2025-06-10", prices: []price{"quarterly advance", "one_time usage"}}.terms()
	DescribeTable("is the piece of one price that contains an instant",
		func(k int, now, expected string) {
			p, ok := t.PeriodOf(t.Intervals[k], utc(now))
			Expect(ok).To(BeTrue())
			Expect(span(p, time.UTC)).To(Equal(expected))
		},
		Entry("of a recurring price", 0, "2025-04-01", "2025-04-01 to 2025-06-10"),
		Entry("of a one-time price", 1, "2025-01-20", "2025-01-15 to 2025-04-01"),
	)
	DescribeTable("is none elsewhere",
		func(k int, now string) {
			_, ok := t.PeriodOf(t.Intervals[k], utc(now))
			Expect(ok).To(BeFalse())
		},
		Entry("before the start", 0, "2025-01-14"),
		Entry("from the end on", 0, "2025-06-10"),
		Entry("once a one-time price is over", 1, "2025-04-01"),
	)
})

var _ = DescribeTable("Status follows from the dates",
	func(now string, expected subscription.Status) {
		t := deal{start: "2025-01-15", end: "2025-02-10", prices: []price{"monthly usage"}}.terms()
		Expect(t.Status(utc(now))).To(Equal(expected))
	},
	Entry("before the start it is upcoming", "2025-01-14T23:59:59.999999", subscription.StatusUpcoming),
	Entry("at the start it is active", "2025-01-15", subscription.StatusActive),
	Entry("just before the end it is active", "2025-02-09T23:59:59.999999", subscription.StatusActive),
	Entry("at the end it is over", "2025-02-10", subscription.StatusEnded),
)
