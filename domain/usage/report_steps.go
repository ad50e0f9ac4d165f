package usage

import (
	"slices"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// reporter works a query out for one subscription.
type reporter struct {
	ReportQuery
	terms subscription.Terms
	frame period.Period
	days  []period.Period // of the frame
}

// request asks the metric of a price about the time from an instant, cut at the ends of days.
func (r reporter) request(i subscription.PriceInterval, from time.Time, days []period.Period) Request {
	cuts := []time.Time{from}
	for _, day := range days {
		cuts = append(cuts, day.End)
	}
	return Request{Cuts: cuts, Match: r.Match}.OfAll(r.terms, i)
}

// steps are the values of the metric of a price, of all events.
func (r reporter) steps(tx *store.Tx, i subscription.PriceInterval) ([]Step, error) {
	var requests []Request
	if r.Cumulative || i.Metric.Query().AddsUp() {
		requests = append(requests, r.request(i, r.frame.Start, r.days))
	} else {
		for days := r.days; len(days) > 0; {
			from := r.since(days[0])
			n := 1
			for n < len(days) && r.since(days[n]).Equal(from) {
				n++
			}
			requests = append(requests, r.request(i, from, days[:n]))
			days = days[n:]
		}
	}
	answers, err := MeasureAll(tx, nil, requests)
	if err != nil {
		return nil, err
	}
	var totals []money.Decimal
	for _, reading := range slices.Concat(answers...) {
		totals = append(totals, reading.Total)
	}
	return r.shown(i.Metric, totals), nil
}

// since is when the billing period began that a day ends in. Outside of them it is when
// the timeframe does.
func (r reporter) since(day period.Period) time.Time {
	if billed, ok := r.terms.BillingPeriod(day.End.Add(-time.Microsecond)); ok {
		return billed.Start
	}
	return r.frame.Start
}

// shown makes the steps of a metric's value at the end of each day.
func (r reporter) shown(m catalog.Metric, totals []money.Decimal) []Step {
	steps := make([]Step, len(r.days))
	var before money.Decimal
	for k, total := range totals {
		steps[k] = Step{Window: r.days[k], Quantity: total}
		switch {
		case r.Cumulative:
			steps[k].Window.Start = r.frame.Start
		case m.Query().AddsUp():
			steps[k].Quantity = total.Sub(before)
		}
		before = total
	}
	return steps
}
