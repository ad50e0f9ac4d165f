package server

import (
	"context"

	"tollkeeper/domain/license"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ListLicenseUsage serves GET /v1/licenses/usage.
func (s *Server) ListLicenseUsage(ctx context.Context, req gen.ListLicenseUsageRequestObject) (gen.ListLicenseUsageResponseObject, error) {
	p := req.Params
	shown, err := s.licenseUsage(ctx, wire.LicenseUsageParameters{Start: p.StartDate, End: p.EndDate, GroupBy: p.GroupBy}, wire.ReadPage(p.Limit, p.Cursor), func(tx *store.Tx) (license.UsageQuery, error) {
		return license.UsageQuery{SubscriptionID: p.SubscriptionID, TypeID: p.LicenseTypeID}, nil
	})
	if err != nil {
		return nil, err
	}
	return gen.ListLicenseUsage200JSONResponse(shown), nil
}

// FetchLicenseUsage serves GET /v1/licenses/{license_id}/usage.
func (s *Server) FetchLicenseUsage(ctx context.Context, req gen.FetchLicenseUsageRequestObject) (gen.FetchLicenseUsageResponseObject, error) {
	p := req.Params
	shown, err := s.licenseUsage(ctx, wire.LicenseUsageParameters{Start: p.StartDate, End: p.EndDate, GroupBy: p.GroupBy}, wire.ReadPage(p.Limit, p.Cursor), func(tx *store.Tx) (license.UsageQuery, error) {
		l, err := license.Find(tx, req.LicenseID)
		return usageOf(l), err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchLicenseUsage200JSONResponse(shown), nil
}

// FetchLicenseUsageByExternalID serves GET /v1/licenses/external_licenses/{external_license_id}/usage.
func (s *Server) FetchLicenseUsageByExternalID(ctx context.Context, req gen.FetchLicenseUsageByExternalIDRequestObject) (gen.FetchLicenseUsageByExternalIDResponseObject, error) {
	p := req.Params
	shown, err := s.licenseUsage(ctx, wire.LicenseUsageParameters{Start: p.StartDate, End: p.EndDate, GroupBy: p.GroupBy}, wire.ReadPage(p.Limit, p.Cursor), func(tx *store.Tx) (license.UsageQuery, error) {
		l, err := license.FindActive(tx, p.SubscriptionID, p.LicenseTypeID, req.ExternalLicenseID)
		return usageOf(l), err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchLicenseUsageByExternalID200JSONResponse(shown), nil
}

func usageOf(l license.License) license.UsageQuery {
	return license.UsageQuery{SubscriptionID: l.SubscriptionID, TypeID: l.TypeID, LicenseID: l.ID}
}

// licenseUsage answers about the licenses that about finds.
func (s *Server) licenseUsage(ctx context.Context, frame wire.LicenseUsageParameters, page store.Page, about func(*store.Tx) (license.UsageQuery, error)) (shown gen.LicenseUsagePage, err error) {
	start, startErr := wire.ReadOptionalDate("start_date", frame.Start)
	end, endErr := wire.ReadOptionalDate("end_date", frame.End)
	if err := fault.Join(startErr, endErr); err != nil {
		return shown, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		query, err := about(tx)
		if err != nil {
			return err
		}
		query.Start, query.End, query.GroupBy = start, end, frame.GroupBy
		rows, next, err := license.Usage(tx, query, page)
		shown = gen.LicenseUsagePage{
			Data:               wire.MapSlice(rows, func(r license.UsageRow) gen.LicenseUsage { return wire.LicenseUsage(query, r) }),
			PaginationMetadata: wire.Page(next),
		}
		return err
	})
	return shown, err
}
