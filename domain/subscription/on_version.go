package subscription

import (
	"cmp"
	"slices"
	"time"

	"tollkeeper/domain/catalog"
)

// OtherVersion is a version of a plan that is tried in place of those that subscriptions are on. It may be
// one that is not saved.
type OtherVersion struct {
	To        catalog.PlanVersion
	Metrics   map[string]catalog.Metric   // of its prices, by id
	From      map[int]catalog.PlanVersion // the versions that it takes the place of, by number
	StandsFor map[int]catalog.Succession  // what its members replace of those
}

// OnVersion returns the terms as they would be if the subscription had been on another version of a plan
// for as long as it was on that plan. What is the subscription's own stays, as in [MoveTo]: a quantity, a
// price that replaces one of the plan, a coupon. What goes on from one version to the next is one interval.
// Nothing is stored.
func (t Terms) OnVersion(other OtherVersion) Terms {
	o := onVersion{OtherVersion: other, terms: t, names: map[string]string{}, moved: map[string]bool{}}
	o.prices, o.adjustments = slices.Clone(t.Intervals), slices.Clone(t.Adjustments)
	for _, s := range t.PlanIntervals {
		if s.PlanID == other.To.PlanID && s.PlanVersion != other.To.Version {
			o.movePrices(s)
			o.moveAdjustments(s)
		}
	}
	if len(o.moved) == 0 && len(o.prices) == len(t.Intervals) && len(o.adjustments) == len(t.Adjustments) {
		return t
	}
	t.Intervals, t.Adjustments = o.joinedPrices(), o.joinedAdjustments()
	o.rename(t.Adjustments)
	return t
}

type onVersion struct {
	OtherVersion
	terms       Terms
	prices      []PriceInterval
	adjustments []AdjustmentInterval
	names       map[string]string // the price that takes the place of another, by id
	moved       map[string]bool   // the intervals that have another price or adjustment, by id
}

// movePrices gives the prices of a plan interval those of the other version.
func (o *onVersion) movePrices(s PlanInterval) {
	from, standsFor := o.From[s.PlanVersion], o.StandsFor[s.PlanVersion].Prices
	is := func(id string) func(catalog.Price) bool { return func(p catalog.Price) bool { return p.ID == id } }
	next := map[string]catalog.Price{} // by the price that it stands for
	last := 0
	var added []PriceInterval
	for _, price := range o.To.Prices {
		switch old, isNew := standsFor[price.ID]; {
		case isNew && old != "":
			next[old] = price
		case isNew:
			added = append(added, PriceInterval{PriceID: price.ID, Price: price, Parameters: price.Parameters})
		}
	}
	o.prices = slices.DeleteFunc(o.prices, func(i PriceInterval) bool {
		if !o.beginsIn(s, i.StartAt) {
			return false
		}
		last = max(last, i.Position)
		_, follows := next[i.PriceID]
		return !follows && slices.ContainsFunc(from.Prices, is(i.PriceID)) && !slices.ContainsFunc(o.To.Prices, is(i.PriceID))
	})
	for k, i := range o.prices {
		if price, follows := next[i.PriceID]; follows && o.beginsIn(s, i.StartAt) {
			o.names[i.PriceID], o.moved[i.ID] = price.ID, true
			o.prices[k].PriceID, o.prices[k].Price = price.ID, price
			o.measure(&o.prices[k])
		}
	}
	for _, i := range added {
		in, reached := o.spanOf(s, i.Price.PhaseOrder)
		if !reached {
			continue
		}
		last++
		i.ID, i.SubscriptionID, i.PlanIntervalID, i.PlanID = s.ID+i.PriceID, o.terms.ID, &s.ID, s.PlanID
		i.Position, i.StartAt, i.EndAt = last, in.start, in.end
		o.moved[i.ID] = true
		o.measure(&i)
		o.prices = append(o.prices, i)
	}
}

// beginsIn reports whether what begins then is of the version of a plan interval. A migration makes what it
// ends part of the plan interval that it begins, so the time decides.
func (o *onVersion) beginsIn(s PlanInterval, start time.Time) bool {
	return o.terms.PlanInterval(start).ID == s.ID
}

// measure gives a usage price its metric.
func (o *onVersion) measure(i *PriceInterval) {
	if i.Metric = (catalog.Metric{}); i.Price.MetricID != nil {
		i.Metric = o.Metrics[*i.Price.MetricID]
		i.Metric.Values = i.Parameters
	}
}

// spanOf is the time of a phase in a plan interval, or with nil all of that. It is false for a phase
// that the subscription does not reach.
func (o *onVersion) spanOf(s PlanInterval, phase *int) (span, bool) {
	if phase == nil {
		end := s.EndAt
		if o.terms.EndAt != nil && (end == nil || o.terms.EndAt.Before(*end)) {
			end = o.terms.EndAt
		}
		return span{later(s.StartAt, o.terms.StartAt), end}, true
	}
	for _, p := range o.terms.Phases {
		if p.PlanIntervalID == s.ID && p.PhaseOrder == *phase {
			return span{p.StartAt, p.EndAt}, true
		}
	}
	return span{}, false
}

// moveAdjustments is movePrices for adjustments.
func (o *onVersion) moveAdjustments(s PlanInterval) {
	from, standsFor := o.From[s.PlanVersion], o.StandsFor[s.PlanVersion].Adjustments
	is := func(id string) func(catalog.Adjustment) bool {
		return func(a catalog.Adjustment) bool { return a.ID == id }
	}
	belongs := func(a AdjustmentInterval) bool { return a.PlanIntervalID != nil && o.beginsIn(s, a.StartAt) }
	next := map[string]catalog.Adjustment{}
	var added []catalog.Adjustment
	for _, a := range o.To.Adjustments {
		switch old, isNew := standsFor[a.ID]; {
		case isNew && old != "":
			next[old] = a
		case isNew:
			added = append(added, a)
		}
	}
	last := 0
	o.adjustments = slices.DeleteFunc(o.adjustments, func(i AdjustmentInterval) bool {
		if !belongs(i) {
			return false
		}
		last = max(last, i.Position)
		_, follows := next[i.AdjustmentID]
		return !follows && slices.ContainsFunc(from.Adjustments, is(i.AdjustmentID)) && !slices.ContainsFunc(o.To.Adjustments, is(i.AdjustmentID))
	})
	for k, i := range o.adjustments {
		if a, follows := next[i.AdjustmentID]; follows && belongs(i) {
			o.moved[i.ID] = true
			o.adjustments[k].AdjustmentID, o.adjustments[k].Adjustment = a.ID, a
		}
	}
	for _, a := range added {
		if in, reached := o.spanOf(s, a.PhaseOrder); reached {
			last++
			made := AdjustmentInterval{
				SubscriptionID: o.terms.ID, PlanIntervalID: &s.ID, AdjustmentID: a.ID, Adjustment: a,
				Position: last, StartAt: in.start, EndAt: in.end,
			}
			made.ID = s.ID + a.ID
			o.moved[made.ID] = true
			o.adjustments = append(o.adjustments, made)
		}
	}
}

// joinedPrices are the intervals, of which those are one that have the same price now and follow each other.
func (o *onVersion) joinedPrices() []PriceInterval {
	slices.SortStableFunc(o.prices, func(a, b PriceInterval) int { return a.StartAt.Compare(b.StartAt) })
	var joined []PriceInterval
	for _, i := range o.prices {
		at := slices.IndexFunc(joined, func(before PriceInterval) bool {
			return before.PriceID == i.PriceID && (o.moved[before.ID] || o.moved[i.ID]) && endsAt(before.EndAt, i.StartAt)
		})
		if at < 0 {
			joined = append(joined, i)
			continue
		}
		joined[at].EndAt, joined[at].CanDeferBilling = i.EndAt, i.CanDeferBilling
		joined[at].Transitions = slices.Concat(joined[at].Transitions, i.Transitions)
	}
	slices.SortStableFunc(joined, func(a, b PriceInterval) int { return cmp.Compare(a.Position, b.Position) })
	return joined
}

// joinedAdjustments is joinedPrices for adjustments.
func (o *onVersion) joinedAdjustments() []AdjustmentInterval {
	slices.SortStableFunc(o.adjustments, func(a, b AdjustmentInterval) int { return a.StartAt.Compare(b.StartAt) })
	var joined []AdjustmentInterval
	for _, i := range o.adjustments {
		at := slices.IndexFunc(joined, func(before AdjustmentInterval) bool {
			return before.AdjustmentID == i.AdjustmentID && (o.moved[before.ID] || o.moved[i.ID]) && endsAt(before.EndAt, i.StartAt)
		})
		if at < 0 {
			joined = append(joined, i)
			continue
		}
		joined[at].EndAt = i.EndAt
	}
	slices.SortStableFunc(joined, func(a, b AdjustmentInterval) int { return cmp.Compare(a.Position, b.Position) })
	return joined
}

func endsAt(end *time.Time, at time.Time) bool { return end != nil && end.Equal(at) }

// rename lets the adjustments of the subscription itself work on the prices that take the place of those
// that they name.
func (o *onVersion) rename(adjustments []AdjustmentInterval) {
	for k, a := range adjustments {
		if a.Adjustment.SubscriptionID == nil {
			continue
		}
		filters := slices.Clone(a.Adjustment.Filters)
		for n, f := range filters {
			values := slices.Clone(f.Values)
			for m, value := range values {
				if name, replaced := o.names[value]; replaced {
					values[m] = name
				}
			}
			filters[n].Values = values
		}
		adjustments[k].Adjustment.Filters = filters
	}
}
