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

// UpdateItem serves PUT /v1/items/{item_id}.
func (s *Server) UpdateItem(ctx context.Context, req gen.UpdateItemRequestObject) (gen.UpdateItemResponseObject, error) {
	var updated catalog.Item
	err := s.store.Update(ctx, func(tx *store.Tx) (err error) {
		updated, err = catalog.UpdateItem(tx, req.ItemID, func(item *catalog.Item) error {
			if req.Body.Name != nil {
				item.Name = *req.Body.Name
			}
			if sent(ctx, "external_connections") {
				item.Connections = toWire(req.Body.ExternalConnections, connectionFromWire)
			}
			return editMetadata(ctx, &item.Metadata, req.Body.Metadata)
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateItem200JSONResponse(itemToWire(updated)), nil
}

// ArchiveItem serves POST /v1/items/{item_id}/archive.
func (s *Server) ArchiveItem(ctx context.Context, req gen.ArchiveItemRequestObject) (gen.ArchiveItemResponseObject, error) {
	archived, err := once(ctx, s, func(tx *store.Tx) (gen.Item, error) {
		item, err := catalog.ArchiveItem(tx, req.ItemID)
		return itemToWire(item), err
	})
	if err != nil {
		return nil, err
	}
	return gen.ArchiveItem200JSONResponse(archived), nil
}

func connectionFromWire(c gen.ItemExternalConnection) catalog.Connection {
	return catalog.Connection{System: string(c.ExternalConnectionName), ID: c.ExternalEntityID}
}

func itemToWire(item catalog.Item) gen.Item {
	return gen.Item{
		ID:         item.ID,
		Name:       item.Name,
		CreatedAt:  instantToWire(item.CreatedAt),
		ArchivedAt: optionalInstantToWire(item.ArchivedAt),
		Metadata:   metadataToWire(item.Metadata),
		ExternalConnections: toWire(item.Connections, func(c catalog.Connection) gen.ItemExternalConnection {
			return gen.ItemExternalConnection{ExternalConnectionName: gen.ItemConnectionName(c.System), ExternalEntityID: c.ID}
		}),
	}
}
