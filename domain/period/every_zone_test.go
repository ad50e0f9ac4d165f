package period_test

import (
	"archive/zip"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/period"
)

// The years that every zone is looked at in. In 2011 Samoa left out a day.
const firstYear, years = 2011, 20

var _ = Describe("Every zone of the database", func() {
	var zones []*time.Location
	BeforeEach(func() { zones = everyZone() })

	cycles := func(loc *time.Location) []period.Cycle {
		start := period.Date{Year: firstYear, Month: time.January, Day: 1}
		of := func(length period.Length, anchorDay int) period.Cycle {
			return period.NewCycle(length, period.Anchor{Day: anchorDay}, start, loc)
		}
		return []period.Cycle{of(monthly, 1), of(monthly, 31), of(quarterly, 15), of(annual, 29), of(period.Length{Days: 7}, 1), of(period.Length{Days: 1}, 1)}
	}

	It("has periods that tile the years without gap or overlap", func() {
		for _, loc := range zones {
			for _, c := range cycles(loc)[:5] { // days: below, where clocks change
				from, until := at("2011-01-01"), at("2031-01-01")
				for p := c.At(from); p.Start.Before(until); p = c.At(p.End) {
					if next := c.At(p.End); p.Empty() || !next.Start.Equal(p.End) || !c.At(p.End.Add(-1)).Equal(p) {
						Fail(loc.String() + ": " + strings.Join(written(p, next), " is followed by "))
					}
				}
			}
		}
	})

	It("has periods whose first and last instants are right at each change of the clock", func() {
		changes := 0
		for _, loc := range zones {
			for _, change := range changesOf(loc) {
				changes++
				for _, c := range cycles(loc) {
					for _, instant := range []time.Time{change.Add(-1), change, change.Add(1)} {
						p := c.At(instant)
						if !p.Contains(instant) || !begins(p.Start, loc) || !begins(p.End, loc) {
							Fail(loc.String() + ": " + written(p)[0] + " at " + period.FormatInstant(instant))
						}
					}
				}
			}
		}
		Expect(changes).To(BeNumerically(">", 5000))
	})

	It("has days that begin where a clock first reads their date, at each end of a month and change of the clock", func() {
		for _, loc := range zones {
			for _, day := range daysOf(loc) {
				if start := day.In(loc); !begins(start, loc) || period.DateOf(start, loc).Before(day) {
					Fail(loc.String() + ": " + day.String() + " does not begin at " + period.FormatInstant(start))
				}
			}
		}
	})

	It("would show a day that is taken for 24 hours long", func() {
		wrong := 0
		for _, loc := range zones {
			for _, change := range changesOf(loc) {
				if midnight := period.DateOf(change, loc).In(loc); !begins(midnight.Add(24*time.Hour), loc) {
					wrong++
				}
			}
		}
		Expect(wrong).To(BeNumerically(">", 2000))
	})
})

// everyZone loads all zones that the library brings along, but for those that are the
// same under another name.
func everyZone() (zones []*time.Location) {
	GinkgoHelper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	Expect(err).NotTo(HaveOccurred())
	names, err := zip.OpenReader(filepath.Join(strings.TrimSpace(string(root)), "lib", "time", "zoneinfo.zip"))
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = names.Close() }()
	listed, same := 0, map[uint32]bool{}
	for _, file := range names.File {
		if strings.HasSuffix(file.Name, "/") || file.Name == "Factory" {
			continue
		}
		listed++
		loc, err := period.LoadZone(file.Name)
		Expect(err).NotTo(HaveOccurred(), file.Name)
		if !same[file.CRC32] {
			same[file.CRC32] = true
			zones = append(zones, loc)
		}
	}
	Expect(listed).To(BeNumerically(">", 550))
	return zones
}

// changesOf lists the instants at which the clock of a zone changes in those years.
func changesOf(loc *time.Location) (changes []time.Time) {
	first := time.Date(firstYear, 1, 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(years, 0, 0)
	for hour := first; hour.Before(last); hour = hour.Add(7 * 24 * time.Hour) {
		if !sameOffset(hour, hour.Add(7*24*time.Hour), loc) {
			changes = append(changes, changeIn(hour, hour.Add(7*24*time.Hour), loc))
		}
	}
	return changes
}

func sameOffset(a, b time.Time, loc *time.Location) bool { return offset(a, loc) == offset(b, loc) }

func offset(at time.Time, loc *time.Location) int {
	_, seconds := at.In(loc).Zone()
	return seconds
}

// changeIn narrows down where the offset changes between two instants.
func changeIn(before, after time.Time, loc *time.Location) time.Time {
	for after.Sub(before) > time.Second {
		middle := before.Add(after.Sub(before) / 2).Truncate(time.Second)
		if sameOffset(before, middle, loc) {
			before = middle
		} else {
			after = middle
		}
	}
	return after
}

// daysOf are the days around changes of the clock, and the first and last of all months.
func daysOf(loc *time.Location) (days []period.Date) {
	for _, change := range changesOf(loc) {
		for off := -1; off <= 2; off++ {
			days = append(days, period.DateOf(change, loc).AddDays(off))
		}
	}
	first := period.Date{Year: firstYear, Month: time.January, Day: 1}
	for month := range 12 * years {
		days = append(days, first.AddMonths(month, 1), first.AddMonths(month, 31))
	}
	return slices.Compact(days)
}

// begins reports whether a local day begins at an instant: no clock in the zone read its
// date, or a later one, before.
func begins(start time.Time, loc *time.Location) bool {
	local := start.In(loc)
	date := local.Year()*10_000 + int(local.Month())*100 + local.Day()
	for back := time.Duration(1); back < 26*time.Hour; back += 30 * time.Minute {
		before := start.Add(-back).In(loc)
		if before.Year()*10_000+int(before.Month())*100+before.Day() >= date {
			return false
		}
	}
	return true
}
