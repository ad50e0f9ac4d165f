package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// UpdateTrial serves POST /v1/subscriptions/{subscription_id}/update_trial.
func (s *Server) UpdateTrial(ctx context.Context, req gen.UpdateTrialRequestObject) (gen.UpdateTrialResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, trialUpdate)
	if err != nil {
		return nil, err
	}
	return gen.UpdateTrial200JSONResponse(body), nil
}

func trialUpdate(body gen.TrialUpdate) (change, error) {
	in := subscription.TrialUpdate{EndDate: body.TrialEndDate, Shift: body.Shift != nil && *body.Shift}
	return func(tx *store.Tx, id string) (billing.Change, error) { return billing.UpdateTrial(tx, id, in) }, nil
}
