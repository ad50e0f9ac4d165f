package server

import (
	"context"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// UpdateFixedFeeQuantity serves POST /v1/subscriptions/{subscription_id}/update_fixed_fee_quantity.
func (s *Server) UpdateFixedFeeQuantity(ctx context.Context, req gen.UpdateFixedFeeQuantityRequestObject) (gen.UpdateFixedFeeQuantityResponseObject, error) {
	in, err := newQuantityFromWire(*req.Body)
	if err != nil {
		return nil, err
	}
	body, err := s.changeSubscription(ctx, func(tx *store.Tx) (invoice.Change, error) {
		return invoice.ChangeQuantity(tx, req.SubscriptionID, in, mayCredit(req.Body.AllowInvoiceCreditOrVoid))
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateFixedFeeQuantity200JSONResponse(body), nil
}

func newQuantityFromWire(body gen.FixedFeeQuantityUpdate) (in subscription.NewQuantity, err error) {
	in.PriceID = body.PriceID
	var quantityErr, dateErr error
	in.Quantity, quantityErr = numberFromWire("quantity", body.Quantity)
	in.Date, dateErr = optionalDateFromWire("effective_date", body.EffectiveDate)
	if body.ChangeOption != nil {
		in.Option = subscription.QuantityOption(*body.ChangeOption)
	}
	return in, fault.Join(quantityErr, dateErr)
}

// UnscheduleFixedFeeQuantityUpdates serves POST /v1/subscriptions/{subscription_id}/unschedule_fixed_fee_quantity_updates.
func (s *Server) UnscheduleFixedFeeQuantityUpdates(ctx context.Context, req gen.UnscheduleFixedFeeQuantityUpdatesRequestObject) (gen.UnscheduleFixedFeeQuantityUpdatesResponseObject, error) {
	body, err := s.changeSubscription(ctx, func(tx *store.Tx) (invoice.Change, error) {
		return invoice.UnscheduleQuantities(tx, req.SubscriptionID, req.Body.PriceID)
	})
	if err != nil {
		return nil, err
	}
	return gen.UnscheduleFixedFeeQuantityUpdates200JSONResponse(body), nil
}
