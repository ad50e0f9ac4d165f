package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreatePlan serves POST /v1/plans.
func (s *Server) CreatePlan(ctx context.Context, req gen.CreatePlanRequestObject) (gen.CreatePlanResponseObject, error) {
	wanted, err := wire.ReadPlan(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Plan, error) {
		plan, err := catalog.CreatePlan(tx, wanted)
		if err != nil {
			return gen.Plan{}, err
		}
		return wire.LoadPlan(tx, plan)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreatePlan201JSONResponse(created), nil
}

// ListPlans serves GET /v1/plans.
func (s *Server) ListPlans(ctx context.Context, req gen.ListPlansRequestObject) (gen.ListPlansResponseObject, error) {
	p := req.Params
	created, err := wire.ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	var status catalog.PlanStatus
	if p.Status != nil {
		status = catalog.PlanStatus(*p.Status)
	}
	var page gen.PlanPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		plans, next, err := catalog.ListPlans(tx, status, created, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		data, err := wire.LoadPlans(tx, plans)
		page = gen.PlanPage{Data: data, PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListPlans200JSONResponse(page), nil
}

// FetchPlan serves GET /v1/plans/{plan_id}.
func (s *Server) FetchPlan(ctx context.Context, req gen.FetchPlanRequestObject) (gen.FetchPlanResponseObject, error) {
	found, err := s.fetchPlan(ctx, catalog.FindPlan, req.PlanID)
	if err != nil {
		return nil, err
	}
	return gen.FetchPlan200JSONResponse(found), nil
}

// FetchPlanByExternalID serves GET /v1/plans/external_plan_id/{external_plan_id}.
func (s *Server) FetchPlanByExternalID(ctx context.Context, req gen.FetchPlanByExternalIDRequestObject) (gen.FetchPlanByExternalIDResponseObject, error) {
	found, err := s.fetchPlan(ctx, catalog.FindPlanByExternalID, req.ExternalPlanID)
	if err != nil {
		return nil, err
	}
	return gen.FetchPlanByExternalID200JSONResponse(found), nil
}

// UpdatePlan serves PUT /v1/plans/{plan_id}.
func (s *Server) UpdatePlan(ctx context.Context, req gen.UpdatePlanRequestObject) (gen.UpdatePlanResponseObject, error) {
	updated, err := s.updatePlan(ctx, catalog.FindPlan, req.PlanID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdatePlan200JSONResponse(updated), nil
}

// UpdatePlanByExternalID serves PUT /v1/plans/external_plan_id/{external_plan_id}.
func (s *Server) UpdatePlanByExternalID(ctx context.Context, req gen.UpdatePlanByExternalIDRequestObject) (gen.UpdatePlanByExternalIDResponseObject, error) {
	updated, err := s.updatePlan(ctx, catalog.FindPlanByExternalID, req.ExternalPlanID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.UpdatePlanByExternalID200JSONResponse(updated), nil
}

type findPlan func(*store.Tx, string) (catalog.Plan, error)

func (s *Server) fetchPlan(ctx context.Context, find findPlan, identifier string) (found gen.Plan, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		plan, err := find(tx, identifier)
		if err != nil {
			return err
		}
		found, err = wire.LoadPlan(tx, plan)
		return err
	})
	return found, err
}

func (s *Server) updatePlan(ctx context.Context, find findPlan, identifier string, in gen.PlanUpdate) (updated gen.Plan, err error) {
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		plan, err := find(tx, identifier)
		if err != nil {
			return err
		}
		plan, err = catalog.UpdatePlan(tx, plan.ID, func(p *catalog.Plan) error {
			if sent(ctx, "external_plan_id") {
				p.ExternalPlanID = in.ExternalPlanID
			}
			if sent(ctx, "description") {
				p.Description = in.Description
			}
			return editMetadata(ctx, &p.Metadata, in.Metadata)
		})
		if err != nil {
			return err
		}
		updated, err = wire.LoadPlan(tx, plan)
		return err
	})
	return updated, err
}
