package server

import (
	"context"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// AmendEvent serves PUT /v1/events/{event_id}.
func (s *Server) AmendEvent(ctx context.Context, req gen.AmendEventRequestObject) (gen.AmendEventResponseObject, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		return usage.Amend(tx, req.EventID, event.Inline{
			Name:               req.Body.EventName,
			CustomerID:         req.Body.CustomerID,
			ExternalCustomerID: req.Body.ExternalCustomerID,
			Timestamp:          req.Body.Timestamp,
			Properties:         req.Body.Properties,
		})
	})
	if err != nil {
		return nil, err
	}
	return gen.AmendEvent200JSONResponse{Amended: req.EventID}, nil
}

// DeprecateEvent serves PUT /v1/events/{event_id}/deprecate.
func (s *Server) DeprecateEvent(ctx context.Context, req gen.DeprecateEventRequestObject) (gen.DeprecateEventResponseObject, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error { return usage.Deprecate(tx, req.EventID) })
	if err != nil {
		return nil, err
	}
	return gen.DeprecateEvent200JSONResponse{Deprecated: req.EventID}, nil
}

// SearchEvents serves POST /v1/events/search. It reads only, so nothing is remembered
// of it (semantics 14.3.5).
func (s *Server) SearchEvents(ctx context.Context, req gen.SearchEventsRequestObject) (gen.SearchEventsResponseObject, error) {
	search := event.Search{Keys: req.Body.EventIds}
	var err error
	search.Start, search.End, err = wire.ReadTimeframe(req.Body.TimeframeStart, req.Body.TimeframeEnd, time.UTC)
	if err != nil {
		return nil, err
	}
	var found []event.Stored
	err = s.store.View(ctx, func(tx *store.Tx) error {
		found, err = search.Find(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.SearchEvents200JSONResponse{Data: wire.MapSlice(found, wire.FoundEvent)}, nil
}

// ListEvents serves GET /v1/events.
func (s *Server) ListEvents(ctx context.Context, req gen.ListEventsRequestObject) (gen.ListEventsResponseObject, error) {
	var page gen.EventPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		found, next, err := event.Newest(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		page = gen.EventPage{Data: wire.MapSlice(found, wire.FoundEvent), PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListEvents200JSONResponse(page), nil
}

// FetchChangedResends serves GET /v1/events/changed_resends.
func (s *Server) FetchChangedResends(ctx context.Context, _ gen.FetchChangedResendsRequestObject) (gen.FetchChangedResendsResponseObject, error) {
	var found event.ChangedResends
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = event.FindChangedResends(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchChangedResends200JSONResponse(wire.ChangedResends(found)), nil
}

// ListEventVolumes serves GET /v1/events/volume.
func (s *Server) ListEventVolumes(ctx context.Context, req gen.ListEventVolumesRequestObject) (gen.ListEventVolumesResponseObject, error) {
	start, startErr := wire.ReadInstant("timeframe_start", &req.Params.TimeframeStart, time.UTC)
	end, endErr := wire.ReadInstant("timeframe_end", req.Params.TimeframeEnd, time.UTC)
	if err := fault.Join(startErr, endErr); err != nil {
		return nil, err
	}
	var hours []usage.HourCount
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		hours, err = usage.Volume(tx, *start, end)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListEventVolumes200JSONResponse{Data: wire.MapSlice(hours, wire.EventVolume)}, nil
}
