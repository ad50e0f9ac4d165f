package invoice

import (
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// amounts is what a service costs up to an instant, in its currency.
type amounts struct {
	Quantity money.Decimal
	Subtotal money.Decimal // before adjustments, rounded to the minor unit
	Total    money.Decimal // after them
	Parts    []rating.Part // sum to Subtotal
}

// accrue works out what a service costs up to each of the instants, which rise
// and lie after the service's start; the last cost is that up to the service's
// end if that is the last instant. Usage is read once, whatever their number.
// Fixed fees cost the same at any of them (semantics 7.1.9).
func accrue(tx *store.Tx, t subscription.Terms, s subscription.Service, until []time.Time) ([]amounts, error) {
	price := s.Interval.Price
	model := price.Model()
	accrued := make([]amounts, len(until))
	fraction := period.FractionOf(s.Period, s.Cycle, t.Customer.Location())
	if price.Fixed() {
		fee := charge(model, rating.Usage{Quantity: *price.Quantity, Fraction: fraction, Fixed: true}, price.Currency)
		for k := range accrued {
			accrued[k] = fee
		}
		return accrued, nil
	}
	readings, err := usage.Measure(tx, usage.Request{
		Query:    s.Interval.Metric.Query(),
		Subjects: usage.Subjects(t.Customer.ID, t.Customer.ExternalCustomerID),
		Split:    model.Needs().Split,
		Cuts:     append([]time.Time{s.Period.Start}, until...),
	})
	if err != nil {
		return nil, err
	}
	for k, r := range readings {
		accrued[k] = charge(model, rating.Usage{Quantity: r.Total, Cells: r.Cells, Fraction: fraction}, price.Currency)
	}
	return accrued, nil
}

// charge rates a quantity and rounds the result: the line's subtotal once, half
// away from zero, and its parts so that they sum to it (price models 1.5).
func charge(model rating.Model, u rating.Usage, currency money.Currency) amounts {
	exact := rating.Rate(model, u)
	subtotal := currency.Round(exact.Subtotal.WithoutTail())
	return amounts{
		Quantity: exact.Quantity,
		Subtotal: subtotal,
		Total:    subtotal,
		Parts:    roundParts(exact.Parts, subtotal, currency),
	}
}

// roundParts rounds the amounts of parts so that they sum to total.
func roundParts(parts []rating.Part, total money.Decimal, currency money.Currency) []rating.Part {
	exact := make([]money.Decimal, len(parts))
	for k, p := range parts {
		exact[k] = p.Amount
	}
	rounded := make([]rating.Part, len(parts))
	for k, amount := range money.RoundAll(exact, total, currency.MinorUnits()) {
		rounded[k] = parts[k]
		rounded[k].Amount = amount
	}
	return rounded
}
