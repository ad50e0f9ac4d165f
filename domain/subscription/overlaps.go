package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/store/fault"
)

// checkOverlaps tells why the intervals that a request has added or edited cannot be in force
// beside the others: an invoice has a price once, usage and licenses are not charged
// twice, and prices in force together have one billing day (semantics 6.3.7). at is
// where the request has intervals, by id.
func (t Terms) checkOverlaps(before Terms, edits []IntervalEdit, at map[string]string) error {
	var faults []error
	for k, later := range t.Intervals {
		for _, earlier := range t.Intervals[:k] {
			place, asked := at[later.ID]
			if !asked {
				place, asked = at[earlier.ID]
			}
			if asked && later.overlaps(earlier.StartAt, earlier.EndAt) {
				faults = append(faults, fault.In(place, t.checkPair(before, edits, later, earlier)))
			}
		}
	}
	return fault.Join(faults...)
}

func (t Terms) checkPair(before Terms, edits []IntervalEdit, i, o PriceInterval) error {
	if i.PriceID == o.PriceID {
		return fault.Bad("start_date, end_date", "must not overlap another interval of the same price")
	}
	if err := catalog.CheckConflicts(i.Price, o.Price); err != nil {
		return fault.In("price", err)
	}
	if t.daysDiffer(before, edits, i, o) {
		return fault.Bad("billing_cycle_day", "must be that of all prices in force at the same time")
	}
	return nil
}

// daysDiffer reports whether two intervals that are in force together have different billing days. One that
// a request adds has the day of the others, and one that it leaves alone does not follow another that it
// moves: both are to be named.
func (t Terms) daysDiffer(before Terms, edits []IntervalEdit, i, o PriceInterval) bool {
	both := later(i.StartAt, o.StartAt)
	days := func(p PriceInterval) func(at time.Time) int {
		old := slices.IndexFunc(before.Intervals, func(was PriceInterval) bool { return was.ID == p.ID })
		moved := slices.ContainsFunc(edits, func(e IntervalEdit) bool { return e.ID == p.ID && e.BillingDay.Given })
		if moves := p.dayMoves(); moved && len(moves) > 0 {
			both = later(both, moves[len(moves)-1].at)
		}
		if old >= 0 && !moved {
			return func(at time.Time) int { return before.BillingDay(p, at) }
		}
		return func(at time.Time) int { return t.BillingDay(p, at) }
	}
	first, second := days(i), days(o)
	return i.inForce(both) && o.inForce(both) && first(both) != second(both)
}
