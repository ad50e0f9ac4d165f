package alerting

import (
	"time"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
)

// read is what an alert looks at in a billing period.
func read(tx *store.Tx, t subscription.Terms, in period.Period, a alert.Alert) ([]alert.Reading, error) {
	switch {
	case a.Type == alert.UsageExceeded:
		return used(tx, t, in, *a.MetricID)
	case a.Type == alert.SpendExceeded:
		return one(invoice.Spend(tx, t, in, *a.Currency, a.PriceFilters))
	case a.Grouped():
		return grouped(tx, t, in, a)
	case a.Currency != nil && *a.Currency != t.Currency:
		return one(invoice.PeriodCostIn(tx, t, in, *a.Currency))
	default:
		return one(invoice.PeriodCost(tx, t, in))
	}
}

func one(value money.Decimal, err error) ([]alert.Reading, error) {
	return []alert.Reading{{Value: value}}, err
}

// used is what a metric counts. If no price of the period is charged by it any more, or
// none of the version that a migration brought, it is not looked at (semantics 12.2.5).
// Where prices give its parameters different values, or count the usage of different
// customers, the first counts.
func used(tx *store.Tx, t subscription.Terms, in period.Period, metricID string) ([]alert.Reading, error) {
	present := in
	if s := latest(t, in, tx.Now); s.StartAt.After(in.Start) {
		present.Start = s.StartAt
	}
	for _, i := range t.Intervals {
		if i.Metric.ID != metricID || !i.Overlaps(present) {
			continue
		}
		counted, err := usage.Measure(tx, usage.Request{
			Cuts: []time.Time{in.Start, in.End},
		}.Of(t, i))
		if err != nil {
			return nil, err
		}
		return one(counted[0].Total, nil)
	}
	return nil, nil
}

func grouped(tx *store.Tx, t subscription.Terms, in period.Period, a alert.Alert) ([]alert.Reading, error) {
	costs, err := invoice.GroupCosts(tx, t, in, *a.Currency, a.PriceFilters, a.GroupingKeys)
	readings := make([]alert.Reading, len(costs))
	for k, c := range costs {
		readings[k] = alert.Reading{Group: c.Values, Value: c.Amount}
	}
	return readings, err
}
