package server

import (
	"context"

	"tollkeeper/domain/license"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreateLicense serves POST /v1/licenses.
func (s *Server) CreateLicense(ctx context.Context, req gen.CreateLicenseRequestObject) (gen.CreateLicenseResponseObject, error) {
	start, startErr := wire.ReadOptionalDate("start_date", req.Body.StartDate)
	end, endErr := wire.ReadOptionalDate("end_date", req.Body.EndDate)
	if err := fault.Join(startErr, endErr); err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.License, error) {
		made, err := license.Create(tx, license.NewLicense{
			SubscriptionID: req.Body.SubscriptionID, TypeID: req.Body.LicenseTypeID, ExternalID: req.Body.ExternalLicenseID,
			StartDate: start, EndDate: end,
		})
		return wire.License(tx, made), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateLicense201JSONResponse(created), nil
}

// ListLicenses serves GET /v1/licenses.
func (s *Server) ListLicenses(ctx context.Context, req gen.ListLicensesRequestObject) (gen.ListLicensesResponseObject, error) {
	p := req.Params
	var page gen.LicensePage
	err := s.store.View(ctx, func(tx *store.Tx) error {
		licenses, next, err := license.List(tx, license.Filter{
			SubscriptionID: p.SubscriptionID, TypeID: wire.Deref(p.LicenseTypeID), ExternalID: wire.Deref(p.ExternalLicenseID),
			Status: license.Status(wire.Deref(p.Status)),
		}, wire.ReadPage(p.Limit, p.Cursor))
		page = gen.LicensePage{
			Data:               wire.MapSlice(licenses, func(l license.License) gen.License { return wire.License(tx, l) }),
			PaginationMetadata: wire.Page(next),
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListLicenses200JSONResponse(page), nil
}

// FetchLicense serves GET /v1/licenses/{license_id}.
func (s *Server) FetchLicense(ctx context.Context, req gen.FetchLicenseRequestObject) (gen.FetchLicenseResponseObject, error) {
	var found gen.License
	err := s.store.View(ctx, func(tx *store.Tx) error {
		l, err := license.Find(tx, req.LicenseID)
		found = wire.License(tx, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchLicense200JSONResponse(found), nil
}

// FetchLicenseByExternalID serves GET /v1/licenses/external_license_id/{external_license_id}.
func (s *Server) FetchLicenseByExternalID(ctx context.Context, req gen.FetchLicenseByExternalIDRequestObject) (gen.FetchLicenseByExternalIDResponseObject, error) {
	var found gen.License
	err := s.store.View(ctx, func(tx *store.Tx) error {
		l, err := license.FindActive(tx, req.Params.SubscriptionID, req.Params.LicenseTypeID, req.ExternalLicenseID)
		found = wire.License(tx, l)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchLicenseByExternalID200JSONResponse(found), nil
}

// DeactivateLicense serves POST /v1/licenses/{license_id}/deactivate.
func (s *Server) DeactivateLicense(ctx context.Context, req gen.DeactivateLicenseRequestObject) (gen.DeactivateLicenseResponseObject, error) {
	var asked gen.LicenseDeactivate
	if req.Body != nil {
		asked = *req.Body
	}
	end, err := wire.ReadOptionalDate("end_date", asked.EndDate)
	if err != nil {
		return nil, err
	}
	changed, err := once(ctx, s, func(tx *store.Tx) (gen.License, error) {
		l, err := license.Deactivate(tx, req.LicenseID, end)
		return wire.License(tx, l), err
	})
	if err != nil {
		return nil, err
	}
	return gen.DeactivateLicense200JSONResponse(changed), nil
}
