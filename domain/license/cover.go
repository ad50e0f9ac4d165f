package license

import (
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// Span is what a price charges from an instant up to each of some later ones, which rise.
type Span struct {
	Interval subscription.PriceInterval
	Start    time.Time
	Until    []time.Time
}

// Covered is what the customer is not asked to pay of each span up to each of its
// instants, in the unit of the price and not rounded: what licenses drew on credits of
// their own, and what was written off. Nothing is read where no price draws on licenses.
func Covered(tx *store.Tx, t subscription.Terms, spans []Span) ([][]money.Decimal, error) {
	covered := make([][]money.Decimal, len(spans))
	byType := map[string][]int{} // the places of spans
	for k, s := range spans {
		if covered[k] = make([]money.Decimal, len(s.Until)); s.granted(t) {
			kind := *s.Interval.Price.LicenseTypeID
			byType[kind] = append(byType[kind], k)
		}
	}
	for _, places := range byType {
		first := spans[places[0]]
		frame := first.frame()
		var edges []time.Time
		for _, k := range places {
			frame = spanning(frame, spans[k].frame())
			edges = append(append(edges, spans[k].Start), spans[k].Until...)
		}
		book, err := BookOf(tx, t, *first.Interval.Price.LicenseType, frame, edges)
		if err != nil {
			return nil, err
		}
		for _, k := range places {
			spans[k].add(covered[k], book.Draws)
		}
	}
	return covered, nil
}

// frame is all of the span; it has an instant.
func (s Span) frame() period.Period {
	return period.Period{Start: s.Start, End: s.Until[len(s.Until)-1]}
}

// granted reports whether licenses are granted what the price may draw on.
func (s Span) granted(t subscription.Terms) bool {
	price := s.Interval.Price
	if len(s.Until) == 0 || price.LicenseTypeID == nil || !draws(s.Interval, *price.LicenseTypeID) {
		return false
	}
	return slices.ContainsFunc(allowances(t, *price.LicenseTypeID, s.frame()), func(a Allowance) bool { return a.Unit == price.Currency })
}

// add makes sums what draws cover of the span up to each of its instants. No draw lies on
// both sides of one.
func (s Span) add(sums []money.Decimal, draws []Draw) {
	for _, d := range draws {
		if d.IntervalID != s.Interval.ID || d.Time.Start.Before(s.Start) {
			continue
		}
		if k, _ := slices.BinarySearchFunc(s.Until, d.Time.End, time.Time.Compare); k < len(sums) {
			sums[k] = sums[k].Add(d.Own).Add(d.WrittenOff)
		}
	}
	for k := 1; k < len(sums); k++ {
		sums[k] = sums[k].Add(sums[k-1])
	}
}

// spanning is from the earlier start to the later end.
func spanning(a, b period.Period) period.Period {
	if b.Start.Before(a.Start) {
		a.Start = b.Start
	}
	if b.End.After(a.End) {
		a.End = b.End
	}
	return a
}
