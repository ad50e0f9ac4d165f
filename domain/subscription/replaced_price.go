package subscription

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
)

// Replaced are the services in whose place the usage price of a service came within its billing cycle, the newest
// first: their price ended where the next one began, on the same plan, and counts the same metric for the same
// item (price models 6.7.8).
func (a AdjustmentPeriods) Replaced(s ServicePeriod) (all []ServicePeriod) {
	for last := s; ; {
		old, found := a.terms.replaced(last)
		if !found {
			return all
		}
		all, last = append(all, old), old
	}
}

// replaced is the service in whose place another one came, and false where it came in the place of none.
// Where several prices end and begin together, the first follows the first.
func (t Terms) replaced(s ServicePeriod) (old ServicePeriod, found bool) {
	i := s.Interval
	if s.TrialOf != "" || i.Price.Type != catalog.PriceUsage || !s.Period.Start.Equal(i.StartAt) || !s.Cycle.Start.Before(i.StartAt) {
		return old, false
	}
	plan, _ := t.timeOnPlan(i)
	var ended []ServicePeriod
	place := 0 // of the price among those that begin with it
	for _, o := range t.Intervals {
		if o.ID == i.ID || !sameUsage(o, i) {
			continue
		}
		if o.StartAt.Equal(i.StartAt) && t.precedes(o, i) {
			place++
		}
		if o.EndAt == nil || !o.EndAt.Equal(i.StartAt) {
			continue
		}
		last, is := t.first(o, o.EndAt.Add(-time.Microsecond))
		if on, _ := t.timeOnPlan(o); is && last.TrialOf == "" && last.Cycle.Equal(s.Cycle) && on.ID == plan.ID {
			ended = append(ended, last)
		}
	}
	if place >= len(ended) {
		return old, false
	}
	return ended[place], true
}

// sameUsage reports whether two prices charge for the same usage.
func sameUsage(a, b PriceInterval) bool {
	counts := func(i PriceInterval) bool { return i.Price.Type == catalog.PriceUsage && i.Price.MetricID != nil }
	return counts(a) && counts(b) && *a.Price.MetricID == *b.Price.MetricID && a.Price.ItemID == b.Price.ItemID &&
		a.Price.Currency == b.Price.Currency && slices.Equal(a.Price.Dimensions, b.Price.Dimensions)
}

// Instead are the adjustments in whose place this one came, one after the other.
func (a AdjustmentPeriods) Instead() (ids []string) {
	for first := a.AdjustmentInterval; ; {
		at := slices.IndexFunc(a.terms.Adjustments, func(o AdjustmentInterval) bool { return o.ID != first.ID && o.followedBy(first) })
		if at < 0 {
			return ids
		}
		first = a.terms.Adjustments[at]
		ids = append(ids, first.AdjustmentID)
	}
}
