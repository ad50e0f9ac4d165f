package billing

import (
	"math/big"
	"time"

	"tollkeeper/domain/rating"
	"tollkeeper/domain/reference"
	"tollkeeper/domain/subscription"
)

// referTogether rates composite prices, then adjusts the lines that are together.
func referTogether(all []referred, adjustments []subscription.AdjustmentInterval, partial bool) error {
	for k := range all {
		r := &all[k]
		if r.line.Price.Type != "composite" {
			continue
		}
		filters := plainFilters(r.service.Interval.Price.CompositeFilters)
		base := new(big.Rat)
		for _, other := range all {
			if other.line.Price.Type == "composite" || other.line.Price.Currency != r.line.Price.Currency {
				continue
			}
			matches, err := reference.Matches(filters, other.line.Price)
			if err != nil {
				return err
			}
			if matches {
				base.Add(base, other.subtotal)
			}
		}
		r.line.Usage.Components = base
		exact, err := reference.Rate(r.line.ModelType, r.line.Config, r.line.Usage)
		if err != nil {
			return err
		}
		r.subtotal = rounded(r.service.Interval.Price.Currency, exact)
		r.line.Subtotal = r.subtotal
	}
	var lines []reference.Line
	var at []int
	for k := range all {
		all[k].adjusted = all[k].subtotal
		switch {
		case all[k].service.TrialOf != "": // a trial is free, whatever adjustments there are
			all[k].adjusted = new(big.Rat)
		case all[k].service.Interval.Price.Currency.Valid(): // none works on a custom unit
			lines, at = append(lines, all[k].line), append(at, k)
		}
	}
	var plain []reference.Adjustment
	for _, a := range adjustments {
		if partial && a.Adjustment.Kind == rating.Minimum { // left to the invoice of the whole time
			continue
		}
		plain = append(plain, plainAdjustment(a, func(k int) bool { return inForce(a, all[at[k]].service) }))
	}
	added, err := reference.Adjust(lines, plain)
	if err != nil {
		return err
	}
	for _, amounts := range added {
		for k, amount := range amounts {
			all[at[k]].adjusted = new(big.Rat).Add(all[at[k]].adjusted, amount)
		}
	}
	return nil
}

// referBefore is what earlier invoices charged of a service that is charged to date, as they say:
// first is the day of its billing period with which it begins.
func referBefore(was *rating.Earlier, first int, s subscription.ServicePeriod, zone *time.Location) *reference.Before {
	if was == nil {
		return nil
	}
	b := &reference.Before{
		Subtotal: ratOf(was.Subtotal), Added: map[string]*big.Rat{}, Shared: map[string]bool{},
		Until: first + reference.DaysBetween(s.Period.Start, s.From, zone),
	}
	for _, a := range was.Applied {
		b.Added[a.AdjustmentID] = ratOf(a.Amount)
		if a.Added || a.Lines > 1 && a.Kind != rating.UsageDiscount && a.Kind != rating.PercentageDiscount {
			b.Shared[a.AdjustmentID] = true
		}
	}
	return b
}

// inForce reports whether an adjustment is in force for a service: in advance where the
// service starts, in arrears where it ends (semantics 6.3.7). A change of quantity gets
// percentages only.
func inForce(a subscription.AdjustmentInterval, s subscription.ServicePeriod) bool {
	if s.Before != nil && a.Adjustment.Kind != rating.PercentageDiscount {
		return false
	}
	if s.Interval.Price.InAdvance() {
		return !s.Period.Start.Before(a.StartAt) && (a.EndAt == nil || s.Period.Start.Before(*a.EndAt))
	}
	return s.Period.End.After(a.StartAt) && (a.EndAt == nil || !s.Period.End.After(*a.EndAt))
}

func plainAdjustment(a subscription.AdjustmentInterval, applies func(int) bool) reference.Adjustment {
	plain := reference.Adjustment{
		ID: a.AdjustmentID, Kind: string(a.Adjustment.Kind), Value: ratOf(a.Adjustment.Value), Filters: plainFilters(a.Adjustment.Filters),
		Invoice: a.Adjustment.InvoiceLevel, Applies: applies,
	}
	for _, t := range a.Adjustment.Tiers {
		tier := reference.PercentTier{From: ratOf(t.LowerBound), Percentage: ratOf(t.Percentage)}
		if t.UpperBound != nil {
			tier.To = ratOf(*t.UpperBound)
		}
		plain.Tiers = append(plain.Tiers, tier)
	}
	return plain
}

func plainFilters(filters []rating.Filter) (plain []reference.Filter) {
	for _, f := range filters {
		plain = append(plain, reference.Filter{Field: string(f.Field), Operator: string(f.Operator), Values: f.Values})
	}
	return plain
}
