package period_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/period"
)

var _ = Describe("Date", func() {
	DescribeTable("begins in a zone",
		func(d, name, instant string) {
			Expect(period.FormatInstant(date(d).In(zone(name)))).To(Equal(instant))
		},
		Entry("at midnight", "2025-03-01", "America/Los_Angeles", "2025-03-01T08:00:00+00:00"),
		Entry("at a quarter hour of UTC", "2025-03-01", "Asia/Kathmandu", "2025-02-28T18:15:00+00:00"),
		Entry("after a missing midnight (T-8)", "2025-04-25", "Africa/Cairo", "2025-04-24T22:00:00+00:00"),
		Entry("after a missing midnight on the other side of the world", "2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00+00:00"),
		Entry("at the first of two midnights", "2025-11-02", "America/Havana", "2025-11-02T04:00:00+00:00"),
		Entry("at the first midnight when the clock falls back one minute later", "2006-10-29", "America/St_Johns", "2006-10-29T02:30:00+00:00"),
		Entry("with the next day, when the zone left the date out", "2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00+00:00"),
		Entry("after a date that was left out", "2011-12-31", "Pacific/Apia", "2011-12-30T10:00:00+00:00"),
		Entry("at the end of a leap year far ahead", "2041-01-01", "Europe/Berlin", "2040-12-31T23:00:00+00:00"),
		Entry("after a shift of half an hour", "2025-10-06", "Australia/Lord_Howe", "2025-10-05T13:00:00+00:00"),
	)

	DescribeTable("owns the instants up to the next date",
		func(instant, name, d string) {
			Expect(period.DateOf(at(instant), zone(name)).String()).To(Equal(d))
		},
		Entry("the last second of February (T-4)", "2025-03-01T07:59:59Z", "America/Los_Angeles", "2025-02-28"),
		Entry("the first of March (T-4)", "2025-03-01T08:00:00Z", "America/Los_Angeles", "2025-03-01"),
		Entry("an hour that reads as yesterday once more", "2006-10-29T02:31:30Z", "America/St_Johns", "2006-10-29"),
		Entry("the last instant before a date that was left out", "2011-12-30T09:59:59Z", "Pacific/Apia", "2011-12-29"),
		Entry("the first instant after it", "2011-12-30T10:00:00Z", "Pacific/Apia", "2011-12-31"),
	)

	property("begins with the first instant that does not read as earlier", func(t *rapid.T) {
		loc := drawZone(t)
		d := drawDate(t, loc, "date")
		wall := d.In(time.UTC)
		first := wall.Add(-30 * time.Hour)
		for reads(first, loc).Before(wall) {
			first = first.Add(time.Minute)
		}
		if got := d.In(loc); !got.Equal(first) {
			t.Fatalf("%s begins at %s, want %s", d, got, first)
		}
	})

	property("is the one day that an instant belongs to", func(t *rapid.T) {
		loc := drawZone(t)
		instant := drawInstant(t, loc, "instant")
		d := period.DateOf(instant, loc)
		if d.In(loc).After(instant) || !d.AddDays(1).In(loc).After(instant) {
			t.Fatalf("%s is not in %s", instant, d)
		}
	})

	DescribeTable("adds months to the anchor day, which never sticks to a shorter one",
		func(d string, months, anchor int, want string) {
			Expect(date(d).AddMonths(months, anchor).String()).To(Equal(want))
		},
		Entry("to a shorter month", "2025-01-31", 1, 31, "2025-02-28"),
		Entry("from a shorter month", "2025-02-28", 1, 31, "2025-03-31"),
		Entry("to a leap day", "2024-01-31", 1, 31, "2024-02-29"),
		Entry("over a year's end", "2024-11-30", 3, 30, "2025-02-28"),
		Entry("backwards", "2025-01-15", -2, 15, "2024-11-15"),
	)

	DescribeTable("reads only real dates",
		func(s string) {
			_, err := period.ParseDate(s)
			Expect(err).To(HaveOccurred())
		},
		Entry("31 February", "2025-02-31"),
		Entry("29 February of a common year", "2025-02-29"),
		Entry("month 13", "2025-13-01"),
		Entry("day 0", "2025-01-00"),
		Entry("year 0", "0000-01-01"),
		Entry("one digit", "2025-1-1"),
		Entry("a time after it", "2025-01-01T00:00"),
		Entry("nothing", ""),
	)

	It("comes back from text and the database as it went", func() {
		for _, d := range []period.Date{date("2024-02-29"), {}} {
			var back period.Date
			text, err := d.MarshalText()
			Expect(err).NotTo(HaveOccurred())
			Expect(back.UnmarshalText(text)).To(Succeed())
			Expect(back).To(Equal(d))
			back = date("2000-01-01")
			value, err := d.Value()
			Expect(err).NotTo(HaveOccurred())
			Expect(back.Scan(value)).To(Succeed())
			Expect(back).To(Equal(d))
		}
		var scanned period.Date
		Expect(scanned.Scan(at("2025-03-01"))).To(Succeed())
		Expect(scanned).To(Equal(date("2025-03-01")))
		Expect(scanned.Scan(int64(1))).NotTo(Succeed())
	})
})

// reads is what a clock in loc shows at t, as if it were UTC.
func reads(t time.Time, loc *time.Location) time.Time {
	_, offset := t.In(loc).Zone()
	return t.Add(time.Duration(offset) * time.Second)
}

var _ = Describe("LoadZone", func() {
	DescribeTable("refuses what is no IANA zone",
		func(name string) {
			_, err := period.LoadZone(name)
			Expect(err).To(HaveOccurred())
		},
		Entry("nothing", ""),
		Entry("the machine's zone", "Local"),
		Entry("a file of the machine", "localtime"),
		Entry("zones with leap seconds", "right/UTC"),
		Entry("an offset", "+02:00"),
		Entry("a path", "../etc/passwd"),
		Entry("a place that has none", "Europe/Atlantis"),
	)

	It("finds all zones of the specs", func() {
		for _, name := range oddZones {
			Expect(zone(name).String()).To(Equal(name))
		}
	})
})
