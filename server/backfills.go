package server

import (
	"context"

	"tollkeeper/domain/backfill"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateBackfill serves POST /v1/events/backfills.
func (s *Server) CreateBackfill(ctx context.Context, req gen.CreateBackfillRequestObject) (gen.CreateBackfillResponseObject, error) {
	wanted, err := wire.ReadBackfill(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Backfill, error) {
		made, err := backfill.Create(tx, wanted)
		return wire.Backfill(made), err
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
		backfills, next, err := backfill.List(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		page = gen.BackfillPage{Data: wire.MapSlice(backfills, wire.Backfill), PaginationMetadata: wire.Page(next)}
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
	return gen.FetchBackfill200JSONResponse(wire.Backfill(found)), nil
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
		return wire.Backfill(moved), err
	})
	if err == nil {
		go s.worker.DoImmediate(context.WithoutCancel(ctx))
	}
	return moved, err
}
