package billing

import (
	"math/big"
	"slices"
	"time"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/reference"
)

// referComposites rates composite prices: their base is what documents added to their components in their
// own time, as far as that is known by now.
func referComposites(all []referred, parts []charge.Charged) error {
	for k := range all {
		r := &all[k]
		if r.line.Price.Type != "composite" {
			continue
		}
		filters := plainFilters(r.service.Interval.Price.CompositeFilters)
		in := r.service.Period
		base := new(big.Rat)
		count := func(price reference.Price, start, end time.Time, added *big.Rat) error {
			last := end.Add(-time.Microsecond)
			if price.InAdvance || last.Before(start) {
				last = start
			}
			if price.Type == "composite" || price.Currency != r.line.Price.Currency || last.Before(in.Start) || !last.Before(in.End) {
				return nil
			}
			matches, err := reference.Matches(filters, price)
			if matches {
				base.Add(base, added)
			}
			return err
		}
		for _, other := range all {
			added := other.subtotal
			if other.line.Price.Type == "composite" {
				continue
			}
			if other.line.Before != nil {
				added = new(big.Rat).Sub(added, other.line.Before.Subtotal)
			}
			if err := count(other.line.Price, other.service.Period.Start, other.service.Period.End, added); err != nil {
				return err
			}
		}
		for _, part := range parts {
			if err := count(blank(part.Interval.Price).line.Price, part.Period.Start, part.Period.End, ratOf(part.Subtotal)); err != nil {
				return err
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
	return nil
}

// referTogether adjusts the lines of a document. Indices of the adjustments are those of all.
func referTogether(all []referred, parts []charge.Charged, adjustments []reference.Adjustment) error {
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
	for i, a := range adjustments {
		if applies := a.Applies; applies != nil {
			adjustments[i].Applies = func(k int) bool { return applies(at[k]) }
		}
		if replaced := a.Replaced; replaced != nil {
			adjustments[i].Replaced = func(k int) (lines, earlier []int) {
				of, earlier := replaced(at[k])
				for _, n := range of {
					if line := slices.Index(at, n); line >= 0 {
						lines = append(lines, line)
					}
				}
				return lines, earlier
			}
		}
	}
	earlier := make([]reference.Billed, len(parts))
	for k, part := range parts {
		earlier[k] = referBilled(part.Interval.ID, part.Subtotal, part.Applied)
		earlier[k].Quantity = ratOf(part.Quantity)
	}
	added, err := reference.Adjust(lines, earlier, adjustments)
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

// referBilled is what earlier documents charged, as they say.
func referBilled(row string, subtotal money.Decimal, applied []rating.Applied) reference.Billed {
	b := reference.Billed{Row: row, Subtotal: ratOf(subtotal)}
	for _, a := range applied {
		effect := reference.Effect{ID: a.AdjustmentID, Kind: string(a.Kind), Amount: ratOf(a.Amount)}
		if a.Left != nil {
			effect.Left = ratOf(*a.Left)
		}
		b.Effects = append(b.Effects, effect)
	}
	return b
}

// periodsAtWork are the adjustments of a document, one for each period that they work on: which lines belong
// to it, which part of a full billing period it is and whether a minimum is settled follows from the terms.
func periodsAtWork(works []rating.Work) []reference.Adjustment {
	var plain []reference.Adjustment
	for _, w := range works {
		a := plainAdjustment(w.Adjustment)
		a.Also, a.Instead = w.Also, w.Instead
		if len(w.Replaced) > 0 {
			a.Replaced = func(k int) (lines, earlier []int) {
				n := slices.Index(w.Lines, k)
				return w.Replaced[n].Lines, w.Replaced[n].Earlier
			}
		}
		a.Applies = func(k int) bool { return slices.Contains(w.Lines, k) }
		a.Earlier = func(e int) bool { return slices.Contains(w.Earlier, e) }
		if w.Fraction.Whole > 0 {
			a.Share = big.NewRat(int64(w.Fraction.Part), int64(w.Fraction.Whole))
		}
		if w.Amount != nil {
			a.Value, a.Share = ratOf(*w.Amount), nil
		}
		plain = append(plain, a)
	}
	return plain
}

func plainAdjustment(a rating.Adjustment) reference.Adjustment {
	plain := reference.Adjustment{
		ID: a.ID, Kind: string(a.Kind), Value: ratOf(a.Value), Filters: plainFilters(a.Filters), Invoice: a.InvoiceLevel,
	}
	for _, t := range a.Tiers {
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
