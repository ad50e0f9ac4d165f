package main

import (
	"slices"
	"strings"
)

// What the plans of a history have is drawn by chance, and they have what the theme wants.

// wantedPrices gives a plan prices that the theme wants, behind its first one. The first two plans have
// those that are of one price by turns.
func (g *generator) wantedPrices(s *step, first bool) {
	var wanted []priceSpec
	turn := first
	for _, f := range g.theme.features {
		if is := wantedPrice(f); is != nil {
			if turn {
				wanted = append(wanted, g.priceThat(s.Name, is))
			}
			turn = !turn
		}
	}
	if _, shared := g.wantedKind("shared "); shared && first {
		inMoney := func(p priceSpec) bool { return p.Metric != "" && p.Metric != composite && p.Currency == "" }
		one := g.priceThat(s.Name, inMoney)
		wanted = append(wanted, one, g.priceThat(s.Name, func(p priceSpec) bool { return inMoney(p) && p.Cycle == one.Cycle }))
	} else if _, single := g.wantedKind(""); single && first {
		wanted = append(wanted, g.priceThat(s.Name, func(p priceSpec) bool {
			return p.Metric != "" && p.Metric != composite && p.Currency == "" && !grouped[p.Model]
		}))
	}
	rest := s.Prices[1:]
	s.Prices = append(s.Prices[:1:1], wanted...)
	if len(s.Prices) < 3 {
		s.Prices = append(s.Prices, rest[:min(len(rest), 3-len(s.Prices))]...)
	}
}

// wantedPrice tells which prices a feature is of, nil if it is of none.
func wantedPrice(feature string) func(priceSpec) bool {
	switch feature {
	case "fee in advance":
		return func(p priceSpec) bool { return p.advance() }
	case "fee in arrears":
		return func(p priceSpec) bool { return p.Metric == "" && !p.Advance }
	case "prorated usage":
		return func(p priceSpec) bool { return p.Prorated }
	case "conversion":
		return func(p priceSpec) bool { return p.Conversion != "" }
	case "fee invoiced more often", "usage invoiced more often":
		return func(p priceSpec) bool {
			return p.Invoiced != nil && (p.Metric == "") == strings.HasPrefix(feature, "fee")
		}
	case "tiered conversion":
		return func(p priceSpec) bool { return p.UpTo != "" }
	}
	of, name, found := strings.Cut(feature, " ")
	switch {
	case !found:
	case of == "usage" && slices.Contains(usageModels, name):
		return func(p priceSpec) bool { return p.Metric != "" && p.Model == name }
	case of == "fee":
		return func(p priceSpec) bool { return p.Metric == "" && p.Model == name }
	case of == "metric":
		return func(p priceSpec) bool { return p.Metric == name }
	case of == "cycle":
		return func(p priceSpec) bool { return "of "+p.Cycle.String() == name }
	}
	return nil
}

// priceThat thinks up prices until one is as wanted.
func (g *generator) priceThat(plan string, is func(priceSpec) bool) (p priceSpec) {
	for range 1000 {
		if p = g.price(plan); is(p) {
			break
		}
	}
	return p
}

// wantedKind is a kind of adjustment that the theme wants, of one price or shared.
func (g *generator) wantedKind(prefix string) (kind string, is bool) {
	for _, f := range g.theme.features {
		for _, kind := range []string{"minimum", "maximum", "amount_discount", "percentage_discount", "usage_discount"} {
			if f == prefix+kind {
				return kind, true
			}
		}
	}
	return "", false
}

// wantsAllocation is a feature of allocations that the theme wants.
func (g *generator) wantsAllocation() (feature string, is bool) {
	for _, f := range g.theme.features {
		if strings.Contains(f, "allocation") && !strings.HasPrefix(f, "usage") || strings.HasPrefix(f, "grant") {
			return f, true
		}
	}
	return "", false
}

// wantedAllocation is an allocation with a feature. Those of two plans can take each other's place.
func (g *generator) wantedAllocation(plan, feature string) (p priceSpec) {
	for range 100 {
		p = g.allocation(plan)
		switch {
		case feature == "one-time allocation" && p.Cycle != (cycle{}),
			feature == "allocation with a cost basis" && rat(p.Basis).Sign() == 0,
			feature == "allocation that rolls over" && (p.Expires || p.Lasts > 0),
			feature == "grant of a difference" && (p.Amount == "12") != (plan == "plan1"),
			strings.HasPrefix(feature, "grant") && (p.Cycle != cycle{Months: 1} || rat(p.Basis).Sign() == 0 || p.Credits != "credits"):
			continue
		}
		break
	}
	return p
}
