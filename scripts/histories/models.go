package main

import (
	"encoding/json"
	"math/big"
	"time"
)

// grouped models rate each value of a property by itself.
var grouped = map[string]bool{"matrix": true, "grouped_tiered": true, "grouped_allocation": true, "grouped_with_min_max_thresholds": true, "grouped_with_prorated_minimum": true}

// usageModels are the models that usage prices get; linear ones more often.
var usageModels = []string{"unit", "unit", "unit", "tiered", "tiered", "package", "bulk", "tiered_package", "tiered_with_minimum", "threshold_total_amount",
	"package_with_allocation", "unit_with_percent", "unit_with_proration", "tiered_with_proration", "bulk_with_proration",
	"matrix", "grouped_tiered", "grouped_allocation", "grouped_with_min_max_thresholds", "grouped_with_prorated_minimum"}

// configuration is the body of the model's configuration.
func (s priceSpec) configuration() object {
	bounds := func(unit string) []object {
		return []object{{"tier_lower_bound": "0", unit: s.Amount}, {"tier_lower_bound": s.Bound, unit: s.Above}}
	}
	switch s.Model {
	case "unit":
		return object{"unit_amount": s.Amount, "prorated": s.Prorated}
	case "tiered":
		return object{"tiers": []object{{"first_unit": 0, "last_unit": json.Number(s.Bound), "unit_amount": s.Amount}, {"first_unit": json.Number(s.Bound), "last_unit": nil, "unit_amount": s.Above}}, "prorated": s.Prorated}
	case "bulk":
		return object{"tiers": []object{{"maximum_units": json.Number(s.Bound), "unit_amount": s.Amount}, {"maximum_units": nil, "unit_amount": s.Above}}}
	case "package":
		return object{"package_amount": s.Amount, "package_size": json.Number(s.Bound)}
	case "tiered_package":
		return object{"package_size": s.Size, "tiers": bounds("per_unit")}
	case "tiered_with_minimum":
		tiers := bounds("unit_amount")
		tiers[0]["minimum_amount"], tiers[1]["minimum_amount"] = s.Least, s.Most
		return object{"tiers": tiers, "prorate": s.Prorated}
	case "threshold_total_amount":
		return object{"consumption_table": []object{{"threshold": "0", "total_amount": s.Amount}, {"threshold": s.Bound, "total_amount": s.Above}}, "prorate": s.Prorated}
	case "package_with_allocation":
		return object{"allocation": s.Bound, "package_amount": s.Amount, "package_size": s.Size}
	case "unit_with_percent":
		return object{"unit_amount": s.Amount, "percent": s.Above}
	case "unit_with_proration":
		return object{"unit_amount": s.Amount}
	case "tiered_with_proration", "bulk_with_proration":
		return object{"tiers": bounds("unit_amount")}
	case "matrix":
		return object{"default_unit_amount": s.Amount, "dimensions": []string{"who"}, "matrix_values": []object{{"dimension_values": []string{"a"}, "unit_amount": s.Above}}}
	case "grouped_tiered":
		return object{"grouping_key": "who", "tiers": bounds("unit_amount")}
	case "grouped_allocation":
		return object{"grouping_key": "who", "allocation": s.Bound, "overage_unit_rate": s.Amount}
	case "grouped_with_min_max_thresholds":
		return object{"grouping_key": "who", "per_unit_rate": s.Amount, "minimum_charge": s.Least, "maximum_charge": s.Most}
	case "grouped_with_prorated_minimum":
		return object{"grouping_key": "who", "unit_rate": s.Amount, "minimum": s.Least}
	}
	return nil
}

// rate is what a quantity costs for a whole cycle, exactly (price-models.md 4). Only linear
// models charge a quantity below 0 (1.2).
func (s priceSpec) rate(q *big.Rat) *big.Rat {
	if q.Sign() < 0 && s.Model != "unit" && s.Model != "unit_with_percent" && s.Model != "unit_with_proration" {
		q = new(big.Rat)
	}
	switch s.Model {
	case "tiered", "tiered_with_proration", "grouped_tiered", "tiered_with_minimum":
		low := least(q, rat(s.Bound))
		return add(mul(low, rat(s.Amount)), mul(sub(q, low), rat(s.Above)))
	case "bulk":
		if q.Cmp(rat(s.Bound)) <= 0 { // inclusive
			return mul(q, rat(s.Amount))
		}
		return mul(q, rat(s.Above))
	case "bulk_with_proration":
		if q.Cmp(rat(s.Bound)) < 0 { // the bound belongs to the tier above it
			return mul(q, rat(s.Amount))
		}
		return mul(q, rat(s.Above))
	case "package":
		return mul(ceil(quo(q, rat(s.Bound))), rat(s.Amount))
	case "tiered_package":
		size := rat(s.Size)
		whole := mul(ceil(quo(q, size)), size)
		low := least(whole, rat(s.Bound))
		return add(mul(quo(low, size), rat(s.Amount)), mul(quo(sub(whole, low), size), rat(s.Above)))
	case "threshold_total_amount":
		switch {
		case q.Cmp(rat(s.Bound)) > 0:
			return rat(s.Above)
		case q.Sign() > 0:
			return rat(s.Amount)
		}
		return new(big.Rat)
	case "package_with_allocation":
		over := greatest(sub(q, rat(s.Bound)), new(big.Rat))
		return mul(ceil(quo(over, rat(s.Size))), rat(s.Amount))
	case "unit_with_percent":
		return quo(mul(mul(q, rat(s.Amount)), rat(s.Above)), num(100))
	}
	return mul(q, rat(s.Amount))
}

// cost is what a quantity costs where the fraction f of the cycle is served (price-models.md
// 1.4).
func (s priceSpec) cost(q, f *big.Rat) *big.Rat {
	amount := s.rate(q)
	if s.Prorated || s.Model == "unit_with_proration" || s.Model == "tiered_with_proration" || s.Model == "bulk_with_proration" {
		amount = mul(amount, f)
	}
	if s.Model == "tiered_with_minimum" { // owed without usage too, and never prorated (4.9)
		if q.Cmp(rat(s.Bound)) <= 0 {
			return greatest(amount, rat(s.Least))
		}
		return greatest(amount, rat(s.Most))
	}
	return amount
}

// groupCost is what the quantities of groups cost together, by the value of each.
func (s priceSpec) groupCost(groups map[string]*big.Rat, f *big.Rat) *big.Rat {
	total := new(big.Rat)
	for value, q := range groups {
		one := mul(q, rat(s.Amount))
		switch s.Model {
		case "matrix":
			if value == "a" {
				one = mul(q, rat(s.Above))
			}
		case "grouped_tiered":
			one = s.rate(q)
		case "grouped_allocation":
			one = mul(greatest(sub(q, rat(s.Bound)), new(big.Rat)), rat(s.Amount))
		case "grouped_with_min_max_thresholds":
			one = least(greatest(one, rat(s.Least)), rat(s.Most))
		case "grouped_with_prorated_minimum":
			one = greatest(one, mul(rat(s.Least), f))
		}
		total.Add(total, one)
	}
	return total
}

// used is what usage until an instant costs, exactly.
func (w *world) used(p piece, until time.Time) *big.Rat {
	if until.After(p.to) {
		until = p.to
	}
	switch {
	case p.spec.Metric == "":
		return p.fee() // in full from the first day (semantics 7.1.9)
	case grouped[p.spec.Model]:
		return p.spec.groupCost(w.measureGroups(p, until), p.fraction())
	}
	return p.spec.cost(w.measure(p, p.since, until, ""), p.fraction())
}

// quantity of a line: where groups are rated, theirs together (price-models.md 1.2).
func (w *world) quantity(p piece) *big.Rat {
	if !grouped[p.spec.Model] {
		return w.measure(p, p.since, p.to, "")
	}
	total := new(big.Rat)
	for _, q := range w.measureGroups(p, p.to) {
		total.Add(total, q)
	}
	return total
}
