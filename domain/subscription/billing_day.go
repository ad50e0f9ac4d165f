package subscription

import (
	"slices"
	"time"
)

// The day of the month on which cycles begin can be moved while a price is billed. The day holds from the
// beginning of the cycle on that runs then, and closed cycles stay as they were billed (semantics 6.3.7). It
// also holds for the prices that begin later, of other phases and plans too, until cycles start again at
// another anchor.

// dayMove says on which day cycles of a price interval begin from an instant on.
type dayMove struct {
	at  time.Time
	day *int // nil: again as the anchor says
}

// MovesBillingDay reports whether an edit of a price interval ever moved the billing day.
func (t Terms) MovesBillingDay() bool {
	return slices.ContainsFunc(t.Intervals, PriceInterval.movesDay)
}

func (i PriceInterval) movesDay() bool { return i.BillingDay != nil || len(i.BillingDaysBefore) > 0 }

// dayMoves are those of an interval, by time.
func (i PriceInterval) dayMoves() (moves []dayMove) {
	if !i.movesDay() {
		return nil
	}
	from := i.StartAt
	add := func(day *int) {
		if (day != nil || len(moves) > 0) && (i.EndAt == nil || from.Before(*i.EndAt)) {
			moves = append(moves, dayMove{from, day})
		}
	}
	for _, former := range i.BillingDaysBefore {
		add(former.Value)
		from = former.Until
	}
	add(i.BillingDay)
	return moves
}

// moveDay returns the days that an interval had before a day that is to hold from the cycle on that runs now.
// What held from then on or later gives way.
func (t Terms) moveDay(i PriceInterval, to *int, now time.Time) Former[*int] {
	from := t.runningSince(i, now)
	before, was := slices.Clone(i.BillingDaysBefore), i.BillingDay
	if !i.movesDay() { // it may have the day of others
		was, _, _ = t.movedDay(i, from, t.anchorOf(i, from).origin)
	}
	for n := len(before); n > 0 && !before[n-1].Until.Before(from); n = len(before) {
		was, before = before[n-1].Value, before[:n-1]
	}
	if was == to || was != nil && to != nil && *was == *to {
		return before
	}
	return before.and(was, i, from)
}

// runningSince returns the beginning of the cycle of an interval that runs at an instant: that of its first
// one where it has not begun, and the instant itself where it has ended.
func (t Terms) runningSince(i PriceInterval, at time.Time) time.Time {
	switch s, ok := t.first(i, at); {
	case !ok:
		return at
	case s.Period.Start.After(at):
		return i.StartAt
	default:
		return s.Period.Start
	}
}

// movedDay returns the day on which cycles of an interval begin at an instant, since when, and until when, if
// that is to change. Its own moves decide if it has any. Else those of other intervals do: while these are in
// force, and afterwards unless cycles have started again since, which they did last at restarted.
func (t Terms) movedDay(i PriceInterval, at, restarted time.Time) (day *int, since time.Time, until *time.Time) {
	take := func(m dayMove) {
		if same := day == m.day || day != nil && m.day != nil && *day == *m.day; same {
			return
		}
		if !m.at.After(at) {
			day, since = m.day, m.at
		} else if until == nil || m.at.Before(*until) {
			until = &m.at
		}
	}
	moves := i.dayMoves()
	if len(moves) == 0 {
		moves = t.dayMovesBeside(i, at, restarted)
	}
	for _, m := range moves {
		take(m)
	}
	return day, since, until
}

// dayMovesBeside are the moves of other intervals that matter at an instant, by time.
func (t Terms) dayMovesBeside(i PriceInterval, at, restarted time.Time) (moves []dayMove) {
	for _, other := range t.Intervals {
		if other.ID == i.ID {
			continue
		}
		for _, m := range other.dayMoves() {
			if m.at.After(at) || !m.at.Before(restarted) || other.inForce(at) {
				moves = append(moves, m)
			}
		}
	}
	slices.SortStableFunc(moves, func(a, b dayMove) int { return a.at.Compare(b.at) })
	return moves
}

// BillingDay is the day of the month on which cycles of an interval begin at an instant, or at the nearest
// one at which it is in force.
func (t Terms) BillingDay(i PriceInterval, at time.Time) int {
	switch {
	case at.Before(i.StartAt):
		at = i.StartAt
	case i.EndAt != nil && !at.Before(*i.EndAt):
		at = later(i.StartAt, i.EndAt.Add(-time.Microsecond))
	}
	return t.anchorOf(i, at).Day
}
