package period_test

import (
	"flag"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/period"
)

func TestPeriod(t *testing.T) {
	if err := flag.Set("rapid.checks", "1000"); err != nil {
		t.Fatal(err)
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "period")
}

// property runs a property as one spec.
func property(sentence string, check func(t *rapid.T)) {
	It(sentence, func() { rapid.Check(GinkgoT(), check) })
}

func zone(name string) *time.Location {
	loc, err := period.LoadZone(name)
	if err != nil {
		panic(name)
	}
	return loc
}

// at reads an instant; without offset it is UTC.
func at(s string) time.Time {
	t, err := period.ParseInstant(s, time.UTC)
	if err != nil {
		panic(s)
	}
	return t
}

func date(s string) period.Date {
	d, err := period.ParseDate(s)
	if err != nil {
		panic(s)
	}
	return d
}

func span(start, end string) period.Period { return period.Period{Start: at(start), End: at(end)} }

func ptr(n int) *int { return &n }

// written formats the bounds of periods, one text each.
func written(ps ...period.Period) (texts []string) {
	for _, p := range ps {
		texts = append(texts, period.FormatInstant(p.Start)+" "+period.FormatInstant(p.End))
	}
	return texts
}

// oddZones have midnights that are skipped or read twice, whole days left out,
// shifts of half an hour and offsets of quarter hours.
var oddZones = []string{
	"UTC", "America/New_York", "America/Los_Angeles", "Europe/Berlin", "Asia/Kolkata", "Asia/Kathmandu",
	"Africa/Cairo", "America/Sao_Paulo", "America/Havana", "America/Asuncion", "America/Santiago", "Asia/Beirut", "Asia/Amman",
	"Asia/Tehran", "Asia/Gaza", "America/St_Johns", "America/Scoresbysund", "Atlantic/Azores", "Pacific/Apia", "Pacific/Fakaofo",
	"Pacific/Kwajalein", "Pacific/Kiritimati", "Australia/Lord_Howe", "Antarctica/Troll", "Pacific/Chatham", "America/Juneau",
}

func drawZone(t *rapid.T) *time.Location {
	return zone(rapid.SampledFrom(oddZones).Draw(t, "zone"))
}

// drawDate draws a date, often one at which the clock of loc changes.
func drawDate(t *rapid.T, loc *time.Location, label string) period.Date {
	return period.DateOf(drawInstant(t, loc, label), loc).AddDays(rapid.IntRange(-1, 1).Draw(t, label+", days off"))
}

// drawInstant draws an instant, often one near a change of the clock of loc.
func drawInstant(t *rapid.T, loc *time.Location, label string) time.Time {
	first := at("1980-01-02T00:00:00").Unix()
	instant := time.Unix(first+rapid.Int64Range(0, 120*365*86400).Draw(t, label), 0).UTC()
	_, change := instant.In(loc).ZoneBounds()
	if change.IsZero() || !rapid.Bool().Draw(t, label+", near a change") {
		return instant
	}
	return change.UTC().Add(time.Duration(rapid.IntRange(-90, 90).Draw(t, label+", minutes off")) * time.Minute)
}
