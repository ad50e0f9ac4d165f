package server

import (
	"context"

	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// FetchSubscriptionUsage serves GET /v1/subscriptions/{subscription_id}/usage.
func (s *Server) FetchSubscriptionUsage(ctx context.Context, req gen.FetchSubscriptionUsageRequestObject) (gen.FetchSubscriptionUsageResponseObject, error) {
	query, err := wire.ReadUsageQuery(req.Params)
	if err != nil {
		return nil, err
	}
	shown := gen.SubscriptionUsage{}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Find(tx, req.SubscriptionID)
		if err != nil {
			return err
		}
		query.Start, query.End, err = wire.ReadTimeframe(req.Params.TimeframeStart, req.Params.TimeframeEnd, terms.Customer.Location())
		if err != nil {
			return err
		}
		reports, next, err := usage.ReportOf(tx, terms, query)
		shown.Data = wire.MapSlice(reports, func(r usage.Report) gen.MetricUsage { return wire.MetricUsage(r, query) })
		if query.GroupBy != "" {
			page := wire.Page(next)
			shown.PaginationMetadata = &page
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchSubscriptionUsage200JSONResponse(shown), nil
}
