package server

import (
	"context"
	"time"

	"tollkeeper/domain/backfill"
	"tollkeeper/domain/fault"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CreateBackfill serves POST /v1/events/backfills.
func (s *Server) CreateBackfill(ctx context.Context, req gen.CreateBackfillRequestObject) (gen.CreateBackfillResponseObject, error) {
	wanted, err := newBackfillFromWire(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Backfill, error) {
		made, err := backfill.Create(tx, wanted)
		return backfillToWire(made), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateBackfill200JSONResponse(created), nil
}

// ListBackfills serves GET /v1/events/backfills.
func (s *Server) ListBackfills(ctx context.Context, req gen.ListBackfillsRequestObject) (gen.ListBackfillsResponseObject, error) {
	var page gen.BackfillPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		backfills, next, err := backfill.List(tx, pageFromWire(req.Params.Limit, req.Params.Cursor))
		page = gen.BackfillPage{Data: toWire(backfills, backfillToWire), PaginationMetadata: pageToWire(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListBackfills200JSONResponse(page), nil
}

// FetchBackfill serves GET /v1/events/backfills/{backfill_id}.
func (s *Server) FetchBackfill(ctx context.Context, req gen.FetchBackfillRequestObject) (gen.FetchBackfillResponseObject, error) {
	var found backfill.Backfill
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = backfill.Find(tx, req.BackfillID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchBackfill200JSONResponse(backfillToWire(found)), nil
}

// CloseBackfill serves POST /v1/events/backfills/{backfill_id}/close.
func (s *Server) CloseBackfill(ctx context.Context, req gen.CloseBackfillRequestObject) (gen.CloseBackfillResponseObject, error) {
	closed, err := s.moveBackfill(ctx, req.BackfillID, backfill.Close)
	if err != nil {
		return nil, err
	}
	return gen.CloseBackfill200JSONResponse(closed), nil
}

// RevertBackfill serves POST /v1/events/backfills/{backfill_id}/revert.
func (s *Server) RevertBackfill(ctx context.Context, req gen.RevertBackfillRequestObject) (gen.RevertBackfillResponseObject, error) {
	reverted, err := s.moveBackfill(ctx, req.BackfillID, backfill.Revert)
	if err != nil {
		return nil, err
	}
	return gen.RevertBackfill200JSONResponse(reverted), nil
}

// moveBackfill closes or reverts a backfill. The rest of that is done while the client gets
// its answer.
func (s *Server) moveBackfill(ctx context.Context, id string, move func(*store.Tx, string) (backfill.Backfill, error)) (gen.Backfill, error) {
	moved, err := once(ctx, s, func(tx *store.Tx) (gen.Backfill, error) {
		moved, err := move(tx, id)
		return backfillToWire(moved), err
	})
	if err == nil {
		go s.worker.DoImmediate(context.WithoutCancel(ctx))
	}
	return moved, err
}

func newBackfillFromWire(in gen.BackfillCreate) (backfill.NewBackfill, error) {
	wanted := backfill.NewBackfill{
		CustomerID:         in.CustomerID,
		ExternalCustomerID: in.ExternalCustomerID,
		Replaces:           in.ReplaceExistingEvents == nil || *in.ReplaceExistingEvents,
		DeprecationFilter:  in.DeprecationFilter,
	}
	var startErr, endErr, closeErr error
	wanted.TimeframeStart, startErr = dateTimeFromWire("timeframe_start", in.TimeframeStart)
	wanted.TimeframeEnd, endErr = dateTimeFromWire("timeframe_end", in.TimeframeEnd)
	if in.CloseTime != nil {
		wanted.CloseTime = new(time.Time)
		*wanted.CloseTime, closeErr = dateTimeFromWire("close_time", *in.CloseTime)
	}
	return wanted, fault.Join(startErr, endErr, closeErr)
}

func backfillToWire(b backfill.Backfill) gen.Backfill {
	shown := gen.Backfill{
		ID:                    b.ID,
		CreatedAt:             instantToWire(b.CreatedAt),
		TimeframeStart:        instantToWire(b.TimeframeStart),
		TimeframeEnd:          instantToWire(b.TimeframeEnd),
		CustomerID:            b.CustomerID,
		ReplaceExistingEvents: b.Replaces,
		DeprecationFilter:     b.DeprecationFilter,
		CloseTime:             optionalInstantToWire(&b.CloseTime),
		Status:                gen.BackfillStatus(b.Status),
		EventsIngested:        b.EventsIngested,
	}
	if b.Status == backfill.StatusReverted {
		shown.RevertedAt = optionalInstantToWire(b.RevertedAt)
	}
	return shown
}
