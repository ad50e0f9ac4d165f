package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// UpdateFixedFeeQuantity serves POST /v1/subscriptions/{subscription_id}/update_fixed_fee_quantity.
func (s *Server) UpdateFixedFeeQuantity(ctx context.Context, req gen.UpdateFixedFeeQuantityRequestObject) (gen.UpdateFixedFeeQuantityResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, quantityUpdate)
	if err != nil {
		return nil, err
	}
	return gen.UpdateFixedFeeQuantity200JSONResponse(body), nil
}

func quantityUpdate(body gen.FixedFeeQuantityUpdate) (change, error) {
	in, err := wire.ReadQuantityChange(body)
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.ChangeQuantity(tx, id, in, mayCredit(body.AllowInvoiceCreditOrVoid))
	}, err
}

// UnscheduleFixedFeeQuantityUpdates serves POST /v1/subscriptions/{subscription_id}/unschedule_fixed_fee_quantity_updates.
func (s *Server) UnscheduleFixedFeeQuantityUpdates(ctx context.Context, req gen.UnscheduleFixedFeeQuantityUpdatesRequestObject) (gen.UnscheduleFixedFeeQuantityUpdatesResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, unscheduledQuantities)
	if err != nil {
		return nil, err
	}
	return gen.UnscheduleFixedFeeQuantityUpdates200JSONResponse(body), nil
}

func unscheduledQuantities(body gen.FixedFeeQuantityUnschedule) (change, error) {
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.UnscheduleQuantities(tx, id, body.PriceID)
	}, nil
}
