package period

import "time"

// Period is the span from Start, inclusive, to End, exclusive.
type Period struct{ Start, End time.Time }

// Contains reports whether t lies in p; its end does not.
func (p Period) Contains(t time.Time) bool {
	return !t.Before(p.Start) && t.Before(p.End)
}

// Empty reports whether p holds no instant.
func (p Period) Empty() bool { return !p.Start.Before(p.End) }

// Equal reports whether p and o have the same bounds, in any zone.
func (p Period) Equal(o Period) bool {
	return p.Start.Equal(o.Start) && p.End.Equal(o.End)
}

// Intersect returns what p and o share, and whether that is anything.
func (p Period) Intersect(o Period) (Period, bool) {
	if o.Start.After(p.Start) {
		p.Start = o.Start
	}
	if o.End.Before(p.End) {
		p.End = o.End
	}
	if p.Empty() {
		return Period{}, false
	}
	return p, true
}

// LocalDays cuts p at the midnights of loc. The first and the last window may be
// parts of a day. An empty period has none.
func (p Period) LocalDays(loc *time.Location) []Period {
	var windows []Period
	day := DateOf(p.Start, loc)
	for from := p.Start; from.Before(p.End); {
		day = day.AddDays(1)
		to := day.In(loc)
		if p.End.Before(to) {
			to = p.End
		}
		if to.After(from) { // not a day that the zone left out
			windows = append(windows, Period{from, to})
			from = to
		}
	}
	return windows
}

// Days counts the calendar days of p in loc. An instant inside a day counts as
// the start of that day, so the day of a change belongs to what comes after it
// (semantics 1.1.14).
func Days(p Period, loc *time.Location) int {
	return DateOf(p.End, loc).Since(DateOf(p.Start, loc))
}

// Fraction is Part of Whole days. Its zero value is the whole.
type Fraction struct{ Part, Whole int }

// FractionOf measures piece against the whole it is a piece of, in days of loc.
func FractionOf(piece, whole Period, loc *time.Location) Fraction {
	return Fraction{Part: Days(piece, loc), Whole: Days(whole, loc)}
}

// IsWhole reports whether nothing is missing.
func (f Fraction) IsWhole() bool { return f.Part == f.Whole }
