package server

import (
	"context"

	"tollkeeper/domain/letterhead"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// FetchLetterhead serves GET /v1/letterhead.
func (s *Server) FetchLetterhead(ctx context.Context, _ gen.FetchLetterheadRequestObject) (gen.FetchLetterheadResponseObject, error) {
	var current letterhead.Letterhead
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		current, err = letterhead.Current(tx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchLetterhead200JSONResponse(wire.Letterhead(current)), nil
}

// UpdateLetterhead serves PUT /v1/letterhead.
func (s *Server) UpdateLetterhead(ctx context.Context, req gen.UpdateLetterheadRequestObject) (gen.UpdateLetterheadResponseObject, error) {
	content, logo, err := wire.ReadLetterhead(*req.Body)
	if err != nil {
		return nil, err
	}
	next, err := letterhead.Read(ctx, content, logo)
	if err != nil {
		return nil, err
	}
	updated, err := once(ctx, s, func(tx *store.Tx) (gen.Letterhead, error) {
		made, err := letterhead.Update(tx, next)
		return wire.Letterhead(made), err
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateLetterhead200JSONResponse(updated), nil
}
