package invoice

import (
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Explanation is a line with what its amount came from. Nothing in it is worked out
// again: a line keeps each step of its charge.
type Explanation struct {
	Invoice     View
	Line        Line
	Price       catalog.Price
	Metric      *catalog.Metric               // of a usage price
	Components  []Line                        // of a composite price: the lines that it charges for
	Adjustments map[string]catalog.Adjustment // those of the line, by id
}

// Explain finds a line of an invoice, draft or not, and what it came from.
func Explain(tx *store.Tx, invoiceID, lineID string) (_ Explanation, err error) {
	defer fault.Doing(&err, "explain line %s of invoice %s", lineID, invoiceID)
	view, err := Find(tx, invoiceID)
	if err != nil {
		return Explanation{}, err
	}
	at := slices.IndexFunc(view.Lines, func(l Line) bool { return l.ID == lineID })
	if at < 0 {
		return Explanation{}, fault.Missing("InvoiceLineItem", lineID)
	}
	e := Explanation{Invoice: view, Line: view.Lines[at]}
	prices, err := catalog.FindPrices(tx, PriceIDs(view.Lines))
	if err != nil {
		return Explanation{}, err
	}
	e.Price = prices[e.Line.PriceID]
	if e.Price.Type == catalog.PriceComposite {
		for _, other := range view.Lines {
			if charge.ChargesFor(e.Price, prices[other.PriceID]) {
				e.Components = append(e.Components, other)
			}
		}
	}
	if id := e.Price.MetricID; id != nil {
		metric, err := catalog.FindMetric(tx, *id)
		if err != nil {
			return Explanation{}, err
		}
		e.Metric = &metric
	}
	e.Adjustments, err = AdjustmentsOf(tx, e.Line)
	return e, err
}

// AdjustmentsOf finds the adjustments that worked on lines, by id. That of a trial has no
// row: it is made up.
func AdjustmentsOf(tx *store.Tx, lines ...Line) (map[string]catalog.Adjustment, error) {
	found, err := catalog.FindAdjustments(tx, AdjustmentIDs(lines...))
	if err != nil {
		return nil, err
	}
	for _, l := range lines {
		for _, a := range l.Adjustments {
			if a.Kind == rating.TrialDiscount {
				found[a.AdjustmentID] = trialDiscount(a)
			}
		}
	}
	return found, nil
}

func trialDiscount(a rating.Applied) catalog.Adjustment {
	reason := "Trial"
	return catalog.Adjustment{
		Record: store.Record{ID: a.AdjustmentID}, Kind: a.Kind, Value: a.Value, InvoiceLevel: true,
		Tiers: []rating.PercentageTier{}, Filters: []rating.Filter{}, Reason: &reason,
	}
}

// AdjustmentIDs names the adjustments that worked on lines.
func AdjustmentIDs(lines ...Line) (ids []string) {
	for _, l := range lines {
		for _, applied := range l.Adjustments {
			ids = append(ids, applied.AdjustmentID)
		}
	}
	return ids
}

// Rounding is what was added to the exact subtotal to make it one of money.
func (l Line) Rounding() money.Decimal { return l.Subtotal.Sub(l.Exact) }
