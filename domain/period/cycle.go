package period

import "time"

// Length is how long a cycle is: months or days, never both. Its zero value is
// the length of what happens once.
type Length struct{ Months, Days int }

// OneTime reports whether l has no length.
func (l Length) OneTime() bool { return l == Length{} }

// Compare returns -1, 0 or +1 as l is shorter than, as long as or longer than o.
// A month against days counts as the calendar's mean, 30.436875 days.
func (l Length) Compare(o Length) int { return sign(l.span() - o.span()) }

// span is the length in millionths of a day.
func (l Length) span() int { return l.Months*30_436_875 + l.Days*1_000_000 }

func sign(n int) int { return min(max(n, -1), 1) }

// Divides reports whether whole cycles of l fill one of o (price models 5.1).
func (l Length) Divides(o Length) bool {
	switch {
	case l.Months > 0 && o.Months > 0:
		return o.Months%l.Months == 0
	case l.Days > 0 && o.Days > 0:
		return o.Days%l.Days == 0
	}
	return false
}

// Count is how many cycles of part fill one of l, which they do.
func (l Length) Count(part Length) int {
	if l.Months > 0 {
		return l.Months / part.Months
	}
	return l.Days / part.Days
}

// Cadence is how often a price is billed.
type Cadence string

const (
	CadenceOneTime    Cadence = "one_time"
	CadenceMonthly    Cadence = "monthly"
	CadenceQuarterly  Cadence = "quarterly"
	CadenceSemiAnnual Cadence = "semi_annual"
	CadenceAnnual     Cadence = "annual"
	CadenceCustom     Cadence = "custom"
)

// Length returns the length that the cadence names; custom is that of CadenceCustom.
func (c Cadence) Length(custom Length) Length {
	switch c {
	case CadenceMonthly:
		return Length{Months: 1}
	case CadenceQuarterly:
		return Length{Months: 3}
	case CadenceSemiAnnual:
		return Length{Months: 6}
	case CadenceAnnual:
		return Length{Months: 12}
	case CadenceCustom:
		return custom
	}
	return Length{}
}

// Anchor fixes where cycles begin (semantics 1.1.5). Day is 1 to 31 and means the
// last day of a month that is shorter; Month and Year are nil where not given.
type Anchor struct {
	Day   int
	Month *int
	Year  *int
}

// Cycle is an endless row of equal periods in a local calendar, before its anchor
// as well as after. Every boundary is the beginning of a local day.
type Cycle struct {
	length Length
	origin Date // day cycles: one boundary
	phase  int  // month cycles: the index of a month with a boundary
	day    int  // month cycles: the anchor day
	loc    *time.Location
}

// NewCycle places cycles of a length. Month cycles begin on the anchor's day, in
// months counted from the anchor's month and year or, where it names none, those
// of start. Day cycles count from the anchor if it is a full date, else from start.
func NewCycle(length Length, anchor Anchor, start Date, loc *time.Location) Cycle {
	year, month := start.Year, start.Month
	if anchor.Year != nil {
		year = *anchor.Year
	}
	if anchor.Month != nil {
		month = time.Month(*anchor.Month)
	}
	c := Cycle{length: length, origin: start, phase: monthIndex(year, month), day: anchor.Day, loc: loc}
	if anchor.Year != nil && anchor.Month != nil {
		c.origin = onDay(c.phase, anchor.Day)
	}
	return c
}

// At returns the full cycle that contains t. With the length of what happens once
// there is none: the period is empty.
func (c Cycle) At(t time.Time) Period {
	if c.length.OneTime() {
		return Period{}
	}
	n := c.number(DateOf(t, c.loc))
	return Period{c.boundary(n).In(c.loc), c.boundary(n + 1).In(c.loc)}
}

// Next returns the first boundary after t, never t itself. It is the zero time for
// the length of what happens once.
func (c Cycle) Next(t time.Time) time.Time { return c.At(t).End }

// IsBoundary reports whether a cycle begins at t.
func (c Cycle) IsBoundary(t time.Time) bool {
	return !c.length.OneTime() && c.At(t).Start.Equal(t)
}

// number says which cycle d lies in, counted from the origin or the phase.
func (c Cycle) number(d Date) int {
	if c.length.Months == 0 {
		return floorDiv(d.Since(c.origin), c.length.Days)
	}
	n := floorDiv(monthIndex(d.Year, d.Month)-c.phase, c.length.Months)
	if d.Before(c.boundary(n)) {
		n--
	}
	return n
}

// boundary returns the first day of the cycle with that number.
func (c Cycle) boundary(n int) Date {
	if c.length.Months == 0 {
		return c.origin.AddDays(n * c.length.Days)
	}
	return onDay(c.phase+n*c.length.Months, c.day)
}
