package server

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CreatePlan serves POST /v1/plans.
func (s *Server) CreatePlan(ctx context.Context, req gen.CreatePlanRequestObject) (gen.CreatePlanResponseObject, error) {
	wanted, err := planFromWire(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.Plan, error) {
		plan, err := catalog.CreatePlan(tx, wanted)
		if err != nil {
			return gen.Plan{}, err
		}
		return loadPlan(tx, plan)
	})
	if err != nil {
		return nil, err
	}
	return gen.CreatePlan201JSONResponse(created), nil
}

// ListPlans serves GET /v1/plans.
func (s *Server) ListPlans(ctx context.Context, req gen.ListPlansRequestObject) (gen.ListPlansResponseObject, error) {
	p := req.Params
	created, err := rangeFromWire("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	var status catalog.PlanStatus
	if p.Status != nil {
		status = catalog.PlanStatus(*p.Status)
	}
	var page gen.PlanPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		plans, next, err := catalog.ListPlans(tx, status, created, pageFromWire(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		data, err := loadPlans(tx, plans)
		page = gen.PlanPage{Data: data, PaginationMetadata: pageToWire(next)}
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
		found, err = loadPlan(tx, plan)
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
		updated, err = loadPlan(tx, plan)
		return err
	})
	return updated, err
}

func planFromWire(in gen.PlanCreate) (catalog.NewPlan, error) {
	wanted := catalog.NewPlan{
		Name:               in.Name,
		Currency:           money.Currency(in.Currency),
		ExternalPlanID:     in.ExternalPlanID,
		Description:        in.Description,
		NetTermsDays:       in.NetTerms,
		DefaultInvoiceMemo: in.DefaultInvoiceMemo,
		Status:             catalog.PlanActive,
		Metadata:           metadataFromWire(in.Metadata),
		Prices:             make([]catalog.PlanPrice, len(in.Prices)),
	}
	if in.Status != nil {
		wanted.Status = catalog.PlanStatus(*in.Status)
	}
	faults := make([]error, len(in.Prices))
	for i, priced := range in.Prices {
		price, err := priceFromWire(priced.Price)
		wanted.Prices[i].Price, faults[i] = price, fault.In(fmt.Sprintf("prices[%d].price", i), err)
		if err == nil && slices.ContainsFunc(wanted.Prices[:i], func(p catalog.PlanPrice) bool { return reflect.DeepEqual(p.Price, price) }) {
			faults[i] = fault.Bad(fmt.Sprintf("prices[%d]", i), "must differ from the entries before it")
		}
	}
	return wanted, fault.Join(faults...)
}

// loadPlan shows a plan with its prices.
func loadPlan(tx *store.Tx, plan catalog.Plan) (gen.Plan, error) {
	plans, err := loadPlans(tx, []catalog.Plan{plan})
	if err != nil {
		return gen.Plan{}, err
	}
	return plans[0], nil
}

// loadPlans shows plans with their prices. It asks as often for many plans as
// for one.
func loadPlans(tx *store.Tx, plans []catalog.Plan) ([]gen.Plan, error) {
	versions, err := catalog.DefaultVersions(tx, plans)
	if err != nil {
		return nil, err
	}
	var all []catalog.Price
	for _, version := range versions {
		all = append(all, version.Prices...)
	}
	names, err := itemNames(tx, all)
	return toWire(plans, func(p catalog.Plan) gen.Plan { return planToWire(p, pricesToWire(versions[p.ID].Prices, names)) }), err
}

// planToWire writes a plan of one phase, without adjustments.
func planToWire(plan catalog.Plan, prices []gen.Price) gen.Plan {
	return gen.Plan{
		ID:                 plan.ID,
		Name:               plan.Name,
		ExternalPlanID:     plan.ExternalPlanID,
		Description:        plan.Description,
		Status:             gen.PlanStatus(plan.Status),
		Version:            plan.Version,
		CreatedAt:          instantToWire(plan.CreatedAt),
		Currency:           gen.Currency(plan.Currency),
		InvoicingCurrency:  gen.Currency(plan.InvoicingCurrency),
		NetTerms:           plan.NetTermsDays,
		DefaultInvoiceMemo: plan.DefaultInvoiceMemo,
		Prices:             prices,
		Adjustments:        []gen.PlanPhaseAdjustment{},
		Product:            gen.Product{ID: plan.ProductID, Name: plan.Name, CreatedAt: instantToWire(plan.CreatedAt)},
		TrialConfig:        gen.TrialConfig{TrialPeriodUnit: gen.TrialPeriodUnitDays},
		Metadata:           metadataToWire(plan.Metadata),
	}
}
