package server

import (
	"context"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// ListSubscriptionCosts serves GET /v1/subscriptions/{subscription_id}/costs.
func (s *Server) ListSubscriptionCosts(ctx context.Context, req gen.ListSubscriptionCostsRequestObject) (gen.ListSubscriptionCostsResponseObject, error) {
	p := req.Params
	var shown wire.CostsResponse
	err := s.store.View(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Find(tx, req.SubscriptionID)
		if err != nil {
			return err
		}
		query, err := wire.ReadCostQuery(terms.Customer, p.TimeframeStart, p.TimeframeEnd, p.ViewMode, p.Currency)
		if err != nil {
			return err
		}
		costs, err := charge.Costs(tx, terms, query)
		if err != nil {
			return err
		}
		shown, err = wire.LoadCosts(tx, costs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return shown, nil
}

// ListCustomerCosts serves GET /v1/customers/{customer_id}/costs.
func (s *Server) ListCustomerCosts(ctx context.Context, req gen.ListCustomerCostsRequestObject) (gen.ListCustomerCostsResponseObject, error) {
	shown, err := s.customerCosts(ctx, customer.Find, req.CustomerID, req.Params)
	if err != nil {
		return nil, err
	}
	return shown, nil
}

// ListCustomerCostsByExternalID serves
// GET /v1/customers/external_customer_id/{external_customer_id}/costs.
func (s *Server) ListCustomerCostsByExternalID(ctx context.Context, req gen.ListCustomerCostsByExternalIDRequestObject) (gen.ListCustomerCostsByExternalIDResponseObject, error) {
	shown, err := s.customerCosts(ctx, customer.FindByExternalID, req.ExternalCustomerID, gen.ListCustomerCostsParams(req.Params))
	if err != nil {
		return nil, err
	}
	return shown, nil
}

func (s *Server) customerCosts(ctx context.Context, find findCustomer, identifier string, p gen.ListCustomerCostsParams) (shown wire.CostsResponse, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		query, err := wire.ReadCostQuery(buyer, p.TimeframeStart, p.TimeframeEnd, p.ViewMode, p.Currency)
		if err != nil {
			return err
		}
		costs, err := charge.CustomerCosts(tx, buyer, query)
		if err != nil {
			return err
		}
		shown, err = wire.LoadCosts(tx, costs)
		return err
	})
	return shown, err
}
