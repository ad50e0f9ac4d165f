package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CreateItem serves POST /v1/items.
func (s *Server) CreateItem(ctx context.Context, req gen.CreateItemRequestObject) (gen.CreateItemResponseObject, error) {
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Item, error) {
		item, err := catalog.CreateItem(tx, catalog.NewItem{
			Name:     req.Body.Name,
			Metadata: metadataFromWire(req.Body.Metadata),
		})
		return itemToWire(item), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateItem201JSONResponse(created), nil
}

// ListItems serves GET /v1/items.
func (s *Server) ListItems(ctx context.Context, req gen.ListItemsRequestObject) (gen.ListItemsResponseObject, error) {
	var page gen.ItemPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		items, next, err := catalog.ListItems(tx, pageFromWire(req.Params.Limit, req.Params.Cursor))
		page = gen.ItemPage{Data: toWire(items, itemToWire), PaginationMetadata: pageToWire(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListItems200JSONResponse(page), nil
}

// FetchItem serves GET /v1/items/{item_id}.
func (s *Server) FetchItem(ctx context.Context, req gen.FetchItemRequestObject) (gen.FetchItemResponseObject, error) {
	var item catalog.Item
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		item, err = catalog.FindItem(tx, req.ItemID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchItem200JSONResponse(itemToWire(item)), nil
}

func itemToWire(item catalog.Item) gen.Item {
	return gen.Item{
		ID:                  item.ID,
		Name:                item.Name,
		CreatedAt:           instantToWire(item.CreatedAt),
		ExternalConnections: []gen.ItemExternalConnection{},
		Metadata:            metadataToWire(item.Metadata),
	}
}
