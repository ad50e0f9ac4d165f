package server

import (
	"context"
	"strconv"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreatePlanVersion serves POST /v1/plans/{plan_id}/versions.
func (s *Server) CreatePlanVersion(ctx context.Context, req gen.CreatePlanVersionRequestObject) (gen.CreatePlanVersionResponseObject, error) {
	created, err := s.createVersion(ctx, catalog.FindPlan, req.PlanID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreatePlanVersion201JSONResponse(created), nil
}

// CreatePlanVersionByExternalID serves POST /v1/plans/external_plan_id/{external_plan_id}/versions.
func (s *Server) CreatePlanVersionByExternalID(ctx context.Context, req gen.CreatePlanVersionByExternalIDRequestObject) (gen.CreatePlanVersionByExternalIDResponseObject, error) {
	created, err := s.createVersion(ctx, catalog.FindPlanByExternalID, req.ExternalPlanID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreatePlanVersionByExternalID201JSONResponse(created), nil
}

// FetchPlanVersion serves GET /v1/plans/{plan_id}/versions/{version}.
func (s *Server) FetchPlanVersion(ctx context.Context, req gen.FetchPlanVersionRequestObject) (gen.FetchPlanVersionResponseObject, error) {
	found, err := s.fetchVersion(ctx, catalog.FindPlan, req.PlanID, req.Version)
	if err != nil {
		return nil, err
	}
	return gen.FetchPlanVersion200JSONResponse(found), nil
}

// FetchPlanVersionByExternalID serves GET /v1/plans/external_plan_id/{external_plan_id}/versions/{version}.
func (s *Server) FetchPlanVersionByExternalID(ctx context.Context, req gen.FetchPlanVersionByExternalIDRequestObject) (gen.FetchPlanVersionByExternalIDResponseObject, error) {
	found, err := s.fetchVersion(ctx, catalog.FindPlanByExternalID, req.ExternalPlanID, req.Version)
	if err != nil {
		return nil, err
	}
	return gen.FetchPlanVersionByExternalID200JSONResponse(found), nil
}

// SetDefaultPlanVersion serves POST /v1/plans/{plan_id}/set_default_version.
func (s *Server) SetDefaultPlanVersion(ctx context.Context, req gen.SetDefaultPlanVersionRequestObject) (gen.SetDefaultPlanVersionResponseObject, error) {
	plan, err := s.setDefaultVersion(ctx, catalog.FindPlan, req.PlanID, req.Body.Version)
	if err != nil {
		return nil, err
	}
	return gen.SetDefaultPlanVersion200JSONResponse(plan), nil
}

// SetDefaultPlanVersionByExternalID serves POST /v1/plans/external_plan_id/{external_plan_id}/set_default_version.
func (s *Server) SetDefaultPlanVersionByExternalID(ctx context.Context, req gen.SetDefaultPlanVersionByExternalIDRequestObject) (gen.SetDefaultPlanVersionByExternalIDResponseObject, error) {
	plan, err := s.setDefaultVersion(ctx, catalog.FindPlanByExternalID, req.ExternalPlanID, req.Body.Version)
	if err != nil {
		return nil, err
	}
	return gen.SetDefaultPlanVersionByExternalID200JSONResponse(plan), nil
}

func (s *Server) createVersion(ctx context.Context, find findPlan, identifier string, in gen.PlanVersionCreate) (gen.PlanVersion, error) {
	wanted, err := wire.ReadPlanVersion(in)
	if err != nil {
		return gen.PlanVersion{}, err
	}
	return once(ctx, s, func(tx *store.Tx) (gen.PlanVersion, error) {
		plan, err := find(tx, identifier)
		if err != nil {
			return gen.PlanVersion{}, err
		}
		version, err := catalog.CreateVersion(tx, plan.ID, wanted)
		if err != nil {
			return gen.PlanVersion{}, err
		}
		return wire.LoadPlanVersion(tx, plan, version)
	})
}

func (s *Server) fetchVersion(ctx context.Context, find findPlan, identifier, number string) (found gen.PlanVersion, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		plan, err := find(tx, identifier)
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(number, 10, 31)
		if err != nil {
			return fault.Missing("PlanVersion", number) // no version is called so (gaps D12)
		}
		version, err := catalog.FindVersion(tx, plan.ID, int(n))
		if err != nil {
			return err
		}
		found, err = wire.LoadPlanVersion(tx, plan, version)
		return err
	})
	return found, err
}

func (s *Server) setDefaultVersion(ctx context.Context, find findPlan, identifier string, number int) (gen.Plan, error) {
	return once(ctx, s, func(tx *store.Tx) (gen.Plan, error) {
		plan, err := find(tx, identifier)
		if err != nil {
			return gen.Plan{}, err
		}
		plan, err = catalog.SetDefaultVersion(tx, plan.ID, number)
		if err != nil {
			return gen.Plan{}, err
		}
		return wire.LoadPlan(tx, plan)
	})
}
