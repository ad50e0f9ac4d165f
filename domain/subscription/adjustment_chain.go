package subscription

import (
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
)

// Chain are the minimums, or maximums, that are one with this one: each begins where the one before ends, and has
// the same target or replaces it (price models 6.7.12). Only those in force in the period are among them, by start.
func (a AdjustmentPeriods) Chain(in AdjustmentPeriod) []AdjustmentPeriods {
	if kind := a.Adjustment.Kind; kind != rating.Minimum && kind != rating.Maximum {
		return []AdjustmentPeriods{a}
	}
	name := in.Name()
	chain, known := a.found.chains[name]
	for at, more := a.first(in), !known; more; {
		p := a.terms.periodsOf(at, a.found.others)
		chain = append(chain, p)
		at, more = p.follower(in)
	}
	a.found.chains[name] = chain
	return chain
}

// first goes back from the adjustment to the first one of its chain in the period.
func (a AdjustmentPeriods) first(in AdjustmentPeriod) AdjustmentInterval {
	first := a.AdjustmentInterval
	for again := true; again; {
		again = false
		for _, o := range a.terms.Adjustments {
			if o.ID != first.ID && o.EndAt != nil && o.EndAt.After(in.Start) && o.followedBy(first) {
				first, again = o, true
				break
			}
		}
	}
	return first
}

func (a AdjustmentPeriods) follower(in AdjustmentPeriod) (AdjustmentInterval, bool) {
	for _, o := range a.terms.Adjustments {
		if o.ID != a.ID && o.StartAt.Before(in.End) && a.followedBy(o) {
			return o, true
		}
	}
	return AdjustmentInterval{}, false
}

// followedBy reports whether an adjustment of the same kind takes the place of this one where it ends.
func (i AdjustmentInterval) followedBy(next AdjustmentInterval) bool {
	if i.Adjustment.Kind != next.Adjustment.Kind || i.EndAt == nil || !i.EndAt.Equal(next.StartAt) ||
		!i.StartAt.Before(*i.EndAt) || !samePlanInterval(i, next) {
		return false
	}
	replaces := next.Adjustment.ReplacesAdjustmentID
	return replaces != nil && *replaces == i.AdjustmentID || sameTarget(i.Adjustment.Rating(), next.Adjustment.Rating())
}

// samePlanInterval reports whether adjustments are of the same plan interval, or both of all.
func samePlanInterval(a, b AdjustmentInterval) bool {
	if a.PlanIntervalID == nil || b.PlanIntervalID == nil {
		return a.PlanIntervalID == b.PlanIntervalID
	}
	return *a.PlanIntervalID == *b.PlanIntervalID
}

// sameTarget reports whether adjustments have the same filters.
func sameTarget(a, b rating.Adjustment) bool {
	return a.InvoiceLevel == b.InvoiceLevel && slices.EqualFunc(a.Filters, b.Filters, func(x, y rating.Filter) bool {
		return x.Field == y.Field && x.Operator == y.Operator && slices.Equal(x.Values, y.Values)
	})
}

// AmountOf is the amount of a chain of minimums or maximums in a period: the sum of theirs by days, not rounded.
func AmountOf(chain []AdjustmentPeriods, in AdjustmentPeriod) (sum money.Decimal) {
	whole := 1
	for _, a := range chain {
		f := a.fraction(in, true)
		sum, whole = sum.Add(a.Adjustment.Value.Mul(money.FromInt(int64(f.Part)))), f.Whole
	}
	return sum.Quo(money.FromInt(int64(whole))).WithoutTail()
}
