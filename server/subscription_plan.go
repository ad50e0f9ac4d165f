package server

import (
	"context"
	"errors"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/invoice"
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

// errTakenBack ends a transaction that is only to show what it would do.
var errTakenBack = errors.New("server: taken back")

// PreviewPlanChange serves POST /v1/subscriptions/{subscription_id}/preview_plan_change. The change is
// made in a transaction that is rolled back, so nothing is remembered of it (semantics 14.3.5).
func (s *Server) PreviewPlanChange(ctx context.Context, req gen.PreviewPlanChangeRequestObject) (gen.PreviewPlanChangeResponseObject, error) {
	do, err := planChange(*req.Body)
	if err != nil {
		return nil, err
	}
	var shown gen.PlanChangePreview
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		shown, err = previewChange(tx, req.SubscriptionID, do)
		if err == nil {
			err = errTakenBack
		}
		return err
	})
	if !errors.Is(err, errTakenBack) {
		return nil, err
	}
	return gen.PreviewPlanChange200JSONResponse(shown), nil
}

// previewChange makes the change, and returns the drafts before and after it beside what it made.
// The subscription is locked first, so that the drafts before are those that the change finds.
func previewChange(tx *store.Tx, subscriptionID string, do change) (shown gen.PlanChangePreview, err error) {
	if _, err := subscription.Lock(tx, subscriptionID); err != nil {
		return shown, err
	}
	if shown.DraftsBefore, err = draftsOf(tx, subscriptionID); err != nil {
		return shown, err
	}
	changed, err := do.apply(tx, subscriptionID)
	if err != nil {
		return shown, err
	}
	shown.Subscription, shown.ChangedResources = changed.Subscription, withoutPages(*changed.ChangedResources)
	shown.DraftsAfter, err = draftsOf(tx, subscriptionID)
	return shown, err
}

// withoutPages takes the addresses off documents that are made only to be shown: there is nothing at them.
// What would be voided is there, and keeps its own.
func withoutPages(made gen.ChangedSubscriptionResources) gen.ChangedSubscriptionResources {
	for k := range made.CreatedInvoices {
		made.CreatedInvoices[k].HostedInvoiceURL, made.CreatedInvoices[k].InvoicePdf = nil, nil
	}
	for k := range made.CreatedCreditNotes {
		made.CreatedCreditNotes[k].CreditNotePdf = nil
	}
	return made
}

// draftsOf returns the drafts of a subscription by their date, as they are now.
func draftsOf(tx *store.Tx, subscriptionID string) ([]gen.Invoice, error) {
	drafts, err := invoice.Drafts(tx, subscriptionID)
	if err != nil {
		return nil, err
	}
	return wire.LoadInvoices(tx, drafts)
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
