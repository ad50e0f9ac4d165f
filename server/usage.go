package server

import (
	"context"

	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// FetchSubscriptionUsage serves GET /v1/subscriptions/{subscription_id}/usage.
func (s *Server) FetchSubscriptionUsage(ctx context.Context, req gen.FetchSubscriptionUsageRequestObject) (gen.FetchSubscriptionUsageResponseObject, error) {
	p := req.Params
	query := usage.ReportQuery{MetricID: orEmpty(p.BillableMetricID)}
	mode := gen.ViewModePeriodic
	if p.ViewMode != nil && *p.ViewMode == gen.ViewModeCumulative {
		mode, query.Cumulative = gen.ViewModeCumulative, true
	}
	shown := gen.SubscriptionUsage{Data: []gen.MetricUsage{}}
	err := s.store.View(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Find(tx, req.SubscriptionID)
		if err != nil {
			return err
		}
		query.Start, query.End, err = timeframeFromWire(p.TimeframeStart, p.TimeframeEnd, terms.Customer.Location())
		if err != nil {
			return err
		}
		reports, err := usage.ReportOf(tx, terms, query)
		for _, r := range reports {
			shown.Data = append(shown.Data, metricUsageToWire(r, mode))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchSubscriptionUsage200JSONResponse(shown), nil
}

func metricUsageToWire(r usage.Report, mode gen.ViewMode) gen.MetricUsage {
	shown := gen.MetricUsage{
		BillableMetric: gen.BillableMetricSlim{ID: r.Metric.ID, Name: r.Metric.Name},
		Usage:          []gen.UsageStep{},
		ViewMode:       mode,
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
