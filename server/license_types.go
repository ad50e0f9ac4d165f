package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateLicenseType serves POST /v1/license_types.
func (s *Server) CreateLicenseType(ctx context.Context, req gen.CreateLicenseTypeRequestObject) (gen.CreateLicenseTypeResponseObject, error) {
	created, err := once(ctx, s, func(tx *store.Tx) (gen.LicenseType, error) {
		made, err := catalog.CreateLicenseType(tx, catalog.NewLicenseType{Name: req.Body.Name, GroupingKey: req.Body.GroupingKey})
		return wire.LicenseType(made), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateLicenseType201JSONResponse(created), nil
}

// ListLicenseTypes serves GET /v1/license_types.
func (s *Server) ListLicenseTypes(ctx context.Context, req gen.ListLicenseTypesRequestObject) (gen.ListLicenseTypesResponseObject, error) {
	var page gen.LicenseTypePage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		types, next, err := catalog.ListLicenseTypes(tx, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		page = gen.LicenseTypePage{Data: wire.MapSlice(types, wire.LicenseType), PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListLicenseTypes200JSONResponse(page), nil
}

// FetchLicenseType serves GET /v1/license_types/{license_type_id}.
func (s *Server) FetchLicenseType(ctx context.Context, req gen.FetchLicenseTypeRequestObject) (gen.FetchLicenseTypeResponseObject, error) {
	var found gen.LicenseType
	err := s.store.View(ctx, func(tx *store.Tx) error {
		l, err := catalog.FindLicenseType(tx, req.LicenseTypeID)
		found = wire.LicenseType(l)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchLicenseType200JSONResponse(found), nil
}
