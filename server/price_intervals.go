package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// ChangePriceIntervals serves POST /v1/subscriptions/{subscription_id}/price_intervals.
func (s *Server) ChangePriceIntervals(ctx context.Context, req gen.ChangePriceIntervalsRequestObject) (gen.ChangePriceIntervalsResponseObject, error) {
	body, err := makeChange(ctx, s, req.SubscriptionID, *req.Body, intervalChanges)
	if err != nil {
		return nil, err
	}
	return gen.ChangePriceIntervals200JSONResponse(body), nil
}

func intervalChanges(body gen.PriceIntervalChanges) (change, error) {
	in, err := wire.ReadPriceIntervalChanges(body)
	return func(tx *store.Tx, id string) (billing.Change, error) {
		return billing.ChangeIntervals(tx, id, in, mayCredit(body.AllowInvoiceCreditOrVoid))
	}, err
}
