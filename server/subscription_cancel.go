package server

import (
	"context"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// changeSubscription changes a subscription and shows it with what that brought about.
func (s *Server) changeSubscription(ctx context.Context, change func(tx *store.Tx) (invoice.Change, error)) (gen.MutatedSubscription, error) {
	return once(ctx, s, func(tx *store.Tx) (gen.MutatedSubscription, error) {
		changed, err := change(tx)
		if err != nil {
			return gen.MutatedSubscription{}, err
		}
		return mutatedToWire(tx, changed)
	})
}

// mayCredit reads allow_invoice_credit_or_void, which holds where it is left out.
func mayCredit(allowed *gen.AllowInvoiceCreditOrVoid) bool { return allowed == nil || *allowed }

// CancelSubscription serves POST /v1/subscriptions/{subscription_id}/cancel.
func (s *Server) CancelSubscription(ctx context.Context, req gen.CancelSubscriptionRequestObject) (gen.CancelSubscriptionResponseObject, error) {
	in := subscription.Cancellation{
		Option: subscription.ChangeOption(req.Body.CancelOption), Date: req.Body.CancellationDate,
	}
	body, err := s.changeSubscription(ctx, func(tx *store.Tx) (invoice.Change, error) {
		return invoice.Cancel(tx, req.SubscriptionID, in, mayCredit(req.Body.AllowInvoiceCreditOrVoid))
	})
	if err != nil {
		return nil, err
	}
	return gen.CancelSubscription200JSONResponse(body), nil
}

// UnscheduleCancellation serves POST /v1/subscriptions/{subscription_id}/unschedule_cancellation.
func (s *Server) UnscheduleCancellation(ctx context.Context, req gen.UnscheduleCancellationRequestObject) (gen.UnscheduleCancellationResponseObject, error) {
	body, err := s.changeSubscription(ctx, func(tx *store.Tx) (invoice.Change, error) {
		return invoice.UnscheduleCancellation(tx, req.SubscriptionID)
	})
	if err != nil {
		return nil, err
	}
	return gen.UnscheduleCancellation200JSONResponse(body), nil
}
