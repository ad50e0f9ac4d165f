package wire

import (
	"tollkeeper/domain/metric"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// mostGroups is how many groups are on a page unless fewer are asked for.
const mostGroups = 1000

// ReadUsageQuery reads the query of a subscription's usage. Usage is periodic unless cumulative
// usage is asked for; a page has 1,000 groups unless limit says fewer.
func ReadUsageQuery(p gen.FetchSubscriptionUsageParams) (usage.ReportQuery, error) {
	query := usage.ReportQuery{
		MetricID:   Deref(p.BillableMetricID),
		Cumulative: p.ViewMode != nil && *p.ViewMode == gen.ViewModeCumulative,
		GroupBy:    Deref(p.GroupBy),
		Groups:     store.Page{Limit: mostGroups, Cursor: Deref(p.Cursor)},
	}
	if p.Limit != nil {
		query.Groups.Limit = *p.Limit
	}
	first, firstErr := dimensionFromWire("first_dimension", p.FirstDimensionKey, p.FirstDimensionValue)
	second, secondErr := dimensionFromWire("second_dimension", p.SecondDimensionKey, p.SecondDimensionValue)
	query.Match = append(first, second...)
	return query, fault.Join(firstErr, secondErr)
}

// dimensionFromWire reads a property and the value that it must have; none if neither
// is given.
func dimensionFromWire(name string, key, value *string) ([]rating.Property, error) {
	switch {
	case key == nil && value == nil:
		return nil, nil
	case value == nil:
		return nil, fault.Bad(name+"_key", "goes with %s_value", name)
	case key == nil:
		return nil, fault.Bad(name+"_value", "goes with %s_key", name)
	}
	if err := metric.CheckName(*key); err != nil {
		return nil, fault.Bad(name+"_key", "%v", err)
	}
	return []rating.Property{{Key: *key, Value: *value}}, nil
}

// MetricUsage returns the usage of one metric, or of one group of it, by window.
func MetricUsage(r usage.Report, asked usage.ReportQuery) gen.MetricUsage {
	shown := gen.MetricUsage{
		BillableMetric: gen.BillableMetricSlim{ID: r.Metric.ID, Name: r.Metric.Name},
		Usage:          []gen.UsageStep{},
		ViewMode:       gen.ViewModePeriodic,
	}
	if asked.Cumulative {
		shown.ViewMode = gen.ViewModeCumulative
	}
	if r.Group != nil {
		shown.MetricGroup = &gen.MetricGroup{PropertyKey: asked.GroupBy, PropertyValue: *r.Group}
	}
	for _, step := range r.Steps {
		shown.Usage = append(shown.Usage, gen.UsageStep{
			Quantity:       Number(step.Quantity),
			TimeframeStart: Instant(step.Window.Start),
			TimeframeEnd:   Instant(step.Window.End),
		})
	}
	return shown
}
