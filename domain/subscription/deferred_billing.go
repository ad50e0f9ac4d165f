package subscription

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/period"
)

// deferIfAllowed lets the last service of a price in arrears wait for its date, if the price ends
// inside that cycle of its invoices and may wait.
func (t Terms) deferIfAllowed(s ServicePeriod, whole period.Period) ServicePeriod {
	i := s.Interval
	if i.CanDeferBilling && !i.Price.InAdvance() && s.Period.End.Before(whole.End) && same(&s.Period.End, i.EndAt) {
		s.BilledOn = t.deferredTo(i)
	}
	return s
}

// deferredTo is when that is billed: with the next invoice of the cycle that the
// subscription's prices have until then, or where that or the plan ends before (semantics
// 6.2.8).
func (t Terms) deferredTo(i PriceInterval) time.Time {
	last := i.EndAt.Add(-time.Microsecond)
	_, part := t.cycle(t.shortestOf(last, catalog.Price.InvoicingLength), last)
	on := part.End
	for _, end := range []*time.Time{t.of(i).EndAt, t.EndAt} {
		if end != nil && end.Before(on) {
			on = *end
		}
	}
	return on
}

// lastBefore is the last instant before another. Of a price whose last piece may be
// billed after its end it is the last one at which the price is in force.
func (t Terms) lastBefore(i PriceInterval, at time.Time) time.Time {
	if i.EndAt != nil && i.EndAt.Before(at) {
		last := i.EndAt.Add(-time.Microsecond)
		if _, _, tried := t.trialAt(last); tried || i.CanDeferBilling {
			return last
		}
	}
	return at.Add(-time.Microsecond)
}
