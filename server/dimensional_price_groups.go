package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateDimensionalPriceGroup serves POST /v1/dimensional_price_groups.
func (s *Server) CreateDimensionalPriceGroup(ctx context.Context, req gen.CreateDimensionalPriceGroupRequestObject) (gen.CreateDimensionalPriceGroupResponseObject, error) {
	created, err := once(ctx, s, func(tx *store.Tx) (gen.DimensionalPriceGroup, error) {
		group, err := catalog.CreateDimensionalPriceGroup(tx, catalog.NewDimensionalPriceGroup{
			Name:                            req.Body.Name,
			ExternalDimensionalPriceGroupID: req.Body.ExternalDimensionalPriceGroupID,
			MetricID:                        req.Body.BillableMetricID,
			Dimensions:                      req.Body.Dimensions,
			Metadata:                        wire.ReadMetadata(req.Body.Metadata),
		})
		return wire.DimensionalPriceGroup(group), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateDimensionalPriceGroup201JSONResponse(created), nil
}

// ListDimensionalPriceGroups serves GET /v1/dimensional_price_groups.
func (s *Server) ListDimensionalPriceGroups(ctx context.Context, req gen.ListDimensionalPriceGroupsRequestObject) (gen.ListDimensionalPriceGroupsResponseObject, error) {
	var page gen.DimensionalPriceGroupPage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		groups, next, err := catalog.ListDimensionalPriceGroups(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		page = gen.DimensionalPriceGroupPage{Data: wire.MapSlice(groups, wire.DimensionalPriceGroup), PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListDimensionalPriceGroups200JSONResponse(page), nil
}

// FetchDimensionalPriceGroup serves GET /v1/dimensional_price_groups/{dimensional_price_group_id}.
func (s *Server) FetchDimensionalPriceGroup(ctx context.Context, req gen.FetchDimensionalPriceGroupRequestObject) (gen.FetchDimensionalPriceGroupResponseObject, error) {
	found, err := s.fetchPriceGroup(ctx, catalog.FindDimensionalPriceGroup, req.DimensionalPriceGroupID)
	if err != nil {
		return nil, err
	}
	return gen.FetchDimensionalPriceGroup200JSONResponse(found), nil
}

// FetchDimensionalPriceGroupByExternalID serves
// GET /v1/dimensional_price_groups/external_dimensional_price_group_id/{external_dimensional_price_group_id}.
func (s *Server) FetchDimensionalPriceGroupByExternalID(ctx context.Context, req gen.FetchDimensionalPriceGroupByExternalIDRequestObject) (gen.FetchDimensionalPriceGroupByExternalIDResponseObject, error) {
	found, err := s.fetchPriceGroup(ctx, catalog.FindDimensionalPriceGroupByExternalID, req.ExternalDimensionalPriceGroupID)
	if err != nil {
		return nil, err
	}
	return gen.FetchDimensionalPriceGroupByExternalID200JSONResponse(found), nil
}

// UpdateDimensionalPriceGroup serves PUT /v1/dimensional_price_groups/{dimensional_price_group_id}.
func (s *Server) UpdateDimensionalPriceGroup(ctx context.Context, req gen.UpdateDimensionalPriceGroupRequestObject) (gen.UpdateDimensionalPriceGroupResponseObject, error) {
	updated, err := s.updatePriceGroup(ctx, catalog.FindDimensionalPriceGroup, req.DimensionalPriceGroupID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdateDimensionalPriceGroup200JSONResponse(updated), nil
}

// UpdateDimensionalPriceGroupByExternalID serves
// PUT /v1/dimensional_price_groups/external_dimensional_price_group_id/{external_dimensional_price_group_id}.
func (s *Server) UpdateDimensionalPriceGroupByExternalID(ctx context.Context, req gen.UpdateDimensionalPriceGroupByExternalIDRequestObject) (gen.UpdateDimensionalPriceGroupByExternalIDResponseObject, error) {
	updated, err := s.updatePriceGroup(ctx, catalog.FindDimensionalPriceGroupByExternalID, req.ExternalDimensionalPriceGroupID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdateDimensionalPriceGroupByExternalID200JSONResponse(updated), nil
}

type findPriceGroup func(*store.Tx, string) (catalog.DimensionalPriceGroup, error)

func (s *Server) fetchPriceGroup(ctx context.Context, find findPriceGroup, identifier string) (found gen.DimensionalPriceGroup, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		group, err := find(tx, identifier)
		found = wire.DimensionalPriceGroup(group)
		return err
	})
	return found, err
}

func (s *Server) updatePriceGroup(ctx context.Context, find findPriceGroup, identifier string, in gen.DimensionalPriceGroupUpdate) (updated gen.DimensionalPriceGroup, err error) {
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		group, err := find(tx, identifier)
		if err != nil {
			return err
		}
		group, err = catalog.UpdateDimensionalPriceGroup(tx, group.ID, func(g *catalog.DimensionalPriceGroup) error {
			if sent(ctx, "external_dimensional_price_group_id") {
				g.ExternalDimensionalPriceGroupID = in.ExternalDimensionalPriceGroupID
			}
			return editMetadata(ctx, &g.Metadata, in.Metadata)
		})
		updated = wire.DimensionalPriceGroup(group)
		return err
	})
	return updated, err
}
