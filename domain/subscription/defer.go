package subscription

import "time"

// deferred is when the last piece of a price in arrears is billed that ends inside a
// cycle and may wait: at the end of the billing period of the subscription that it ends
// in, or where that or the plan ends before (semantics 6.2.8).
func (t Terms) deferred(i PriceInterval) time.Time {
	last := i.lastBefore(*i.EndAt)
	_, part := t.cycle(t.shortest(last), last)
	on := part.End
	for _, end := range []*time.Time{t.of(i).EndAt, t.EndAt} {
		if end != nil && end.Before(on) {
			on = *end
		}
	}
	return on
}

// lastBefore is the last instant before another at which the price is in force, if it
// began by then.
func (i PriceInterval) lastBefore(at time.Time) time.Time {
	if i.CanDeferBilling && i.EndAt != nil && i.EndAt.Before(at) {
		at = *i.EndAt
	}
	return at.Add(-time.Microsecond)
}
