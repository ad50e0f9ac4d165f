package invoice

import (
	"slices"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// tally is a service and what it used up to an instant: all that its charge
// depends on.
type tally struct {
	subscription.Service
	Model rating.Model
	Usage rating.Usage
	Days  rating.Days // of the service in its billing cycle

	// Groups is the usage by the property that the invoice shows the price by; nil if
	// it names none.
	Groups []rating.Cell
}

// measure returns what a service used up to each of the instants, which rise and
// lie after its start. The usage is read once, whatever their number.
func measure(tx *store.Tx, t subscription.Terms, s subscription.Service, until []time.Time) ([]tally, error) {
	model := s.Interval.Price.Model()
	tallies := make([]tally, len(until))
	loc := t.Customer.Location()
	fraction := period.FractionOf(s.Period, s.Cycle, loc)
	from := period.Days(period.Period{Start: s.Cycle.Start, End: s.Period.Start}, loc)
	days := rating.Days{From: from, To: from + fraction.Part, Of: fraction.Whole}
	for k := range tallies {
		tallies[k] = tally{Service: s, Model: model, Usage: rating.Usage{Fraction: fraction}, Days: days}
	}
	switch price := s.Interval.Price; {
	case price.Fixed():
		for k := range tallies {
			tallies[k].Usage.Quantity, tallies[k].Usage.Fixed = *price.Quantity, true
		}
	case !model.Needs().Composite:
		if err := count(tx, t, tallies, until); err != nil {
			return nil, err
		}
	}
	return tallies, nil
}

// count asks the metric of a usage price.
func count(tx *store.Tx, t subscription.Terms, tallies []tally, until []time.Time) error {
	i, needs := tallies[0].Interval, tallies[0].Model.Needs()
	ask := usage.Request{
		Query:    i.Metric.Query(),
		Subjects: usage.Subjects(t.Customer.ID, t.Customer.ExternalCustomerID),
		Split:    needs.Split,
		Match:    slices.Clone(i.Price.Dimensions),
		Cuts:     append([]time.Time{tallies[0].Period.Start}, until...),
	}
	grouped := i.Price.InvoiceGroupingKey != nil
	if grouped {
		ask.Split = []string{*i.Price.InvoiceGroupingKey}
	}
	readings, err := usage.Measure(tx, ask)
	if err != nil {
		return err
	}
	for k, r := range readings {
		into := &tallies[k]
		into.Usage.Quantity, into.Usage.Cells = r.Total, r.Cells
		if grouped { // by a metric that adds up
			into.Usage.Cells, into.Groups = nil, r.Cells
			for _, cell := range r.Cells {
				into.Usage.Quantity = into.Usage.Quantity.Add(cell.Quantity)
			}
		}
	}
	if needs.Filter == nil {
		return nil
	}
	ask.Match = append(ask.Match, needs.Filter...)
	if readings, err = usage.Measure(tx, ask); err != nil {
		return err
	}
	for k, r := range readings {
		tallies[k].Usage.Filtered = r.Total
	}
	return nil
}
