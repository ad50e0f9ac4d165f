package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateMetric serves POST /v1/metrics.
func (s *Server) CreateMetric(ctx context.Context, req gen.CreateMetricRequestObject) (gen.CreateMetricResponseObject, error) {
	created, err := once(ctx, s, func(tx *store.Tx) (gen.BillableMetric, error) {
		metric, err := catalog.CreateMetric(tx, catalog.NewMetric{
			Name:        req.Body.Name,
			Description: req.Body.Description,
			ItemID:      req.Body.ItemID,
			SQL:         req.Body.SQL,
			Metadata:    wire.ReadMetadata(req.Body.Metadata),
		})
		if err != nil {
			return gen.BillableMetric{}, err
		}
		return wire.LoadMetric(tx, metric)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateMetric201JSONResponse(created), nil
}

// ListMetrics serves GET /v1/metrics.
func (s *Server) ListMetrics(ctx context.Context, req gen.ListMetricsRequestObject) (gen.ListMetricsResponseObject, error) {
	p := req.Params
	created, err := wire.ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	var page gen.BillableMetricPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		metrics, next, err := catalog.ListMetrics(tx, created, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		items, err := catalog.FindItems(tx, wire.MapSlice(metrics, func(m catalog.Metric) string { return m.ItemID }))
		page = gen.BillableMetricPage{
			Data:               wire.MapSlice(metrics, func(m catalog.Metric) gen.BillableMetric { return wire.Metric(m, items[m.ItemID]) }),
			PaginationMetadata: wire.Page(next),
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListMetrics200JSONResponse(page), nil
}

// FetchMetric serves GET /v1/metrics/{metric_id}.
func (s *Server) FetchMetric(ctx context.Context, req gen.FetchMetricRequestObject) (gen.FetchMetricResponseObject, error) {
	var found gen.BillableMetric
	err := s.store.View(ctx, func(tx *store.Tx) error {
		metric, err := catalog.FindMetric(tx, req.MetricID)
		if err != nil {
			return err
		}
		found, err = wire.LoadMetric(tx, metric)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchMetric200JSONResponse(found), nil
}

// PreviewMetric serves POST /v1/metrics/preview. It reads only, so nothing is remembered of it
// (semantics 14.3.5).
func (s *Server) PreviewMetric(ctx context.Context, req gen.PreviewMetricRequestObject) (gen.PreviewMetricResponseObject, error) {
	var preview usage.Preview
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		preview, err = usage.PreviewMetric(tx, req.Body.SQL)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.PreviewMetric200JSONResponse(wire.MetricPreview(preview)), nil
}

// FetchUncountedEvents serves GET /v1/metrics/{metric_id}/uncounted_events.
func (s *Server) FetchUncountedEvents(ctx context.Context, req gen.FetchUncountedEventsRequestObject) (gen.FetchUncountedEventsResponseObject, error) {
	var found usage.Uncounted
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = usage.FindUncounted(tx, req.MetricID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchUncountedEvents200JSONResponse(wire.UncountedEvents(found)), nil
}

// UpdateMetric serves PUT /v1/metrics/{metric_id}.
func (s *Server) UpdateMetric(ctx context.Context, req gen.UpdateMetricRequestObject) (gen.UpdateMetricResponseObject, error) {
	var updated gen.BillableMetric
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		metric, err := catalog.UpdateMetric(tx, req.MetricID, func(metadata *store.Metadata) error {
			return editMetadata(ctx, metadata, req.Body.Metadata)
		})
		if err != nil {
			return err
		}
		updated, err = wire.LoadMetric(tx, metric)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateMetric200JSONResponse(updated), nil
}
