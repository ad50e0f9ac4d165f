package billing

import (
	"slices"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// matchesTerms reports whether a line in advance charges what the terms still do: such a
// service, for its quantity, under the same adjustments, and with no more taken back
// than they take back.
func (b history) matchesTerms(t subscription.Terms, l invoice.Line) bool {
	s, found := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
	if !found || !sameQuantity(s, l) || b.adjusted[l.ID] || b.Reversed[l.ID] || b.overCredited[l.ID] {
		return false
	}
	price := s.Interval.Price
	return price.Length().OneTime() || price.Allocation != nil || sameCycle(t, s, l) // the fee of a grant is for no days
}

// invalidLines is how many lines were found that do not hold for another reason than their
// own service.
func (b history) invalidLines() int { return len(b.adjusted) + len(b.overCredited) }

// sameCycle reports whether a line charges its service as a part of the same billing
// cycle, and up to its end at least.
func sameCycle(t subscription.Terms, s subscription.ServicePeriod, l invoice.Line) bool {
	cut, cycle := s.Period.End.Before(l.EndAt), s.Cycle
	if s.Instalment != nil {
		cycle = s.Instalment.Cycle
	}
	return s.Days(t.Customer.Location()).Of == l.Fraction.Whole &&
		!s.Period.End.After(l.EndAt) && !(cut && s.Period.End.Equal(cycle.End))
}

// sameQuantity reports whether a line charges a fee for the quantity of its service.
func sameQuantity(s subscription.ServicePeriod, l invoice.Line) bool {
	if !s.Interval.Price.Fixed() {
		return true
	}
	quantity := s.Quantity
	if s.Before != nil {
		quantity = quantity.Sub(*s.Before)
	}
	return quantity.Equal(l.Quantity)
}

// markChangedAdjustments notes the lines that other adjustments work on than did, since the terms
// changed.
func (b history) markChangedAdjustments(before, after subscription.Terms) {
	for _, inv := range b.Issued {
		for _, l := range b.Lines[inv.ID] {
			if l.IntervalID == nil {
				continue
			}
			was, is := adjustmentsOn(before, l), adjustmentsOn(after, l)
			b.adjusted[l.ID] = b.adjusted[l.ID] || slices.ContainsFunc(is, func(a adjustmentOn) bool {
				return a.settled && !slices.Contains(was, a)
			}) || slices.ContainsFunc(was, func(a adjustmentOn) bool {
				return a.settled && !slices.ContainsFunc(is, func(o adjustmentOn) bool { return o.id == a.id })
			})
		}
	}
}

// adjustmentOn is an adjustment that works on the service of a line. What has settled a minimum stays where a
// later document is to settle it now: that gets the difference.
type adjustmentOn struct {
	id      string
	amount  string // of a minimum, or of maximums that are one, by days (price models 6.7.12)
	settled bool   // of a minimum, by the document of the line or an earlier one (price models 6.7.11)
}

// adjustmentsOn are the adjustments that work on the service of a line.
func adjustmentsOn(t subscription.Terms, l invoice.Line) (all []adjustmentOn) {
	s, found := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
	if !found {
		return nil
	}
	for _, interval := range t.Adjustments {
		a := t.PeriodsOf(interval)
		in, belongs := a.For(s)
		if interval.Adjustment.Kind != rating.Minimum {
			if a.Covers(s) && interval.Adjustment.Rating().Matches(s.Interval.Price.Priced()) {
				all = append(all, adjustmentOn{a.AdjustmentID, byDays(a, in, belongs), true})
			}
			continue
		}
		if !belongs || !a.Counts(s, in) {
			continue
		}
		date, arrears := a.SettledOn(in)
		amount := subscription.AmountOf([]subscription.AdjustmentPeriods{a}, in)
		all = append(all, adjustmentOn{a.AdjustmentID, amount.String(), !arrears || !s.BilledOn.Before(date)})
	}
	return all
}

// byDays is the amount of a maximum that is one with others, where no document after the opening can have the
// difference, since all bill in advance; else "".
func byDays(a subscription.AdjustmentPeriods, in subscription.AdjustmentPeriod, belongs bool) string {
	if !belongs || a.Adjustment.Kind != rating.Maximum {
		return ""
	}
	chain := a.Chain(in)
	if _, arrears := a.SettledOn(in); arrears || len(chain) == 1 {
		return ""
	}
	return subscription.AmountOf(chain, in).String()
}
