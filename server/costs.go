package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ListSubscriptionCosts serves GET /v1/subscriptions/{subscription_id}/costs.
func (s *Server) ListSubscriptionCosts(ctx context.Context, req gen.ListSubscriptionCostsRequestObject) (gen.ListSubscriptionCostsResponseObject, error) {
	p := req.Params
	var shown gen.Costs
	err := s.store.View(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Find(tx, req.SubscriptionID)
		if err != nil {
			return err
		}
		query, err := costQueryFromWire(terms.Customer, p.TimeframeStart, p.TimeframeEnd, p.ViewMode, p.Currency)
		if err != nil {
			return err
		}
		costs, err := invoice.Costs(tx, terms, query)
		if err != nil {
			return err
		}
		shown, err = costsToWire(tx, costs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListSubscriptionCosts200JSONResponse(shown), nil
}

// ListCustomerCosts serves GET /v1/customers/{customer_id}/costs.
func (s *Server) ListCustomerCosts(ctx context.Context, req gen.ListCustomerCostsRequestObject) (gen.ListCustomerCostsResponseObject, error) {
	shown, err := s.customerCosts(ctx, customer.Find, req.CustomerID, req.Params)
	if err != nil {
		return nil, err
	}
	return gen.ListCustomerCosts200JSONResponse(shown), nil
}

// ListCustomerCostsByExternalID serves
// GET /v1/customers/external_customer_id/{external_customer_id}/costs.
func (s *Server) ListCustomerCostsByExternalID(ctx context.Context, req gen.ListCustomerCostsByExternalIDRequestObject) (gen.ListCustomerCostsByExternalIDResponseObject, error) {
	shown, err := s.customerCosts(ctx, customer.FindByExternalID, req.ExternalCustomerID, gen.ListCustomerCostsParams(req.Params))
	if err != nil {
		return nil, err
	}
	return gen.ListCustomerCostsByExternalID200JSONResponse(shown), nil
}

func (s *Server) customerCosts(ctx context.Context, find findCustomer, identifier string, p gen.ListCustomerCostsParams) (shown gen.Costs, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		query, err := costQueryFromWire(buyer, p.TimeframeStart, p.TimeframeEnd, p.ViewMode, p.Currency)
		if err != nil {
			return err
		}
		costs, err := invoice.CustomerCosts(tx, buyer, query)
		if err != nil {
			return err
		}
		shown, err = costsToWire(tx, costs)
		return err
	})
	return shown, err
}

func costQueryFromWire(buyer customer.Customer, start, end *gen.DateOrDateTime, mode *gen.ViewMode, currency *string) (q invoice.CostQuery, err error) {
	q.Start, q.End, err = timeframeFromWire(start, end, buyer.Location())
	q.Periodic = mode != nil && *mode == gen.ViewModePeriodic
	q.Currency = money.Currency(orEmpty(currency))
	return q, err
}

func costsToWire(tx *store.Tx, costs []invoice.Cost) (gen.Costs, error) {
	shown := gen.Costs{Data: []gen.AggregatedCost{}}
	var itemIDs []string
	for _, c := range costs {
		for _, p := range c.Prices {
			itemIDs = append(itemIDs, p.Price.ItemID)
		}
	}
	names, err := catalog.Names(tx, itemIDs)
	if err != nil {
		return shown, err
	}
	prices := map[string]gen.Price{} // each is shown once a day
	for _, c := range costs {
		day := gen.AggregatedCost{
			TimeframeStart: instantToWire(c.Window.Start),
			TimeframeEnd:   instantToWire(c.Window.End),
			Subtotal:       c.Currency.Format(c.Subtotal),
			Total:          c.Currency.Format(c.Total),
			PerPriceCosts:  []gen.PerPriceCost{},
		}
		for _, p := range c.Prices {
			price, known := prices[p.Price.ID]
			if !known {
				price = priceToWire(p.Price, names[p.Price.ItemID])
				prices[p.Price.ID] = price
			}
			quantity := numberToWire(p.Quantity)
			day.PerPriceCosts = append(day.PerPriceCosts, gen.PerPriceCost{
				Price: price, PriceID: p.Price.ID, Quantity: &quantity,
				Subtotal: c.Currency.Format(p.Subtotal), Total: c.Currency.Format(p.Total),
			})
		}
		shown.Data = append(shown.Data, day)
	}
	return shown, nil
}
