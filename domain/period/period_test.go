package period_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/period"
)

var _ = Describe("Period", func() {
	march := span("2025-03-01", "2025-04-01")

	It("includes its start and not its end", func() {
		Expect(march.Contains(march.Start)).To(BeTrue())
		Expect(march.Contains(march.End.Add(-time.Microsecond))).To(BeTrue())
		Expect(march.Contains(march.End)).To(BeFalse())
		Expect(march.Contains(march.Start.Add(-time.Microsecond))).To(BeFalse())
	})

	It("is empty when it ends no later than it starts", func() {
		Expect(march.Empty()).To(BeFalse())
		Expect(span("2025-03-01", "2025-03-01").Empty()).To(BeTrue())
		Expect(span("2025-03-02", "2025-03-01").Empty()).To(BeTrue())
	})

	DescribeTable("shares with another",
		func(start, end, sharedStart, sharedEnd string) {
			shared, any := march.Intersect(span(start, end))
			Expect(any).To(BeTrue())
			Expect(shared.Equal(span(sharedStart, sharedEnd))).To(BeTrue())
		},
		Entry("its end", "2025-03-10", "2025-05-01", "2025-03-10", "2025-04-01"),
		Entry("its start", "2025-01-01", "2025-03-10", "2025-03-01", "2025-03-10"),
		Entry("what lies inside", "2025-03-10", "2025-03-11", "2025-03-10", "2025-03-11"),
		Entry("all of it", "2025-01-01", "2025-12-01", "2025-03-01", "2025-04-01"),
	)

	It("shares nothing with one that only touches it", func() {
		_, any := march.Intersect(span("2025-04-01", "2025-05-01"))
		Expect(any).To(BeFalse())
	})

	It("T-5: is cut into local days, the first and last in part", func() {
		days := span("2025-06-10", "2025-06-12").LocalDays(zone("Asia/Kolkata"))
		Expect(written(days...)).To(Equal([]string{
			"2025-06-10T00:00:00+00:00 2025-06-10T18:30:00+00:00",
			"2025-06-10T18:30:00+00:00 2025-06-11T18:30:00+00:00",
			"2025-06-11T18:30:00+00:00 2025-06-12T00:00:00+00:00",
		}))
	})

	It("T-9: has 30 days in November in New York, one of 25 hours", func() {
		days := span("2025-11-01T04:00", "2025-12-01T05:00").LocalDays(zone("America/New_York"))
		Expect(days).To(HaveLen(30))
		Expect(days[1].End.Sub(days[1].Start)).To(Equal(25 * time.Hour))
		Expect(days[2].End.Sub(days[2].Start)).To(Equal(24 * time.Hour))
	})

	It("has no window for a day that the zone left out", func() {
		apia := zone("Pacific/Apia")
		december := period.Period{Start: date("2011-12-01").In(apia), End: date("2012-01-01").In(apia)}
		Expect(december.LocalDays(apia)).To(HaveLen(30))
		Expect(period.Days(december, apia)).To(Equal(31))
	})

	property("is tiled by its days, none empty", func(t *rapid.T) {
		loc := drawZone(t)
		start := drawInstant(t, loc, "start")
		p := period.Period{Start: start, End: start.Add(time.Duration(rapid.IntRange(0, 100*24*60).Draw(t, "minutes")) * time.Minute)}
		at := p.Start
		for _, day := range p.LocalDays(loc) {
			if !day.Start.Equal(at) || day.Empty() || period.DateOf(day.Start, loc) != period.DateOf(day.End.Add(-time.Microsecond), loc) {
				t.Fatalf("%v after %s", day, at)
			}
			at = day.End
		}
		if !at.Equal(p.End) {
			t.Fatalf("days end at %s, not %s", at, p.End)
		}
	})
})

var _ = Describe("Days", func() {
	DescribeTable("counts local calendar days",
		func(start, end, name string, days int) {
			Expect(period.Days(span(start, end), zone(name))).To(Equal(days))
		},
		Entry("of a month with a clock change (T-3)", "2025-03-01T08:00", "2025-04-01T07:00", "America/Los_Angeles", 31),
		Entry("the day of a change belongs to what comes after", "2025-03-01T00:00", "2025-03-11T16:45", "UTC", 10),
		Entry("and is counted there", "2025-03-11T16:45", "2025-04-01T00:00", "UTC", 21),
		Entry("none inside one day", "2025-03-11T01:00", "2025-03-11T23:00", "UTC", 0),
		Entry("one from evening to morning", "2025-03-11T23:00", "2025-03-12T01:00", "UTC", 1),
	)

	property("adds up over the pieces of a period", func(t *rapid.T) {
		loc := drawZone(t)
		a, b := drawInstant(t, loc, "a"), drawInstant(t, loc, "b")
		cut := drawInstant(t, loc, "cut")
		whole := period.Days(period.Period{Start: a, End: b}, loc)
		parts := period.Days(period.Period{Start: a, End: cut}, loc) + period.Days(period.Period{Start: cut, End: b}, loc)
		if whole != parts {
			t.Fatalf("%d days, %d in pieces", whole, parts)
		}
	})

	It("gives the fraction of a piece", func() {
		whole := span("2025-01-01", "2025-02-01")
		Expect(period.FractionOf(span("2025-01-15", "2025-02-01"), whole, time.UTC)).To(Equal(period.Fraction{Part: 17, Whole: 31}))
		Expect(period.FractionOf(whole, whole, time.UTC).IsWhole()).To(BeTrue())
		Expect(period.Fraction{}.IsWhole()).To(BeTrue())
		Expect(period.Fraction{Part: 0, Whole: 31}.IsWhole()).To(BeFalse())
	})
})
