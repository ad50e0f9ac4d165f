package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreatePrice serves POST /v1/prices.
func (s *Server) CreatePrice(ctx context.Context, req gen.CreatePriceRequestObject) (gen.CreatePriceResponseObject, error) {
	wanted, _, err := wire.ReadPrice(req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Price, error) {
		price, err := catalog.CreatePrice(tx, wanted)
		if err != nil {
			return gen.Price{}, err
		}
		return wire.LoadPrice(tx, price)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreatePrice201JSONResponse(created), nil
}

// ListPrices serves GET /v1/prices.
func (s *Server) ListPrices(ctx context.Context, req gen.ListPricesRequestObject) (gen.ListPricesResponseObject, error) {
	var page gen.PricePage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		prices, next, err := catalog.ListPrices(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		names, err := wire.LoadItemNames(tx, prices)
		page = gen.PricePage{Data: wire.Prices(prices, names), PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListPrices200JSONResponse(page), nil
}

// FetchPrice serves GET /v1/prices/{price_id}.
func (s *Server) FetchPrice(ctx context.Context, req gen.FetchPriceRequestObject) (gen.FetchPriceResponseObject, error) {
	found, err := s.fetchPrice(ctx, catalog.FindPrice, req.PriceID)
	if err != nil {
		return nil, err
	}
	return gen.FetchPrice200JSONResponse(found), nil
}

// FetchPriceByExternalID serves GET /v1/prices/external_price_id/{external_price_id}.
func (s *Server) FetchPriceByExternalID(ctx context.Context, req gen.FetchPriceByExternalIDRequestObject) (gen.FetchPriceByExternalIDResponseObject, error) {
	found, err := s.fetchPrice(ctx, catalog.FindPriceByExternalID, req.ExternalPriceID)
	if err != nil {
		return nil, err
	}
	return gen.FetchPriceByExternalID200JSONResponse(found), nil
}

func (s *Server) fetchPrice(ctx context.Context, find func(*store.Tx, string) (catalog.Price, error), identifier string) (found gen.Price, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		price, err := find(tx, identifier)
		if err != nil {
			return err
		}
		found, err = wire.LoadPrice(tx, price)
		return err
	})
	return found, err
}

// UpdatePrice serves PUT /v1/prices/{price_id}.
func (s *Server) UpdatePrice(ctx context.Context, req gen.UpdatePriceRequestObject) (gen.UpdatePriceResponseObject, error) {
	updated, err := s.updatePrice(ctx, catalog.FindPrice, req.PriceID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdatePrice200JSONResponse(updated), nil
}

// UpdatePriceByExternalID serves PUT /v1/prices/external_price_id/{external_price_id}.
func (s *Server) UpdatePriceByExternalID(ctx context.Context, req gen.UpdatePriceByExternalIDRequestObject) (gen.UpdatePriceByExternalIDResponseObject, error) {
	updated, err := s.updatePrice(ctx, catalog.FindPriceByExternalID, req.ExternalPriceID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdatePriceByExternalID200JSONResponse(updated), nil
}

func (s *Server) updatePrice(ctx context.Context, find func(*store.Tx, string) (catalog.Price, error), identifier string, in gen.PriceUpdate) (updated gen.Price, err error) {
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		price, err := find(tx, identifier)
		if err != nil {
			return err
		}
		price, err = catalog.UpdatePrice(tx, price.ID, func(p *catalog.Price) error {
			return editMetadata(ctx, &p.Metadata, in.Metadata)
		})
		if err != nil {
			return err
		}
		updated, err = wire.LoadPrice(tx, price)
		return err
	})
	return updated, err
}
