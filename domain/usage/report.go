package usage

import (
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReportQuery asks for the usage of a subscription by local days.
type ReportQuery struct {
	Start, End *time.Time        // inclusive, exclusive; both or neither: the current billing period
	MetricID   string            // "": every metric of the subscription's prices
	Cumulative bool              // windows from the start of the timeframe instead of single days
	Match      []rating.Property // values that properties of the events must have
	GroupBy    string            // a property or column whose values group the usage; "": no groups
	Groups     store.Page        // which groups
}

// longestReport bounds how many days one answer lists.
const longestReport = 1000 * 24 * time.Hour

// Report is what one metric counted.
type Report struct {
	Metric catalog.Metric
	Group  *string // of the events with this value of GroupBy; nil for all
	Steps  []Step  // one for each local day, also without events
}

// Step is the quantity over a window.
type Step struct {
	Window   period.Period
	Quantity money.Decimal
}

// ReportOf returns the usage of a subscription, a report for each metric in the
// order of the prices. Sums and counts are cut by day; the day of what does not
// decompose over time gives its value since its billing period began
// (semantics 4.2.5).
//
// By a property there is a report for each of its values instead, in their order and a
// page at a time; next is the cursor of the page that follows, or "". Events without
// the property are in no group (semantics 4.3.1).
func ReportOf(tx *store.Tx, t subscription.Terms, q ReportQuery) (reports []Report, next string, err error) {
	if q.MetricID != "" {
		if _, err := catalog.FindMetric(tx, q.MetricID); err != nil {
			return nil, "", err
		}
	}
	if err := q.check(); err != nil {
		return nil, "", err
	}
	frame, ok, err := q.timeframe(t, tx.Now)
	if err != nil || !ok {
		return []Report{}, "", err
	}
	r := reporter{ReportQuery: q, terms: t, frame: frame, days: frame.LocalDays(t.Customer.Location())}
	reports = []Report{}
	for _, i := range q.metered(t) {
		if q.GroupBy != "" {
			return r.groups(tx, i) // it is the only one
		}
		steps, err := r.steps(tx, i)
		if err != nil {
			return nil, "", err
		}
		reports = append(reports, Report{Metric: i.Metric, Steps: steps})
	}
	return reports, "", nil
}

// check tells what goes together.
func (q ReportQuery) check() error {
	var groupErr, matchErr error
	if q.MetricID != "" {
		if q.GroupBy != "" && metric.CheckName(q.GroupBy) != nil {
			groupErr = fault.Bad("group_by", "%v", metric.CheckName(q.GroupBy))
		}
		return groupErr
	}
	if q.GroupBy != "" {
		groupErr = fault.Bad("group_by", "goes with billable_metric_id")
	}
	if len(q.Match) > 0 {
		matchErr = fault.Bad("billable_metric_id", "must be given with the values of dimensions")
	}
	return fault.Join(groupErr, matchErr)
}

// metered are the prices whose metrics the query is for, each metric once with the same
// values for its parameters and the same customers, in the order of the prices.
func (q ReportQuery) metered(t subscription.Terms) (all []subscription.PriceInterval) {
	seen := map[string]bool{}
	for _, i := range t.Intervals {
		if i.Price.Type != catalog.PriceUsage || q.MetricID != "" && q.MetricID != i.Metric.ID {
			continue
		}
		if asked := fmt.Sprint(i.Metric.ID, i.UsageCustomerIDs, i.UsageCustomersBefore, i.ParametersBefore, i.Metric.Query().Text()); !seen[asked] {
			seen[asked] = true
			all = append(all, i)
		}
	}
	return all
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
