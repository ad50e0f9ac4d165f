package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// SchedulePlanChange serves POST /v1/subscriptions/{subscription_id}/schedule_plan_change.
func (s *Server) SchedulePlanChange(ctx context.Context, req gen.SchedulePlanChangeRequestObject) (gen.SchedulePlanChangeResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, planChange)
	if err != nil {
		return nil, err
	}
	return gen.SchedulePlanChange200JSONResponse(body), nil
}

func planChange(body gen.PlanChange) (change, error) {
	in, err := wire.ReadPlanChange(body)
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.ChangePlan(tx, id, in)
	}, err
}

// UnschedulePendingPlanChanges serves POST /v1/subscriptions/{subscription_id}/unschedule_pending_plan_changes.
func (s *Server) UnschedulePendingPlanChanges(ctx context.Context, req gen.UnschedulePendingPlanChangesRequestObject) (gen.UnschedulePendingPlanChangesResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, noBody{}, unscheduledPlanChanges)
	if err != nil {
		return nil, err
	}
	return gen.UnschedulePendingPlanChanges200JSONResponse(body), nil
}

func unscheduledPlanChanges(noBody) (change, error) { return billing.UnschedulePlanChanges, nil }

// FetchSubscriptionSchedule serves GET /v1/subscriptions/{subscription_id}/schedule.
func (s *Server) FetchSubscriptionSchedule(ctx context.Context, req gen.FetchSubscriptionScheduleRequestObject) (gen.FetchSubscriptionScheduleResponseObject, error) {
	p := req.Params
	started, err := wire.ReadRange("start_date", p.StartDateGt, p.StartDateGte, p.StartDateLt, p.StartDateLte)
	if err != nil {
		return nil, err
	}
	var list gen.SubscriptionSchedulePage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		planIntervals, next, err := subscription.ListSchedule(tx, req.SubscriptionID, started, wire.ReadPage(p.Limit, p.Cursor))
		list.PaginationMetadata = wire.Page(next)
		list.Data = wire.MapSlice(planIntervals, func(s subscription.PlanInterval) gen.SubscriptionScheduleEntry {
			return gen.SubscriptionScheduleEntry{
				CreatedAt: wire.Instant(s.CreatedAt), StartDate: wire.Instant(s.StartAt), EndDate: wire.OptionalInstant(s.EndAt),
				Plan: &gen.PlanMinified{ID: &s.Plan.ID, Name: &s.Plan.Name, ExternalPlanID: s.Plan.ExternalPlanID},
			}
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchSubscriptionSchedule200JSONResponse(list), nil
}

// TriggerPhase serves POST /v1/subscriptions/{subscription_id}/trigger_phase.
func (s *Server) TriggerPhase(ctx context.Context, req gen.TriggerPhaseRequestObject) (gen.TriggerPhaseResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, triggeredPhase)
	if err != nil {
		return nil, err
	}
	return gen.TriggerPhase200JSONResponse(body), nil
}

func triggeredPhase(body gen.PhaseTrigger) (change, error) {
	day, err := wire.ReadOptionalDate("effective_date", body.EffectiveDate)
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.TriggerPhase(tx, id, day, mayCredit(body.AllowInvoiceCreditOrVoid))
	}, err
}
