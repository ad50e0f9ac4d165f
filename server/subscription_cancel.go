package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CancelSubscription serves POST /v1/subscriptions/{subscription_id}/cancel.
func (s *Server) CancelSubscription(ctx context.Context, req gen.CancelSubscriptionRequestObject) (gen.CancelSubscriptionResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, cancellation)
	if err != nil {
		return nil, err
	}
	return gen.CancelSubscription200JSONResponse(body), nil
}

func cancellation(body gen.SubscriptionCancel) (change, error) {
	in := subscription.Cancellation{
		Option: subscription.ChangeOption(body.CancelOption), Date: body.CancellationDate,
	}
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.Cancel(tx, id, in, mayCredit(body.AllowInvoiceCreditOrVoid))
	}, nil
}

// UnscheduleCancellation serves POST /v1/subscriptions/{subscription_id}/unschedule_cancellation.
func (s *Server) UnscheduleCancellation(ctx context.Context, req gen.UnscheduleCancellationRequestObject) (gen.UnscheduleCancellationResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, noBody{}, unscheduledCancellation)
	if err != nil {
		return nil, err
	}
	return gen.UnscheduleCancellation200JSONResponse(body), nil
}

func unscheduledCancellation(noBody) (change, error) { return billing.UnscheduleCancellation, nil }
