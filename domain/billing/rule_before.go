package billing

import (
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
)

// ruleBefore says which figures of an invoice may differ from what the present rule makes of them, since it was
// issued while adjustments and composite prices were worked out for each document by itself.
type ruleBefore struct {
	any  bool            // some of its lines may differ, and so what credits paid of the others
	line map[string]bool // by id: adjustments worked on it, or would
	base map[string]bool // it is of a composite price
}

// otherRule compares the rule of an invoice, which has the terms of its issue, with the present one.
func otherRule(view invoice.View) ruleBefore {
	r := ruleBefore{line: map[string]bool{}, base: map[string]bool{}}
	if view.AdjustmentRule != invoice.ByDocument || view.SubscriptionID == nil {
		return r
	}
	for _, l := range view.Lines {
		for _, i := range view.Terms.Intervals {
			if l.IntervalID == nil || i.ID != *l.IntervalID {
				continue
			}
			r.base[l.ID] = i.Price.Type == catalog.PriceComposite
			r.line[l.ID] = r.base[l.ID] || slices.ContainsFunc(view.Terms.Adjustments, func(a subscription.AdjustmentInterval) bool {
				return a.Adjustment.Rating().Matches(i.Price.Priced())
			})
			r.any = r.any || r.line[l.ID]
		}
	}
	return r
}

// differs reports whether a figure of a line, by its name in findings, is not to be compared. What it was rated from,
// and the sums of the line, are compared all the same.
func (r ruleBefore) differs(l invoice.Line, figure string) bool {
	switch figure {
	case "quantity", "subtotal":
		return r.base[l.ID]
	case "amount":
		return r.any
	}
	return r.line[l.ID]
}
