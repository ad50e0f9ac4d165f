package billing

import (
	"slices"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// shortage is what the decrease of a fee is worth beyond what the lines of the fee charged. A discount of an
// amount that the fee shared with other fees in advance works on more of these then, so these give it back, the
// newest first (price models 6.7.15). Usage needs to give none back: its next document has the difference.
type shortage struct {
	Of     subscription.ServicePeriod // the decrease
	Rest   period.Period              // its whole local days
	Amount money.Decimal              // above 0, in the currency of the invoice
}

// spreadShortages lets other lines of the periods of decreases give back what the lines of their fees cannot, up to
// what is left of each. It adds fees that are charged once.
func (b history) spreadShortages(t subscription.Terms, invoices []invoice.Invoice, all []advanceFee) []advanceFee {
	var short []shortage
	for _, s := range all {
		short = append(short, s.short...)
	}
	slices.SortStableFunc(short, func(x, y shortage) int { return x.Of.BilledOn.Compare(y.Of.BilledOn) })
	for _, x := range short {
		for _, inv := range slices.Backward(invoices) {
			if inv.InvoiceDate.After(x.Of.BilledOn) {
				continue
			}
			for _, l := range slices.Backward(b.Lines[inv.ID]) {
				if l.IntervalID == nil || *l.IntervalID == x.Of.Interval.ID || b.Reversed[l.ID] || !invoice.InAdvance(inv, l) {
					continue
				}
				s, found := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
				if !found || !sharePeriod(t, s, x.Of) {
					continue
				}
				k, c := b.chargeOf(t, l, &all)
				if part := money.Min(x.Amount, c.Left); part.Sign() > 0 {
					c.Left, c.Taken, x.Amount = c.Left.Sub(part), c.Taken.Add(part), x.Amount.Sub(part)
					all[k].back = append(all[k].back, invoice.Reversal{Line: l, Amount: part, Period: x.Rest})
				}
			}
		}
	}
	return all
}

// chargeOf is the charge of a line, and the place of its fee. It adds one for a fee that is charged once; for another
// line, which does not hold, with nothing left.
func (b history) chargeOf(t subscription.Terms, l invoice.Line, all *[]advanceFee) (fee int, c *advanceCharge) {
	for k := range *all {
		for n := range (*all)[k].charges {
			if c := &(*all)[k].charges[n]; c.Line != nil && c.Line.ID == l.ID {
				return k, c
			}
		}
	}
	own := advanceFee{currency: t.Currency, charges: []advanceCharge{{Line: &l, Start: l.StartAt}}}
	s, _ := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
	if s.Interval.Price.Length().OneTime() && s.Interval.Price.Allocation == nil && b.matchesTerms(t, l) {
		own.charges[0].Held = b.uncreditedByClients(l)
		own.charges[0].Left = own.charges[0].Held
	}
	*all = append(*all, own)
	fee = len(*all) - 1
	return fee, &(*all)[fee].charges[0]
}

// sharePeriod reports whether an adjustment works on two services together.
func sharePeriod(t subscription.Terms, s, other subscription.ServicePeriod) bool {
	return slices.ContainsFunc(t.Adjustments, func(interval subscription.AdjustmentInterval) bool {
		if kind := interval.Adjustment.Kind; kind == rating.UsageDiscount || kind == rating.PercentageDiscount {
			return false
		}
		a := t.PeriodsOf(interval)
		in, belongs := a.For(s)
		of, also := a.For(other)
		return belongs && also && in.Name() == of.Name() && a.Counts(s, in) && a.Counts(other, of)
	})
}
