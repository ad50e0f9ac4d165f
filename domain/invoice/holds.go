package invoice

import (
	"slices"

	"tollkeeper/domain/subscription"
)

// holds reports whether a line in advance charges what the terms still do: such a
// service, for its quantity, under the same adjustments, and with no more taken back
// than they take back.
func (b books) holds(t subscription.Terms, l Line) bool {
	s, found := t.ServiceAt(*l.IntervalID, l.BilledFrom)
	if !found || !sameQuantity(s, l) || b.adjusted[l.ID] || b.undone[l.ID] || b.lacking[l.ID] {
		return false
	}
	price := s.Interval.Price
	return price.Length().OneTime() || price.Allocation != nil || sameCycle(t, s, l) // the fee of a grant is for no days
}

// faulted is how many lines were found that do not hold for another reason than their
// own service.
func (b books) faulted() int { return len(b.adjusted) + len(b.lacking) }

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
