package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// A wide history has what other ones have, and price models of every kind, metrics that divide, composite prices,
// adjustments over fees and usage together and usage below 0.

// wideConfigs are configurations of the price models that have no members of their own in a priceSpec. Events have
// who, where and rate.
var wideConfigs = map[string]string{
	"bulk_with_filters": `{"filters": [{"property_key": "who", "property_value": "a"}],
		"tiers": [{"tier_lower_bound": null, "unit_amount": "0.50"}, {"tier_lower_bound": "20", "unit_amount": "0.40"}]}`,
	"tiered_package_with_minimum": `{"package_size": 5,
		"tiers": [{"tier_lower_bound": "0", "per_unit": "1.10", "minimum_amount": "3"}, {"tier_lower_bound": "20", "per_unit": "0.80", "minimum_amount": "8"}]}`,
	"matrix": `{"default_unit_amount": "0.30", "dimensions": ["who", "where"], "matrix_values": [{"dimension_values": ["a", "x"], "unit_amount": "0.55"},
		{"dimension_values": ["b", null], "unit_amount": "0.15"}]}`,
	"matrix_with_allocation": `{"allocation": "10", "default_unit_amount": "0.30", "dimensions": ["who", "where"],
		"matrix_values": [{"dimension_values": ["a", "x"], "unit_amount": "0.55"}]}`,
	"matrix_with_threshold_discounts": `{"first_dimension": "who", "second_dimension": "where", "default_unit_amount": "1.05",
		"matrix_values": [{"first_dimension_value": "a", "second_dimension_value": "x", "unit_amount": "2.00"}],
		"threshold_discount_groups": [{"cell_coordinates": "a, x; b, y", "threshold_amount": "12", "below_threshold_discount_percentage": "0",
			"above_threshold_discount_percentage": "12.5"}]}`,
	"grouped_with_metered_minimum": `{"grouping_key": "who", "pricing_key": "where", "scaling_key": "rate", "minimum_unit_amount": "0.15",
		"unit_amounts": [{"pricing_value": "x", "unit_amount": "0.20"}], "scaling_factors": [{"scaling_value": "2", "scaling_factor": "1.5"}]}`,
	"matrix_with_display_name": `{"dimension": "who", "unit_amounts": [{"dimension_value": "a", "display_name": "Small", "unit_amount": "0.21"}]}`,
	"grouped_tiered_package": `{"grouping_key": "who", "package_size": "5",
		"tiers": [{"tier_lower_bound": "0", "per_unit": "3"}, {"tier_lower_bound": "20", "per_unit": "2.05"}]}`,
	"max_group_tiered_package": `{"grouping_key": "where", "package_size": "5",
		"tiers": [{"tier_lower_bound": "0", "unit_amount": "3"}, {"tier_lower_bound": "10", "unit_amount": "2.05"}]}`,
	"scalable_matrix_with_unit_pricing": `{"first_dimension": "who", "second_dimension": null, "grouping_key": "where", "unit_price": "0.40",
		"matrix_scaling_factors": [{"first_dimension_value": "a", "second_dimension_value": null, "scaling_factor": "2.5"}]}`,
	"scalable_matrix_with_tiered_pricing": `{"first_dimension": "who", "second_dimension": "where",
		"matrix_scaling_factors": [{"first_dimension_value": "a", "second_dimension_value": "x", "scaling_factor": "2.5"}],
		"tiers": [{"tier_lower_bound": "0", "unit_amount": "0.40"}, {"tier_lower_bound": "20", "unit_amount": "0.31"}]}`,
	"cumulative_grouped_bulk": `{"group": "who", "dimension_values": [
		{"grouping_key": "a", "tier_lower_bound": "0", "unit_amount": "0.30"}, {"grouping_key": "b", "tier_lower_bound": "0", "unit_amount": "0.11"},
		{"grouping_key": "a", "tier_lower_bound": "20", "unit_amount": "0.25"}, {"grouping_key": "b", "tier_lower_bound": "20", "unit_amount": "0.09"}]}`,
	"cumulative_grouped_allocation": `{"grouping_key": "who", "group_allocation": "4", "cumulative_allocation": "15", "unit_amount": "0.55"}`,
	"daily_credit_allowance": `{"daily_allowance": "3", "default_unit_amount": "0.15", "dimensions": ["who"], "event_day_property": "where",
		"matrix_values": [{"dimension_values": ["a"], "unit_amount": "1"}]}`,
	"metered_allowance": `{"grouping_key": "who", "consumption_grouping_value": "a", "allowance_grouping_value": "b", "unit_amount": "0.25"}`,
	"event_output":      `{"unit_rating_key": "rate", "default_unit_rate": "0.5", "grouping_key": "who"}`,
	"grouped_tiered_matrix": `{"dimension": "who", "default_unit_amount": "0.5",
		"tiers": [{"dimension_value": "a", "tier_lower_bound": "0", "unit_amount": "0.4"}, {"dimension_value": "a", "tier_lower_bound": "20", "unit_amount": "0.22"}]}`,
}

var wideModels = slices.Sorted(func(yield func(string) bool) {
	for model := range wideConfigs {
		if !yield(model) {
			return
		}
	}
})

// widen gives a usage price another model, and another metric, now and then.
func (g *generator) widen(p *priceSpec) {
	if g.chance(20) {
		p.Metric = "ratio"
	}
	if !g.chance(55) {
		return
	}
	if p.Model = pick(g, wideModels...); p.Model == "event_output" {
		p.Metric = pick(g, "sum", "count")
	}
	p.Config, p.Prorated = compact(wideConfigs[p.Model]), false
}

// compact is a configuration on one line, as steps are printed.
func compact(config string) json.RawMessage {
	return json.RawMessage(strings.Join(strings.Fields(config), " "))
}

// wideEvent gives an event a place and a rate, or neither.
func (g *generator) wideEvent(e *eventSpec) {
	if g.wide {
		e.Where, e.Rate = pick(g, "", "x", "x", "y"), pick(g, "", "2", "1.50", "no number")
	}
}

// below makes an amended number negative now and then: a correction may take more back than there was.
func (g *generator) below(n string) string {
	if g.wide && n != "0" && g.chance(25) {
		return "-" + n
	}
	return n
}

// mixed puts fees and usage of a plan under one adjustment.
func (g *generator) mixed(s *step) {
	if !g.wide || !g.chance(40) {
		return
	}
	a := adjustment{Kind: pick(g, "minimum", "minimum", "maximum", "amount_discount", "percentage_discount"), Amount: pick(g, "15.01", "60.00"), Phase: min(len(s.Phases), 1),
		Item: "Item of " + s.Name + " for all"}
	if a.Kind == "percentage_discount" {
		a.Amount = "0.1"
	}
	fees := false
	var hit []int
	for n, p := range s.Prices {
		named := slices.ContainsFunc(s.Adjust, func(a adjustment) bool { return a.Item == p.Item })
		if p.Currency == "" && p.Phase < 2 && !named && !p.allocation() && p.Seats == "" && !p.Licensed && p.Metric != composite && (p.Metric != "" || p.Invoiced == nil) {
			hit, fees = append(hit, n), fees || p.Metric == ""
		}
	}
	if !fees || len(hit) < 2 {
		return
	}
	for _, n := range hit {
		s.Prices[n].Item = a.Item
		a.Prices = append(a.Prices, s.Prices[n].Name)
	}
	s.Adjust = append(s.Adjust, a)
}

// composite is the metric of prices that rate other prices.
const composite = "composite"

// composed adds a price of a plan that rates the others.
func (g *generator) composed(s *step) {
	if !g.wide || !g.chance(30) {
		return
	}
	p := priceSpec{Name: s.Name + "." + g.name("price"), Metric: composite, Model: pick(g, "percent", "minimum_composite"), Cycle: pick(g, cycles...), Item: "Item C"}
	p.Config = compact(`{"minimum_amount": "` + pick(g, "5.00", "30.00") + `"}`)
	if p.Model == "percent" {
		p.Config = compact(fmt.Sprintf(`{"percent": %s, "minimum_amount": null, "maximum_amount": "20.00"}`, pick(g, "0.1", "0.035")))
	}
	p.Phase = min(len(s.Phases), 1)
	s.Prices = append(s.Prices, p)
}

// base is what a composite price rates: what documents added of other prices that belong to its service period
// (price-models.md 6.6 and 6.7.19).
func (r *run) base(p piece) *big.Rat {
	sum := new(big.Rat)
	lines, _ := r.earlier(sheet{sub: p.sub, date: p.billed()})
	for _, id := range r.books.order {
		if v := r.books.invoices[id]; v.sub == p.sub.id && v.source == "subscription" && v.status != "void" && v.date.Equal(p.billed()) {
			own, _ := r.chargedBy(p.sub, v)
			lines = append(lines, own...)
		}
	}
	for k, l := range lines {
		if at := l.piece.countedAt(); l.spec.Metric == composite || l.spec.unit("USD") != "USD" || at.Before(p.from) || !at.Before(p.to) {
			continue
		}
		sum.Add(sum, l.served())
		if b := l.piece.before(lines[:k]); b != nil {
			sum.Sub(sum, b.subtotal)
		}
	}
	return sum
}

// served is what a fee in advance charged for the days before it ended: the rest is given back.
func (c *charged) served() *big.Rat {
	z := c.sub.customer.zone
	if !c.spec.advance() || !c.line.to.After(c.piece.to) {
		return c.subtotal
	}
	from, to := z.day(c.line.from), z.day(c.line.to)
	return cents(quo(mul(c.subtotal, num(int(z.day(c.piece.to)-from))), num(int(to-from))))
}

// takenBack reports whether credits of a fee that a composite price rates were taken back: what is left of the fee
// depends on what was spent of them.
func (r *run) takenBack(p piece) bool {
	return slices.ContainsFunc(p.sub.intervals, func(i *interval) bool {
		return i.spec.allocation() && i.from.Before(p.to) && !i.to.IsZero() && i.to.After(p.from)
	})
}
