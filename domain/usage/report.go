package usage

import (
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// ReportQuery asks for the usage of a subscription by local days.
type ReportQuery struct {
	Start, End *time.Time // inclusive, exclusive; both or neither: the current billing period
	MetricID   string     // "": every metric of the subscription's prices
	Cumulative bool       // windows from the start of the timeframe instead of single days
}

// longestReport bounds how many days one answer lists.
const longestReport = 1000 * 24 * time.Hour

// Report is what one metric counted.
type Report struct {
	Metric catalog.Metric
	Steps  []Step // one for each local day, also without events
}

// Step is the quantity over a window.
type Step struct {
	Window   period.Period
	Quantity money.Decimal
}

// ReportOf returns the usage of a subscription, a report for each metric in the
// order of the prices. Sums and counts are cut by day; what does not decompose
// over time is cumulative since the start of the timeframe (semantics 4.2.5).
func ReportOf(tx *store.Tx, t subscription.Terms, q ReportQuery) ([]Report, error) {
	if q.MetricID != "" {
		if _, err := catalog.FindMetric(tx, q.MetricID); err != nil {
			return nil, err
		}
	}
	frame, ok, err := q.timeframe(t, tx.Now)
	if err != nil || !ok {
		return []Report{}, err
	}
	days := frame.LocalDays(t.Customer.Location())
	reports := []Report{}
	seen := map[string]bool{}
	for _, i := range t.Intervals {
		m := i.Metric
		if i.Price.Type != catalog.PriceUsage || seen[m.ID] || q.MetricID != "" && q.MetricID != m.ID {
			continue
		}
		seen[m.ID] = true
		steps, err := q.steps(tx, t, m, days)
		if err != nil {
			return nil, err
		}
		reports = append(reports, Report{Metric: m, Steps: steps})
	}
	return reports, nil
}

// timeframe is what the query asks for, else the billing period of now, or the
// last one of a subscription that has ended. It is false before the start.
func (q ReportQuery) timeframe(t subscription.Terms, now time.Time) (period.Period, bool, error) {
	switch {
	case (q.Start == nil) != (q.End == nil):
		return period.Period{}, false, fault.Bad("timeframe_start", "goes with timeframe_end: both or neither")
	case q.Start != nil && !q.Start.Before(*q.End):
		return period.Period{}, false, fault.Bad("timeframe_end", "must be after timeframe_start")
	case q.Start != nil && q.End.Sub(*q.Start) > longestReport:
		return period.Period{}, false, fault.Bad("timeframe_end", "must be at most 1000 days after timeframe_start")
	case q.Start != nil:
		return period.Period{Start: *q.Start, End: *q.End}, true, nil
	}
	if t.Status(now) == subscription.StatusEnded {
		now = t.EndAt.Add(-time.Microsecond)
	}
	frame, ok := t.BillingPeriod(now)
	return frame, ok, nil
}

func (q ReportQuery) steps(tx *store.Tx, t subscription.Terms, m catalog.Metric, days []period.Period) ([]Step, error) {
	query := m.Query()
	cuts := []time.Time{days[0].Start}
	for _, day := range days {
		cuts = append(cuts, day.End)
	}
	readings, err := Measure(tx, Request{
		Query: query, Subjects: Subjects(t.Customer.ID, t.Customer.ExternalCustomerID), Cuts: cuts,
	})
	if err != nil {
		return nil, err
	}
	steps := make([]Step, len(days))
	var before money.Decimal
	for k, r := range readings {
		steps[k] = Step{Window: days[k], Quantity: r.Total}
		switch {
		case q.Cumulative:
			steps[k].Window.Start = days[0].Start
		case query.AddsUp():
			steps[k].Quantity = r.Total.Sub(before)
		}
		before = r.Total
	}
	return steps, nil
}
