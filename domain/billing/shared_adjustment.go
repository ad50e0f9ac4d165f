package billing

import (
	"slices"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// markSharedAdjustmentsChanged notes the fees of paid invoices whose amount differs, since another one
// does not stand that had a part in an adjustment with them: that works on the lines that
// are left (price models 6.2). Usage that is paid stays as it is, and so do fees that had
// a part in an adjustment with it.
func (b history) markSharedAdjustmentsChanged(t subscription.Terms) {
	for _, inv := range b.Issued {
		if inv.Status == invoice.StatusIssued {
			continue // it is replaced as a whole
		}
		fees, apart := b.feesSharingAdjustment(inv)
		var left []invoice.Line
		for _, l := range fees {
			if b.matchesTerms(t, l) {
				left = append(left, l)
			}
		}
		if apart && len(left) < len(fees) && !stillTotals(t, fees, left) {
			for _, l := range left {
				b.adjusted[l.ID] = true
			}
		}
	}
}

// feesSharingAdjustment are the fees in advance of an invoice that an adjustment worked on together with
// others, and whether it did on nothing else.
func (b history) feesSharingAdjustment(inv invoice.Invoice) (fees []invoice.Line, apart bool) {
	for _, l := range b.Lines[inv.ID] {
		switch {
		case l.IntervalID == nil || b.Reversed[l.ID] || !slices.ContainsFunc(l.Adjustments, shared):
		case !invoice.InAdvance(inv, l):
			return nil, false
		default:
			fees = append(fees, l)
		}
	}
	return fees, true
}

// shared reports whether what an adjustment did to a line depends on other lines.
func shared(a rating.Applied) bool {
	return a.Lines > 1 && a.Kind != rating.UsageDiscount && a.Kind != rating.PercentageDiscount
}

// stillTotals reports whether some of the fees of an invoice still have the amount that they charged,
// where all of those that the terms have are charged together.
func stillTotals(t subscription.Terms, fees, some []invoice.Line) bool {
	var of []invoice.Line
	var together []charge.Item
	for _, l := range fees {
		s, found := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom)
		if !found {
			continue
		}
		s.Period.End = l.EndAt // days after another end are credited
		y := charge.NewItem(t, s)
		y.Count(nil)
		of, together = append(of, l), append(together, y)
	}
	charged := charge.Calculate(t, charge.Document{Date: fees[0].BilledFrom}, together)
	return !slices.ContainsFunc(some, func(l invoice.Line) bool {
		k := slices.IndexFunc(of, func(other invoice.Line) bool { return other.ID == l.ID })
		return !charged[k].Amount.Equal(l.Amount)
	})
}
