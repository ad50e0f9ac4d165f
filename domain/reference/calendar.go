package reference

import (
	"time"
)

// Date is a day of a calendar.
type Date struct {
	Year  int
	Month time.Month
	Day   int
}

// DateOf is the local day that an instant lies in.
func DateOf(at time.Time, zone *time.Location) Date {
	var d Date
	d.Year, d.Month, d.Day = at.In(zone).Date()
	return d
}

func (d Date) utc() time.Time { return time.Date(d.Year, d.Month, d.Day, 0, 0, 0, 0, time.UTC) }

// Before reports whether the day lies before another.
func (d Date) Before(o Date) bool { return d.utc().Before(o.utc()) }

// Midnight is the instant at which a local day begins: the first one whose local date is
// that day or a later one. Where clocks skip midnight that is the instant after the gap,
// and where it comes twice the first of them (semantics 1.1.8).
func Midnight(d Date, zone *time.Location) time.Time {
	const step = 30 * time.Second // no clock goes back across midnight sooner after it
	at := d.utc().Add(-16 * time.Hour)
	for DateOf(at, zone).Before(d) {
		at = at.Add(step)
	}
	for at = at.Add(-step); DateOf(at, zone).Before(d); {
		at = at.Add(time.Second)
	}
	return at
}

// DaysBetween counts local days from one instant to another. An instant within a day counts
// as its beginning, and a day of 23 or 25 hours is one day (semantics 1.1.14).
func DaysBetween(from, to time.Time, zone *time.Location) int {
	return int(DateOf(to, zone).utc().Sub(DateOf(from, zone).utc()) / (24 * time.Hour))
}

// Cycle is a row of billing periods, of months or of days.
type Cycle struct {
	Months int
	Days   int // 0 with Months

	// Anchor is a day on which a period begins. Its Day may be more than its month has: it
	// means the last day then, and stays what it is for longer months (semantics 1.1.5 to 7).
	Anchor Date
}

// At is the period of the cycle that contains an instant: from the beginning of a local day,
// inclusive, to that of another.
func (c Cycle) At(at time.Time, zone *time.Location) (start, end time.Time) {
	day := DateOf(at, zone)
	n := 0
	for c.boundary(n).Before(day) || c.boundary(n) == day {
		n++
	}
	for day.Before(c.boundary(n)) {
		n--
	}
	return Midnight(c.boundary(n), zone), Midnight(c.boundary(n+1), zone)
}

// boundary is the first day of the n-th period, counted from the one of the anchor.
func (c Cycle) boundary(n int) Date {
	if c.Months == 0 {
		t := c.Anchor.utc().AddDate(0, 0, n*c.Days)
		return Date{t.Year(), t.Month(), t.Day()}
	}
	first := time.Date(c.Anchor.Year, c.Anchor.Month, 1, 0, 0, 0, 0, time.UTC).AddDate(0, n*c.Months, 0)
	last := first.AddDate(0, 1, -1).Day()
	d := Date{first.Year(), first.Month(), c.Anchor.Day}
	if d.Day > last {
		d.Day = last
	}
	return d
}

// CycleOf is the cycle of a length for a subscription: its anchor names a day and may name
// a month and a year (0: none); what it does not name is that of the start. A cycle of days
// counts from the anchor if that is a full date, else from the start.
func CycleOf(months, days, anchorDay, anchorMonth, anchorYear int, start Date) Cycle {
	c := Cycle{Months: months, Days: days, Anchor: start}
	if months > 0 || anchorYear != 0 && anchorMonth != 0 {
		c.Anchor.Day = anchorDay
		if anchorMonth != 0 {
			c.Anchor.Month = time.Month(anchorMonth)
		}
		if anchorYear != 0 {
			c.Anchor.Year = anchorYear
		}
	}
	if months == 0 { // the day itself, and no later one
		c.Anchor = Cycle{Months: 1, Anchor: c.Anchor}.boundary(0)
	}
	return c
}

// Days are the days of a billing period that something is for, counted from the start of the
// period; To is exclusive. The zero value is all of it.
type Days struct{ From, To, Of int }
