package main

import (
	"fmt"
	"time"
)

// day is a calendar day without a zone: days since 1970-01-01.
type day int

func dayOn(y int, m time.Month, d int) day {
	return day(time.Date(y, m, d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func parseDay(text string) day {
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		panic(err)
	}
	return dayOn(t.Date())
}

func (d day) date() (int, time.Month, int) { return time.Unix(int64(d)*86400, 0).UTC().Date() }

func (d day) String() string { return time.Unix(int64(d)*86400, 0).UTC().Format(time.DateOnly) }

// addMonths moves the month of a day that is the anchor: a day beyond the end of the month
// means its last day (semantics 1.1.5 and 1.1.6).
func addMonths(y int, m time.Month, anchor, months int) day {
	first := time.Date(y, m+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := time.Date(first.Year(), first.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return dayOn(first.Year(), first.Month(), min(anchor, last))
}

// zone knows the local days of a customer.
type zone struct {
	name   string
	loc    *time.Location
	starts map[day]time.Time
}

func newZone(name string) *zone {
	loc, err := time.LoadLocation(name)
	if err != nil {
		panic(err)
	}
	return &zone{name, loc, map[day]time.Time{}}
}

// start is the first instant of a local day (semantics 1.1.8): the first that shows the
// date or a later one. Clocks change at quarters of an hour.
func (z *zone) start(d day) time.Time {
	if at, ok := z.starts[d]; ok {
		return at
	}
	at := time.Unix(int64(d)*86400, 0).UTC().Add(-15 * time.Hour)
	for dayOn(at.In(z.loc).Date()) < d {
		at = at.Add(15 * time.Minute)
	}
	z.starts[d] = at
	return at
}

// day is the local day that an instant belongs to.
func (z *zone) day(at time.Time) day {
	d := dayOn(at.In(z.loc).Date())
	for !z.start(d + 1).After(at) {
		d++
	}
	for z.start(d).After(at) {
		d--
	}
	return d
}

// cycle is how long a period is: so many months, or so many days, or for ever.
type cycle struct {
	Months int `json:"months,omitempty"`
	Days   int `json:"days,omitempty"`
}

func (c cycle) String() string {
	switch {
	case c.Months > 0:
		return fmt.Sprint(c.Months, " months")
	case c.Days > 0:
		return fmt.Sprint(c.Days, " days")
	}
	return "once"
}

// anchor fixes where cycles begin.
type anchor struct {
	year  int
	month time.Month
	day   int // of the month, 1 to 31
	from  day // where cycles of days begin
}

// at is the start of the kth cycle.
func (a anchor) at(c cycle, k int) day {
	if c.Days > 0 {
		return a.from + day(c.Days*k)
	}
	return addMonths(a.year, a.month, a.day, c.Months*k)
}

// around is the cycle that a day lies in.
func (a anchor) around(c cycle, d day) span {
	if c == (cycle{}) {
		return span{a.from, a.from + 1<<20}
	}
	k := 0
	for a.at(c, k) > d {
		k--
	}
	for a.at(c, k+1) <= d {
		k++
	}
	return span{a.at(c, k), a.at(c, k+1)}
}

// span is a row of local days; to is not in it.
type span struct{ from, to day }

func (s span) days() int { return int(s.to - s.from) }

func (s span) String() string { return fmt.Sprintf("[%s, %s)", s.from, s.to) }
