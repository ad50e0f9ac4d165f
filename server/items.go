package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateItem serves POST /v1/items.
func (s *Server) CreateItem(ctx context.Context, req gen.CreateItemRequestObject) (gen.CreateItemResponseObject, error) {
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Item, error) {
		item, err := catalog.CreateItem(tx, catalog.NewItem{
			Name:     req.Body.Name,
			Metadata: wire.ReadMetadata(req.Body.Metadata),
		})
		return wire.Item(item), err
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
		items, next, err := catalog.ListItems(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		page = gen.ItemPage{Data: wire.MapSlice(items, wire.Item), PaginationMetadata: wire.Page(next)}
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
	return gen.FetchItem200JSONResponse(wire.Item(item)), nil
}

// UpdateItem serves PUT /v1/items/{item_id}.
func (s *Server) UpdateItem(ctx context.Context, req gen.UpdateItemRequestObject) (gen.UpdateItemResponseObject, error) {
	var updated catalog.Item
	err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
		updated, err = catalog.UpdateItem(tx, req.ItemID, func(item *catalog.Item) error {
			if req.Body.Name != nil {
				item.Name = *req.Body.Name
			}
			if sent(ctx, "external_connections") {
				item.Connections = wire.MapSlice(req.Body.ExternalConnections, wire.ReadItemConnection)
			}
			return editMetadata(ctx, &item.Metadata, req.Body.Metadata)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateItem200JSONResponse(wire.Item(updated)), nil
}

// ArchiveItem serves POST /v1/items/{item_id}/archive.
func (s *Server) ArchiveItem(ctx context.Context, req gen.ArchiveItemRequestObject) (gen.ArchiveItemResponseObject, error) {
	archived, err := once(ctx, s, func(tx *store.Tx) (gen.Item, error) {
		item, err := catalog.ArchiveItem(tx, req.ItemID)
		return wire.Item(item), err
	})
	if err != nil {
		return nil, err
	}
	return gen.ArchiveItem200JSONResponse(archived), nil
}
