package invoice

import (
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// holds reports whether a line in advance charges what the terms still do: such a
// service, for its quantity, under the same adjustments, and with no more taken back
// than they take back.
func (b books) holds(t subscription.Terms, l Line) bool {
	s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
	return found && b.stands(t, s, l) && (s.Interval.Price.Length().OneTime() || !b.lacks(t, s, l))
}

// stands is holds, whatever was taken back.
func (b books) stands(t subscription.Terms, s subscription.Service, l Line) bool {
	if !sameQuantity(s, l) || b.adjusted[l.ID] || b.undone[l.ID] {
		return false
	}
	return s.Interval.Price.Length().OneTime() || sameCycle(t, s, l)
}

// sameCycle reports whether a line charges its service as a part of the same billing
// cycle, and up to its end at least.
func sameCycle(t subscription.Terms, s subscription.Service, l Line) bool {
	cut, cycle := s.Period.End.Before(l.EndAt), s.Cycle
	if s.Instalment != nil {
		cycle = s.Instalment.Cycle
	}
	return s.Days(t.Customer.Location()).Of == l.Fraction.Whole &&
		!s.Period.End.After(l.EndAt) && !(cut && s.Period.End.Equal(cycle.End))
}

// sameQuantity reports whether a line charges a fee for the quantity of its service.
func sameQuantity(s subscription.Service, l Line) bool {
	if !s.Interval.Price.Fixed() {
		return true
	}
	quantity := s.Quantity
	if s.Before != nil {
		quantity = quantity.Sub(*s.Before)
	}
	return quantity.Equal(l.Quantity)
}

// lacks reports whether something was taken back of a line for a decrease that is none
// any more, or is a smaller one.
func (b books) lacks(t subscription.Terms, s subscription.Service, l Line) bool {
	ends := days(s.Period, t).End
	for _, taken := range b.taken[l.ID] {
		if taken.Automatic && taken.Period.Start.Before(ends) && b.decrease(t, s.Interval, taken.Period).Cmp(b.takenAt(t, s.Interval, taken.Period)) < 0 {
			return true
		}
	}
	return false
}

// decrease is what the decreases of an interval's quantity of the day on which a period
// begins give back for it, whatever ended since.
func (b books) decrease(t subscription.Terms, i subscription.PriceInterval, of period.Period) (sum money.Decimal) {
	for _, s := range t.Decreases(i, of.Start, of.End) {
		if days(s.Period, t).Start.Equal(of.Start) {
			s.Period.End = of.End
			sum = sum.Sub(chargeAlone(t, s))
		}
	}
	return sum
}

// takenAt is what changes took back of the lines of an interval that stand then, for
// periods that begin when that does.
func (b books) takenAt(t subscription.Terms, i subscription.PriceInterval, of period.Period) (sum money.Decimal) {
	for _, lines := range b.lines {
		for _, l := range lines {
			if l.IntervalID == nil || *l.IntervalID != i.ID {
				continue
			}
			if s, found := t.ServiceAt(i.ID, l.BilledFrom); !found || !b.stands(t, s, l) || !covers(t, l, of.Start) {
				continue
			}
			var gave money.Decimal
			for _, taken := range b.taken[l.ID] {
				if taken.Automatic && taken.Period.Start.Equal(of.Start) {
					gave = gave.Add(taken.Amount)
				}
			}
			sum = sum.Add(b.stillGiven(t, l, gave))
		}
	}
	return sum
}

// readjust notes the lines that other adjustments work on than did, since the terms
// changed.
func (b books) readjust(before, after subscription.Terms) {
	for _, inv := range b.issued {
		for _, l := range b.lines[inv.ID] {
			if l.IntervalID != nil && !slices.Equal(working(before, l), working(after, l)) {
				b.adjusted[l.ID] = true
			}
		}
	}
}

// working are the adjustments that work on the service of a line.
func working(t subscription.Terms, l Line) (ids []string) {
	s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
	for _, a := range t.Adjustments {
		if found && a.Covers(s) && a.Adjustment.Rating().Matches(s.Interval.Price.Priced()) {
			ids = append(ids, a.AdjustmentID)
		}
	}
	return ids
}
