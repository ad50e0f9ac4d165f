package server

import (
	"context"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// FetchSubscriptionUsage serves GET /v1/subscriptions/{subscription_id}/usage.
func (s *Server) FetchSubscriptionUsage(ctx context.Context, req gen.FetchSubscriptionUsageRequestObject) (gen.FetchSubscriptionUsageResponseObject, error) {
	query, err := usageQueryFromWire(req.Params)
	if err != nil {
		return nil, err
	}
	shown := gen.SubscriptionUsage{}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Find(tx, req.SubscriptionID)
		if err != nil {
			return err
		}
		query.Start, query.End, err = timeframeFromWire(req.Params.TimeframeStart, req.Params.TimeframeEnd, terms.Customer.Location())
		if err != nil {
			return err
		}
		reports, next, err := usage.ReportOf(tx, terms, query)
		shown.Data = toWire(reports, func(r usage.Report) gen.MetricUsage { return metricUsageToWire(r, query) })
		if query.GroupBy != "" {
			page := pageToWire(next)
			shown.PaginationMetadata = &page
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchSubscriptionUsage200JSONResponse(shown), nil
}

// mostGroups is how many groups are on a page unless fewer are asked for.
const mostGroups = 1000

func usageQueryFromWire(p gen.FetchSubscriptionUsageParams) (usage.ReportQuery, error) {
	query := usage.ReportQuery{
		MetricID:   orEmpty(p.BillableMetricID),
		Cumulative: p.ViewMode != nil && *p.ViewMode == gen.ViewModeCumulative,
		GroupBy:    orEmpty(p.GroupBy),
		Groups:     store.Page{Limit: mostGroups, Cursor: orEmpty(p.Cursor)},
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

func metricUsageToWire(r usage.Report, asked usage.ReportQuery) gen.MetricUsage {
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
			Quantity:       numberToWire(step.Quantity),
			TimeframeStart: instantToWire(step.Window.Start),
			TimeframeEnd:   instantToWire(step.Window.End),
		})
	}
	return shown
}
