package server

import (
	"context"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
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
	var shown costsResponse
	err := s.store.View(ctx, func(tx *store.Tx) error {
		terms, err := subscription.Find(tx, req.SubscriptionID)
		if err != nil {
			return err
		}
		query, err := costQueryFromWire(terms.Customer, p.TimeframeStart, p.TimeframeEnd, p.ViewMode, p.Currency)
		if err != nil {
			return err
		}
		costs, err := charge.Costs(tx, terms, query)
		if err != nil {
			return err
		}
		shown, err = costsToWire(tx, costs)
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

func (s *Server) customerCosts(ctx context.Context, find findCustomer, identifier string, p gen.ListCustomerCostsParams) (shown costsResponse, err error) {
	err = s.store.View(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		query, err := costQueryFromWire(buyer, p.TimeframeStart, p.TimeframeEnd, p.ViewMode, p.Currency)
		if err != nil {
			return err
		}
		costs, err := charge.CustomerCosts(tx, buyer, query)
		if err != nil {
			return err
		}
		shown, err = costsToWire(tx, costs)
		return err
	})
	return shown, err
}

func costQueryFromWire(buyer customer.Customer, start, end *gen.DateOrDateTime, mode *gen.ViewMode, currency *string) (q charge.CostQuery, err error) {
	q.Start, q.End, err = timeframeFromWire(start, end, buyer.Location())
	q.Periodic = mode != nil && *mode == gen.ViewModePeriodic
	q.Currency, q.InvoicesOf = money.Currency(orEmpty(currency)), invoice.InvoicesBeside
	return q, err
}

func costsToWire(tx *store.Tx, costs []charge.Cost) (costsResponse, error) {
	shown := costsResponse{days: gen.Costs{Data: make([]gen.AggregatedCost, 0, len(costs))}}
	var itemIDs []string
	for _, c := range costs {
		for _, p := range c.Prices {
			itemIDs = append(itemIDs, p.Price.ItemID)
		}
	}
	slices.Sort(itemIDs)
	names, err := catalog.Names(tx, slices.Compact(itemIDs))
	if err != nil {
		return shown, err
	}
	prices := map[string]gen.Price{}
	for _, c := range costs {
		day := gen.AggregatedCost{
			TimeframeStart: instantToWire(c.Window.Start),
			TimeframeEnd:   instantToWire(c.Window.End),
			Subtotal:       c.Currency.Format(c.Subtotal),
			Total:          c.Currency.Format(c.Total),
			PerPriceCosts:  make([]gen.PerPriceCost, 0, len(c.Prices)),
		}
		for _, p := range c.Prices {
			price, known := prices[p.Price.ID]
			if !known {
				if price, err = shown.number(priceToWire(p.Price, names[p.Price.ItemID])); err != nil {
					return shown, err
				}
				prices[p.Price.ID] = price
			}
			quantity := numberToWire(p.Quantity)
			day.PerPriceCosts = append(day.PerPriceCosts, gen.PerPriceCost{
				Price: price, PriceID: p.Price.ID, Quantity: &quantity,
				Subtotal: c.Currency.Format(p.Subtotal), Total: c.Currency.Format(p.Total),
			})
		}
		shown.days.Data = append(shown.days.Data, day)
	}
	return shown, nil
}
