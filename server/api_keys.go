package server

import (
	"context"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateAPIKey serves POST /v1/api_keys. The answer is not kept for an Idempotency-Key, since
// it has the text of the key.
func (s *Server) CreateAPIKey(ctx context.Context, req gen.CreateAPIKeyRequestObject) (gen.CreateAPIKeyResponseObject, error) {
	in := wire.NewAPIKey(*req.Body)
	var created gen.APIKeyWithText
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		k, text, err := account.CreateOwnKey(tx, makerOf(ctx), in)
		created = wire.APIKeyWithText(k, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateAPIKey201JSONResponse(created), nil
}

// ListAPIKeys serves GET /v1/api_keys.
func (s *Server) ListAPIKeys(ctx context.Context, req gen.ListAPIKeysRequestObject) (gen.ListAPIKeysResponseObject, error) {
	var page gen.APIKeyPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		keys, next, err := account.ListOwnKeys(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		page = gen.APIKeyPage{Data: wire.MapSlice(keys, wire.APIKey), PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListAPIKeys200JSONResponse(page), nil
}

// FetchAPIKey serves GET /v1/api_keys/{api_key_id}.
func (s *Server) FetchAPIKey(ctx context.Context, req gen.FetchAPIKeyRequestObject) (gen.FetchAPIKeyResponseObject, error) {
	var found account.Key
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		found, err = account.FindOwnKey(tx, req.APIKeyID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchAPIKey200JSONResponse(wire.APIKey(found)), nil
}

// defaultOverlap is how long a key that was rotated still works, unless told otherwise.
const defaultOverlap = 24 * time.Hour

// RotateAPIKey serves POST /v1/api_keys/{api_key_id}/rotate. Like CreateAPIKey it keeps no
// answer.
func (s *Server) RotateAPIKey(ctx context.Context, req gen.RotateAPIKeyRequestObject) (gen.RotateAPIKeyResponseObject, error) {
	overlap := defaultOverlap
	if req.Body.OverlapSeconds != nil {
		overlap = time.Duration(*req.Body.OverlapSeconds) * time.Second
	}
	var rotated gen.APIKeyWithText
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		k, text, err := account.RotateOwnKey(tx, makerOf(ctx), req.APIKeyID, overlap)
		rotated = wire.APIKeyWithText(k, text)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.RotateAPIKey200JSONResponse(rotated), nil
}

// RevokeAPIKey serves POST /v1/api_keys/{api_key_id}/revoke.
func (s *Server) RevokeAPIKey(ctx context.Context, req gen.RevokeAPIKeyRequestObject) (gen.RevokeAPIKeyResponseObject, error) {
	revoked, err := once(ctx, s, func(tx *store.Tx) (gen.APIKey, error) {
		k, err := account.RevokeOwnKey(tx, requestOf(ctx).apiKey.ID, req.APIKeyID)
		return wire.APIKey(k), err
	})
	if err != nil {
		return nil, err
	}
	return gen.RevokeAPIKey200JSONResponse(revoked), nil
}
