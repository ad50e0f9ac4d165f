package wire

import (
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReadSimulation reads what a plan is simulated with.
func ReadSimulation(planID string, in gen.PlanSimulationRequest) (s charge.Simulation, err error) {
	s = charge.Simulation{
		PlanID: planID, CustomerID: in.CustomerID, ExternalCustomerID: in.ExternalCustomerID,
		Version: in.PlanVersionNumber, InvoicesOf: invoice.InvoicesBeside,
	}
	var startErr, endErr error
	s.Start, startErr = ReadDate("start_date", in.StartDate)
	s.End, endErr = ReadDate("end_date", in.EndDate)
	wanted, err := ReadPlanVersion(gen.PlanVersionCreate{
		AddPrices: in.AddPrices, RemovePrices: in.RemovePrices, ReplacePrices: in.ReplacePrices,
		AddAdjustments: in.AddAdjustments, RemoveAdjustments: in.RemoveAdjustments, ReplaceAdjustments: in.ReplaceAdjustments,
	})
	d := wanted.Difference
	if len(d.AddPrices)+len(d.RemovePrices)+len(d.ReplacePrices)+len(d.AddAdjustments)+len(d.RemoveAdjustments)+len(d.ReplaceAdjustments) > 0 {
		s.Difference = &d
	}
	return s, fault.Join(startErr, endErr, err)
}

// LoadSimulation returns a page of simulated subscriptions, with the sums of the page.
func LoadSimulation(tx *store.Tx, all []charge.Simulated, next string) (gen.PlanSimulation, error) {
	shown := gen.PlanSimulation{Data: make([]gen.SimulatedSubscription, 0, len(all)), PaginationMetadata: Page(next)}
	saved, err := savedPrices(tx, all)
	if err != nil {
		return shown, err
	}
	var sums simulatedSums
	for _, s := range all {
		of := gen.SimulatedSubscription{
			SubscriptionID: s.Terms.ID, Name: s.Terms.Name, CustomerName: s.Terms.Customer.Name,
			Timezone: s.Terms.Customer.Timezone, PlanVersionNumber: s.Terms.PlanVersion,
			Customer: gen.CustomerMinified{ID: s.Terms.Customer.ID, ExternalCustomerID: s.Terms.Customer.ExternalCustomerID},
			Periods:  make([]gen.SimulatedPeriod, 0, len(s.Present)),
		}
		for k, present := range s.Present {
			of.Periods = append(of.Periods, gen.SimulatedPeriod{
				TimeframeStart: Instant(present.Window.Start), TimeframeEnd: Instant(present.Window.End), Currency: string(present.Currency),
				Present: simulatedCost(present, saved), Simulated: simulatedCost(s.Simulation[k], saved),
			})
			sums.add(present, s.Simulation[k])
		}
		shown.Data = append(shown.Data, of)
	}
	shown.Totals = sums.shown()
	return shown, nil
}

// savedPrices are the prices of the costs that exist, by id: others are only tried.
func savedPrices(tx *store.Tx, all []charge.Simulated) (map[string]catalog.Price, error) {
	var ids []string
	for _, s := range all {
		for _, cost := range s.Simulation {
			for _, p := range cost.Prices {
				ids = append(ids, p.Price.ID)
			}
		}
		for _, cost := range s.Present {
			for _, p := range cost.Prices {
				ids = append(ids, p.Price.ID)
			}
		}
	}
	slices.Sort(ids)
	return catalog.FindPrices(tx, slices.Compact(ids))
}

func simulatedCost(c charge.Cost, saved map[string]catalog.Price) gen.SimulatedCost {
	shown := gen.SimulatedCost{
		Subtotal: c.Currency.Format(c.Subtotal), Total: c.Currency.Format(c.Total), PerPriceCosts: make([]gen.SimulatedPriceCost, 0, len(c.Prices)),
	}
	for _, p := range c.Prices {
		cost := gen.SimulatedPriceCost{
			Name: p.Price.Name, Quantity: Number(p.Quantity), Subtotal: c.Currency.Format(p.Subtotal), Total: c.Currency.Format(p.Total),
		}
		if price, exists := saved[p.Price.ID]; exists {
			cost.PriceID = &price.ID
		}
		shown.PerPriceCosts = append(shown.PerPriceCosts, cost)
	}
	return shown
}

// simulatedSum is what both terms cost in a currency.
type simulatedSum struct{ present, tried charge.Cost }

// simulatedSums are in the order in which their currencies come.
type simulatedSums []simulatedSum

func (all *simulatedSums) add(present, tried charge.Cost) {
	at := slices.IndexFunc(*all, func(s simulatedSum) bool { return s.present.Currency == present.Currency })
	if at < 0 {
		at = len(*all)
		*all = append(*all, simulatedSum{present: charge.Cost{Currency: present.Currency}})
	}
	sum := &(*all)[at]
	sum.present.Subtotal, sum.present.Total = sum.present.Subtotal.Add(present.Subtotal), sum.present.Total.Add(present.Total)
	sum.tried.Subtotal, sum.tried.Total = sum.tried.Subtotal.Add(tried.Subtotal), sum.tried.Total.Add(tried.Total)
}

func (all simulatedSums) shown() []gen.SimulatedTotal {
	totals := make([]gen.SimulatedTotal, 0, len(all))
	for _, sum := range all {
		currency := sum.present.Currency
		totals = append(totals, gen.SimulatedTotal{
			Currency:  string(currency),
			Present:   gen.SimulatedAmounts{Subtotal: currency.Format(sum.present.Subtotal), Total: currency.Format(sum.present.Total)},
			Simulated: gen.SimulatedAmounts{Subtotal: currency.Format(sum.tried.Subtotal), Total: currency.Format(sum.tried.Total)},
		})
	}
	return totals
}
