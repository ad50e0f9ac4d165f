package period_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/period"
)

var (
	monthly   = period.CadenceMonthly.Length(period.Length{})
	quarterly = period.CadenceQuarterly.Length(period.Length{})
	annual    = period.CadenceAnnual.Length(period.Length{})
)

// starts lists the local dates of the cycle containing t and of those after it.
func starts(c period.Cycle, t time.Time, loc *time.Location, n int) (dates []string) {
	for t = c.At(t).Start; len(dates) < n; t = c.Next(t) {
		dates = append(dates, period.DateOf(t, loc).String())
	}
	return dates
}

var _ = Describe("Cycle", func() {
	It("T-1: begins on the first of the month, so the first period is the rest of one", func() {
		start := date("2025-01-15")
		c := period.NewCycle(monthly, period.Anchor{Day: 1}, start, time.UTC)
		full := c.At(at("2025-01-15T10:00"))
		Expect(full.Equal(span("2025-01-01", "2025-02-01"))).To(BeTrue())
		first := period.Period{Start: start.In(time.UTC), End: c.Next(start.In(time.UTC))}
		Expect(first.Equal(span("2025-01-15", "2025-02-01"))).To(BeTrue())
		Expect(period.FractionOf(first, full, time.UTC)).To(Equal(period.Fraction{Part: 17, Whole: 31}))
	})

	DescribeTable("T-2: is clamped to the end of a month and never sticks there",
		func(start string, want ...string) {
			d := date(start)
			c := period.NewCycle(monthly, period.Anchor{Day: d.Day}, d, time.UTC)
			Expect(starts(c, d.In(time.UTC), time.UTC, len(want))).To(Equal(want))
		},
		Entry("from the 31st", "2025-01-31", "2025-01-31", "2025-02-28", "2025-03-31", "2025-04-30", "2025-05-31"),
		Entry("in a leap year", "2024-01-31", "2024-01-31", "2024-02-29", "2024-03-31"),
	)

	It("T-3: is not cut short by a clock change", func() {
		la := zone("America/Los_Angeles")
		c := period.NewCycle(monthly, period.Anchor{Day: 1}, date("2025-01-01"), la)
		march := c.At(at("2025-03-15"))
		Expect(march.Equal(span("2025-03-01T08:00:00Z", "2025-04-01T07:00:00Z"))).To(BeTrue())
		Expect(period.Days(march, la)).To(Equal(31))
	})

	It("T-4: splits usage at the local edge", func() {
		c := period.NewCycle(monthly, period.Anchor{Day: 1}, date("2025-01-01"), zone("America/Los_Angeles"))
		Expect(c.At(at("2025-03-01T07:59:59Z")).End).To(Equal(at("2025-03-01T08:00:00Z")))
		Expect(c.At(at("2025-03-01T08:00:00Z")).Start).To(Equal(at("2025-03-01T08:00:00Z")))
	})

	It("T-6: begins on a leap day where there is one", func() {
		d := date("2024-02-29")
		c := period.NewCycle(annual, period.Anchor{Day: 29}, d, time.UTC)
		Expect(starts(c, d.In(time.UTC), time.UTC, 5)).To(Equal(
			[]string{"2024-02-29", "2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"}))
	})

	It("T-7: takes its phase from the anchor's month", func() {
		start := date("2025-01-10")
		c := period.NewCycle(quarterly, period.Anchor{Day: 31, Month: ptr(2)}, start, time.UTC)
		Expect(starts(c, at("2025-02-28"), time.UTC, 4)).To(Equal([]string{"2025-02-28", "2025-05-31", "2025-08-31", "2025-11-30"}))
		full := c.At(start.In(time.UTC))
		first := period.Period{Start: start.In(time.UTC), End: full.End}
		Expect(first.Equal(span("2025-01-10", "2025-02-28"))).To(BeTrue())
		Expect(period.FractionOf(first, full, time.UTC)).To(Equal(period.Fraction{Part: 49, Whole: 90}))
	})

	It("T-8: begins after the gap where midnight is missing", func() {
		c := period.NewCycle(monthly, period.Anchor{Day: 25}, date("2025-01-25"), zone("Africa/Cairo"))
		Expect(c.Next(at("2025-04-01"))).To(Equal(at("2025-04-24T22:00:00Z")))
	})

	It("T-9: is as long as its month in autumn", func() {
		c := period.NewCycle(monthly, period.Anchor{Day: 1}, date("2025-01-01"), zone("America/New_York"))
		Expect(c.At(at("2025-11-15")).Equal(span("2025-11-01T04:00", "2025-12-01T05:00"))).To(BeTrue())
	})

	It("takes its phase from the start's month without one in the anchor", func() {
		c := period.NewCycle(quarterly, period.Anchor{Day: 1}, date("2025-02-15"), time.UTC)
		Expect(starts(c, at("2025-02-15"), time.UTC, 3)).To(Equal([]string{"2025-02-01", "2025-05-01", "2025-08-01"}))
	})

	It("takes the phase of several years from the anchor's year", func() {
		c := period.NewCycle(period.Length{Months: 24}, period.Anchor{Day: 15, Month: ptr(6), Year: ptr(2024)}, date("2025-02-15"), time.UTC)
		Expect(starts(c, at("2025-02-15"), time.UTC, 2)).To(Equal([]string{"2024-06-15", "2026-06-15"}))
	})

	It("counts days from the start", func() {
		c := period.NewCycle(period.Length{Days: 7}, period.Anchor{Day: 1}, date("2025-01-15"), time.UTC)
		Expect(starts(c, at("2025-01-16"), time.UTC, 3)).To(Equal([]string{"2025-01-15", "2025-01-22", "2025-01-29"}))
		Expect(c.At(at("2025-01-14T23:59:59Z")).Equal(span("2025-01-08", "2025-01-15"))).To(BeTrue())
	})

	It("counts days from an anchor that is a full date", func() {
		c := period.NewCycle(period.Length{Days: 7}, period.Anchor{Day: 1, Month: ptr(1), Year: ptr(2025)}, date("2025-01-15"), time.UTC)
		Expect(starts(c, at("2025-01-16"), time.UTC, 2)).To(Equal([]string{"2025-01-15", "2025-01-22"}))
		Expect(c.IsBoundary(at("2025-01-08"))).To(BeTrue())
	})

	It("knows its boundaries", func() {
		c := period.NewCycle(monthly, period.Anchor{Day: 1}, date("2025-01-01"), time.UTC)
		Expect(c.IsBoundary(at("2025-03-01"))).To(BeTrue())
		Expect(c.IsBoundary(at("2025-03-01T00:00:01"))).To(BeFalse())
		Expect(c.Next(at("2025-03-01"))).To(Equal(at("2025-04-01")))
	})

	It("does not turn for what happens once", func() {
		c := period.NewCycle(period.CadenceOneTime.Length(period.Length{}), period.Anchor{Day: 1}, date("2025-01-01"), time.UTC)
		Expect(c.At(at("2025-03-01")).Empty()).To(BeTrue())
		Expect(c.Next(at("2025-03-01")).IsZero()).To(BeTrue())
		Expect(c.IsBoundary(at("2025-01-01"))).To(BeFalse())
	})

	property("tiles the years without gap or overlap, in every zone", func(t *rapid.T) {
		loc := drawZone(t)
		length := rapid.OneOf(
			rapid.Map(rapid.IntRange(1, 36), func(n int) period.Length { return period.Length{Months: n} }),
			rapid.Map(rapid.IntRange(1, 400), func(n int) period.Length { return period.Length{Days: n} }),
		).Draw(t, "length")
		anchor := period.Anchor{Day: rapid.IntRange(1, 31).Draw(t, "day")}
		if rapid.Bool().Draw(t, "with month") {
			anchor.Month = ptr(rapid.IntRange(1, 12).Draw(t, "month"))
		}
		if rapid.Bool().Draw(t, "with year") {
			anchor.Year = ptr(rapid.IntRange(1970, 2050).Draw(t, "year"))
		}
		c := period.NewCycle(length, anchor, drawDate(t, loc, "start"), loc)

		instant := drawInstant(t, loc, "instant")
		p := c.At(instant)
		if !p.Contains(instant) {
			t.Fatalf("%s is not in %v", instant, p)
		}
		for range 40 {
			last := c.At(p.End.Add(-time.Microsecond))
			next := c.At(p.End)
			if !last.Equal(p) || !next.Start.Equal(p.End) || next.Empty() || !c.IsBoundary(p.Start) || !c.Next(p.Start).Equal(p.End) {
				t.Fatalf("%v, its last instant in %v, is followed by %v", p, last, next)
			}
			begins := period.DateOf(p.Start, loc)
			if !begins.In(loc).Equal(p.Start) {
				t.Fatalf("%v does not begin with a local day", p)
			}
			p = next
		}
	})
})

var _ = Describe("Length", func() {
	DescribeTable("is named by a cadence",
		func(c period.Cadence, want period.Length) {
			Expect(c.Length(period.Length{Days: 10})).To(Equal(want))
		},
		Entry("monthly", period.CadenceMonthly, period.Length{Months: 1}),
		Entry("quarterly", period.CadenceQuarterly, period.Length{Months: 3}),
		Entry("semi-annual", period.CadenceSemiAnnual, period.Length{Months: 6}),
		Entry("annual", period.CadenceAnnual, period.Length{Months: 12}),
		Entry("custom", period.CadenceCustom, period.Length{Days: 10}),
		Entry("one time", period.CadenceOneTime, period.Length{}),
	)

	DescribeTable("compares",
		func(a, b period.Length, want int) {
			Expect(a.Compare(b)).To(Equal(want))
			Expect(b.Compare(a)).To(Equal(-want))
		},
		Entry("months", period.Length{Months: 3}, period.Length{Months: 12}, -1),
		Entry("a month and 30 days", period.Length{Months: 1}, period.Length{Days: 30}, 1),
		Entry("a month and 31 days", period.Length{Months: 1}, period.Length{Days: 31}, -1),
		Entry("equals", period.Length{Days: 7}, period.Length{Days: 7}, 0),
	)

	DescribeTable("divides",
		func(a, b period.Length, want bool) { Expect(a.Divides(b)).To(Equal(want)) },
		Entry("quarters make a year", quarterly, annual, true),
		Entry("years make no quarter", annual, quarterly, false),
		Entry("fortnights are weeks", period.Length{Days: 7}, period.Length{Days: 14}, true),
		Entry("weeks make no month", period.Length{Days: 7}, monthly, false),
	)
})
