package billing

import (
	"slices"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
)

// sameArrears reports whether a line in arrears charges a fee for the quantities of its
// service: each for its days. The line keeps only the last one, so the amount of all of them
// is compared too. Other prices have no quantity of their own.
func sameArrears(t subscription.Terms, s subscription.ServicePeriod, l invoice.Line) bool {
	if !s.Interval.Price.Fixed() {
		return true
	}
	if !sameQuantity(s, l) {
		return false
	}
	y := charge.NewItem(t, s)
	y.Count(nil)
	return charge.Rate(y).Subtotal.Equal(l.Subtotal)
}

// splitByQuantity reports whether a line is one of those that earlier versions of this
// program made of a fee in arrears whose quantity changed: one for each quantity. They
// charged the whole service together, so an issued invoice stays as it is.
func (b history) splitByQuantity(t subscription.Terms, inv invoice.Invoice, l invoice.Line) bool {
	for _, s := range t.ServicePeriods(period.Period{Start: l.StartAt, End: l.EndAt}) {
		if s.Interval.ID != *l.IntervalID || len(s.Spans) == 0 || !s.BilledOn.Equal(inv.InvoiceDate) {
			continue
		}
		charged := func(span subscription.QuantitySpan) bool {
			return slices.ContainsFunc(b.Lines[inv.ID], func(l invoice.Line) bool {
				return l.IntervalID != nil && *l.IntervalID == s.Interval.ID && l.Quantity.Equal(span.Quantity) &&
					l.StartAt.Equal(span.Period.Start) && l.EndAt.Equal(span.Period.End)
			})
		}
		if !slices.ContainsFunc(s.Spans, func(span subscription.QuantitySpan) bool { return !charged(span) }) {
			return true
		}
	}
	return false
}
