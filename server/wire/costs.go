package wire

import (
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ReadCostQuery reads the query of costs. A bare date is midnight of the customer; costs are
// cumulative unless periodic ones are asked for (semantics 1.1.11).
func ReadCostQuery(buyer customer.Customer, start, end *gen.DateOrDateTime, mode *gen.ViewMode, currency *string) (q charge.CostQuery, err error) {
	q.Start, q.End, err = ReadTimeframe(start, end, buyer.Location())
	q.Periodic = mode != nil && *mode == gen.ViewModePeriodic
	q.Currency, q.InvoicesOf = money.Currency(Deref(currency)), invoice.InvoicesBeside
	return q, err
}

// LoadCosts returns costs by window, with the names of the items of their prices.
func LoadCosts(tx *store.Tx, costs []charge.Cost) (CostsResponse, error) {
	shown := CostsResponse{days: gen.Costs{Data: make([]gen.AggregatedCost, 0, len(costs))}}
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
			TimeframeStart: Instant(c.Window.Start),
			TimeframeEnd:   Instant(c.Window.End),
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
			quantity := Number(p.Quantity)
			day.PerPriceCosts = append(day.PerPriceCosts, gen.PerPriceCost{
				Price: price, PriceID: p.Price.ID, Quantity: &quantity,
				Subtotal: c.Currency.Format(p.Subtotal), Total: c.Currency.Format(p.Total),
			})
		}
		shown.days.Data = append(shown.days.Data, day)
	}
	return shown, nil
}
