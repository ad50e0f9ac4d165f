package main

import (
	"fmt"
	"strings"
)

var cycles = []cycle{{Months: 1}, {Months: 1}, {Months: 1}, {Months: 3}, {Months: 6}, {Months: 12}, {Days: 7}, {Days: 10}}

func (g *generator) plan() step {
	s := step{Do: "plan", Name: g.name("plan")}
	for range 1 + g.IntN(3) {
		s.Prices = append(s.Prices, g.price(s.Name))
	}
	first := s.Name == "plan1"
	g.wantedPrices(&s, first)
	if want, is := g.wantsAllocation(); is && (first || strings.HasPrefix(want, "grant")) {
		s.Prices = append(s.Prices, g.wantedAllocation(s.Name, want))
	} else if g.chance(30) {
		s.Prices = append(s.Prices, g.allocation(s.Name))
	}
	phases := g.wants("phases") || g.wants("aligned phases")
	if !(first && phases) && (g.chance(25) || first && (g.wants("license price") || g.wants("license") || g.wants("license that has ended"))) {
		s.Prices = append(s.Prices, g.seats(s.Name)...)
	} else if g.chance(40) || first && phases {
		g.phased(&s)
	}
	if g.occasion != nil && g.occasion.prepare != nil {
		g.occasion.prepare(g, &s)
	}
	for _, p := range s.Prices {
		_, want := g.wantedKind("")
		if p.Metric != "" && p.Metric != composite && p.Currency == "" && (g.chance(35) || first && want) {
			a := adjustment{Kind: pick(g, "minimum", "maximum", "amount_discount", "percentage_discount", "usage_discount"), Prices: []string{p.Name}}
			if kind, is := g.wantedKind(""); first && is {
				a.Kind = kind
			}
			if a.Kind == "usage_discount" && grouped[p.Model] && !g.wide {
				continue // how it is taken off groups is a rule of its own
			}
			a.Amount = pick(g, "5.00", "12.50")
			if a.Kind == "percentage_discount" {
				a.Amount = pick(g, "0.25", "0.1")
			} else if a.Kind == "usage_discount" {
				a.Amount = pick(g, "3", "10")
			}
			a.Phase = p.Phase
			s.Adjust = append(s.Adjust, a)
		}
	}
	together := map[cycle][]string{}
	for _, p := range s.Prices {
		if p.Metric != "" && p.Metric != composite && p.Currency == "" && p.Phase < 2 {
			together[p.Cycle] = append(together[p.Cycle], p.Name)
		}
	}
	for _, c := range cycles {
		kind, want := g.wantedKind("shared ")
		if len(together[c]) > 1 && (g.chance(60) || first && want) {
			a := adjustment{Kind: pick(g, "minimum", "maximum", "amount_discount", "percentage_discount"), Prices: together[c], Amount: pick(g, "5.00", "25.01")}
			if first && want {
				a.Kind = kind
			}
			if a.Kind == "percentage_discount" {
				a.Amount = pick(g, "0.25", "0.1")
			}
			a.Phase = min(len(s.Phases), 1)
			s.Adjust = append(s.Adjust, a)
		}
		delete(together, c)
	}
	g.across(&s)
	g.mixed(&s)
	g.composed(&s)
	g.beside(&s)
	return s
}

// beside gives the first price of some plans that has an adjustment of its own another one, so that
// their order counts. It depends on the seed alone, too.
func (g *generator) beside(s *step) {
	if g.seed%3 == 0 {
		return
	}
	for _, a := range s.Adjust {
		if len(a.Prices) != 1 {
			continue
		}
		other := adjustment{Kind: "percentage_discount", Amount: "0.25", Prices: a.Prices, Phase: a.Phase}
		if a.Kind == other.Kind {
			other.Kind, other.Amount = "minimum", "12.50"
		}
		s.Adjust = append(s.Adjust, other)
		return
	}
}

// across gives some plans an adjustment that prices of different cycles share. It works once for
// each invoice, on those of their lines that are on it. Which plans have one depends on the seed
// alone, so that the rest of a history is as it would be without.
func (g *generator) across(s *step) {
	var prices []int
	differ := false
	for n, p := range s.Prices {
		if p.Metric != "" && p.Metric != composite && p.Currency == "" && p.Phase < 2 && p.Item != itemOfParts {
			differ = differ || len(prices) > 0 && s.Prices[prices[0]].Cycle != p.Cycle
			prices = append(prices, n)
		}
	}
	if !differ || g.seed%2 == 0 {
		return
	}
	kinds := []string{"minimum", "amount_discount", "minimum", "maximum"}
	a := adjustment{Kind: kinds[g.seed/2%4], Amount: "15.01", Item: "Item of " + s.Name, Phase: min(len(s.Phases), 1)}
	for _, n := range prices {
		s.Prices[n].Item = a.Item
		a.Prices = append(a.Prices, s.Prices[n].Name)
	}
	s.Adjust = append(s.Adjust, a)
}

func (g *generator) price(plan string) priceSpec {
	p := priceSpec{Name: plan + "." + g.name("price"), Model: "unit", Cycle: pick(g, cycles...), Item: pick(g, "Item A", "Item B")}
	p.Amount = pick(g, "10.00", "0.50", "99.99", "7.10", "31.00", "0.033", "12.345")
	if g.chance(25) {
		p.Invoiced = g.moreOften(p.Cycle)
	}
	if g.chance(45) {
		p.Quantity, p.Advance = fmt.Sprint(1+g.IntN(5)), g.chance(60)
		if g.chance(25) {
			p.Model, p.Bound, p.Above = pick(g, "tiered", "package", "bulk"), pick(g, "2", "3"), "4.99"
		}
		return p
	}
	p.Metric = pick(g, "sum", "sum", "sum", "count", "max", "distinct", "parameter")
	p.Amount = pick(g, "1", "0.50", "0.35", "2.10", "0.0333")
	p.Model = pick(g, usageModels...)
	if strings.HasSuffix(p.Name, "price1") || strings.HasSuffix(p.Name, "price2") {
		g.emphasis(&p)
	}
	switch p.Model {
	case "unit", "tiered", "tiered_with_minimum", "threshold_total_amount":
		p.Prorated = g.chance(20)
	}
	if p.Prorated || prorating[p.Model] {
		p.Invoiced = nil
	}
	p.Bound, p.Above = pick(g, "5", "20"), pick(g, "0.25", "1.5")
	switch p.Model {
	case "package":
		p.Bound = pick(g, "5", "7")
	case "tiered_package", "package_with_allocation":
		p.Size = pick(g, "5", "2.5")
	case "tiered_with_minimum", "grouped_with_min_max_thresholds", "grouped_with_prorated_minimum":
		p.Least, p.Most = pick(g, "1.50", "4"), pick(g, "6", "20.01")
	case "threshold_total_amount":
		p.Amount, p.Above = pick(g, "3", "7.77"), pick(g, "12.34", "30")
	case "unit_with_percent":
		p.Above = pick(g, "12.5", "110")
	}
	if g.wide {
		g.widen(&p)
	}
	if g.chance(40) {
		p.Currency, p.Conversion = "credits", pick(g, "1", "0.05", "0.7")
		if g.chance(40) {
			g.inTiers(&p)
		}
	}
	return p
}
