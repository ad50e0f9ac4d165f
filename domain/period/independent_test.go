package period_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/period"
	"tollkeeper/domain/reference"
)

var _ = Describe("The independent reference model of the calendar", func() {
	at := func(text string) time.Time {
		t, err := time.Parse(time.RFC3339, text)
		Expect(err).NotTo(HaveOccurred())
		return t
	}
	zone := func(name string) *time.Location {
		loc, err := time.LoadLocation(name)
		Expect(err).NotTo(HaveOccurred())
		return loc
	}

	DescribeTable("gives the scenarios of semantics 1.2",
		func(name string, c reference.Cycle, instant, start, end string, days int) {
			from, to := c.At(at(instant), zone(name))
			Expect(from.UTC()).To(Equal(at(start)))
			Expect(to.UTC()).To(Equal(at(end)))
			Expect(reference.DaysBetween(from, to, zone(name))).To(Equal(days))
		},
		Entry("T-2, a month without the day", "UTC", reference.CycleOf(1, 0, 31, 0, 0, reference.Date{Year: 2025, Month: 1, Day: 31}),
			"2025-03-01T00:00:00Z", "2025-02-28T00:00:00Z", "2025-03-31T00:00:00Z", 31),
		Entry("T-3, a clock change inside", "America/Los_Angeles", reference.CycleOf(1, 0, 1, 0, 0, reference.Date{Year: 2025, Month: 1, Day: 1}),
			"2025-03-31T12:00:00Z", "2025-03-01T08:00:00Z", "2025-04-01T07:00:00Z", 31),
		Entry("T-6, a leap day", "UTC", reference.CycleOf(12, 0, 29, 2, 2024, reference.Date{Year: 2024, Month: 2, Day: 29}),
			"2027-03-01T00:00:00Z", "2027-02-28T00:00:00Z", "2028-02-29T00:00:00Z", 366),
		Entry("T-7, an anchor with a month", "UTC", reference.CycleOf(3, 0, 31, 2, 0, reference.Date{Year: 2025, Month: 1, Day: 10}),
			"2025-01-10T00:00:00Z", "2024-11-30T00:00:00Z", "2025-02-28T00:00:00Z", 90),
		Entry("T-8, no midnight", "Africa/Cairo", reference.CycleOf(1, 0, 25, 0, 0, reference.Date{Year: 2025, Month: 1, Day: 25}),
			"2025-05-01T00:00:00Z", "2025-04-24T22:00:00Z", "2025-05-24T21:00:00Z", 30),
	)

	It("agrees with the calendar that bills, in zones with all kinds of clock changes", func() {
		zones := []string{"UTC", "America/Los_Angeles", "Africa/Cairo", "America/St_Johns", "Asia/Kolkata", "Australia/Lord_Howe", "Pacific/Apia", "America/Sao_Paulo", "Asia/Beirut", "Pacific/Kiritimati", "Atlantic/Azores"}
		rapid.Check(GinkgoT(), func(t *rapid.T) {
			name := rapid.SampledFrom(zones).Draw(t, "zone")
			loc, err := time.LoadLocation(name)
			if err != nil {
				t.Fatal(err)
			}
			day := period.Date{Year: rapid.IntRange(2010, 2030).Draw(t, "year"), Month: time.Month(rapid.IntRange(1, 12).Draw(t, "month")), Day: rapid.IntRange(1, 28).Draw(t, "day")}
			plain := reference.Date{Year: day.Year, Month: day.Month, Day: day.Day}
			if a, b := day.In(loc), reference.Midnight(plain, loc); !a.Equal(b) {
				t.Fatalf("%v begins in %s at %s, by the reference model at %s", day, name, a.UTC(), b.UTC())
			}
			length, anchor := period.Length{}, period.Anchor{Day: rapid.IntRange(1, 31).Draw(t, "anchor")}
			month, year := 0, 0
			if rapid.Bool().Draw(t, "days") {
				length.Days = rapid.IntRange(1, 90).Draw(t, "length")
			} else {
				length.Months = rapid.SampledFrom([]int{1, 2, 3, 6, 12, 24}).Draw(t, "length")
			}
			if rapid.Bool().Draw(t, "with month") {
				month = rapid.IntRange(1, 12).Draw(t, "anchor month")
				anchor.Month = &month
				if rapid.Bool().Draw(t, "with year") {
					year = rapid.IntRange(2015, 2025).Draw(t, "anchor year")
					anchor.Year = &year
				}
			}
			instant := time.Unix(rapid.Int64Range(1_300_000_000, 1_900_000_000).Draw(t, "instant"), 0)
			p := period.NewCycle(length, anchor, day, loc).At(instant)
			start, end := reference.CycleOf(length.Months, length.Days, anchor.Day, month, year, plain).At(instant, loc)
			if !p.Start.Equal(start) || !p.End.Equal(end) {
				t.Fatalf("%+v %+v from %v in %s at %s: %v, by the reference model %s to %s", length, anchor, day, name, instant, p, start, end)
			}
			if a, b := period.Days(p, loc), reference.DaysBetween(start, end, loc); a != b {
				t.Fatalf("%v has %d days or %d", p, a, b)
			}
		})
	})
})
