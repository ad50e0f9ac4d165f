package charge

import (
	"slices"
	"time"

	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// Bearing says which earlier documents bear on those of a date: those of the periods of adjustments, of the
// cycles that are charged to date, and of the time of composite prices.
type Bearing struct {
	Since     time.Time // where the earliest of these begins
	Intervals []string  // the price intervals whose lines count
	Decreases []Charged // decreases of fees by then, which are on no invoice but credited, by date
}

// Empty reports whether no document bears on them.
func (b Bearing) Empty() bool { return len(b.Intervals) == 0 }

// BearingOn finds what bears on services that are charged together on a date.
func BearingOn(t subscription.Terms, date time.Time, services []subscription.ServicePeriod) (b Bearing) {
	// A service of another document counts if it was billed by then.
	other := func(s subscription.ServicePeriod) bool {
		return !s.BilledOn.After(date) && !slices.ContainsFunc(services, func(o subscription.ServicePeriod) bool { return sameService(o, s) })
	}
	partial := func(start time.Time) bool { return t.PartialAt != nil && !t.PartialAt.Before(start) }
	for _, s := range services {
		if !s.Interval.Price.Fixed() && (IsContinuation(s) || partial(s.Period.Start)) {
			b.include(s.Period.Start, s.Interval.ID)
		}
		if !s.Interval.Price.Model().Needs().Composite {
			continue
		}
		for _, o := range t.ChargedIn(s.Period) {
			if ChargesFor(s.Interval.Price, o.Interval.Price) && (other(o) || partial(s.Period.Start)) {
				b.count(s.Period.Start, o, partial)
			}
		}
	}
	for _, a := range t.PeriodsOfAll() {
		switch a.Adjustment.Kind {
		case rating.PercentageDiscount:
			continue // of lines by themselves
		case rating.UsageDiscount: // likewise, but for prices that took the place of others
			for _, s := range services {
				for _, old := range a.Replaced(s) {
					b.include(s.Cycle.Start, old.Interval.ID)
				}
			}
			continue
		}
		var seen []string
		for _, s := range cutAt(date, services) {
			in, belongs := a.For(s)
			if !belongs || slices.Contains(seen, in.Name()) {
				continue
			}
			seen = append(seen, in.Name())
			if partial(in.Start) { // may have a part of what counts in a later period
				for _, id := range a.Prices(in) {
					b.include(in.Start, id)
				}
			}
			for _, o := range a.Services(in) {
				if !other(o) && !partial(in.Start) {
					continue
				}
				b.count(in.Start, o, partial)
				if o.Decrease() && !o.BilledOn.After(date) {
					b.decrease(t, o)
				}
			}
		}
	}
	return b
}

// count counts a service from an instant on. Of one that is charged to date the earlier documents of its cycle
// count too: what the service adds is the difference to them.
func (b *Bearing) count(since time.Time, s subscription.ServicePeriod, partial func(since time.Time) bool) {
	start := s.Period.Start
	if start.Before(since) && !s.Interval.Price.Fixed() && (IsContinuation(s) || partial(start)) {
		since = start
	}
	b.include(since, s.Interval.ID)
}

// include counts a price interval from an instant on.
func (b *Bearing) include(since time.Time, intervalID string) {
	if len(b.Intervals) == 0 || since.Before(b.Since) {
		b.Since = since
	}
	if !slices.Contains(b.Intervals, intervalID) {
		b.Intervals = append(b.Intervals, intervalID)
	}
}

func (b *Bearing) decrease(t subscription.Terms, s subscription.ServicePeriod) {
	if !slices.ContainsFunc(b.Decreases, func(c Charged) bool { return sameService(c.ServicePeriod, s) }) {
		a := Change(AsCharged(t, s, s.Charged), s)
		b.Decreases = append(b.Decreases, Charged{s, a.Quantity, a.Subtotal, a.Adjustments})
	}
}
