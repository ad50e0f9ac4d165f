package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"time"

	"tollkeeper/domain/reference"
)

// Prices are rated by the reference model, which knows every price model (price-models.md 4). What a quantity is,
// of which time and whose usage, says this model.

// grouped models rate each value of a property by itself.
var grouped = map[string]bool{"matrix": true, "grouped_tiered": true, "grouped_allocation": true, "grouped_with_min_max_thresholds": true, "grouped_with_prorated_minimum": true}

// linear models of groups charge those below 0 too, others take them as 0 (price-models.md 1.2).
var linear = map[string]bool{"matrix": true, "matrix_with_display_name": true, "scalable_matrix_with_unit_pricing": true, "event_output": true}

// usageModels are the models that usage prices get; linear ones more often.
var usageModels = []string{"unit", "unit", "unit", "tiered", "tiered", "package", "bulk", "tiered_package", "tiered_with_minimum", "threshold_total_amount",
	"package_with_allocation", "unit_with_percent", "unit_with_proration", "tiered_with_proration", "bulk_with_proration",
	"matrix", "grouped_tiered", "grouped_allocation", "grouped_with_min_max_thresholds", "grouped_with_prorated_minimum"}

// configuration is the body of the model's configuration.
func (s priceSpec) configuration() any {
	bounds := func(unit string) []object {
		return []object{{"tier_lower_bound": "0", unit: s.Amount}, {"tier_lower_bound": s.Bound, unit: s.Above}}
	}
	if s.Config != nil {
		return s.Config
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

// priced is what usage costs where the fraction f of the cycle is served, exactly (price-models.md 1.4).
func (s priceSpec) priced(u reference.Usage, f *big.Rat) *big.Rat {
	u.Share = f
	amount, err := reference.Rate(s.Model, s.configText(), u)
	if err != nil { // the server took the price
		panic(fmt.Sprintf("%s: %v", s.Name, err))
	}
	return amount
}

func (s priceSpec) configText() json.RawMessage {
	text, err := json.Marshal(s.configuration())
	if err != nil {
		panic(err)
	}
	return text
}

// rate is what a quantity of a fee costs for a whole cycle, exactly.
func (s priceSpec) rate(q *big.Rat) *big.Rat {
	return s.priced(reference.Usage{Quantity: q, Fixed: true}, num(1))
}

// used is what usage until an instant costs, exactly.
func (w *world) used(p piece, until time.Time) *big.Rat { return w.usedBeyond(p, until, nil) }

// usedBeyond is that without so many units, that are free (price-models.md 6.2).
func (w *world) usedBeyond(p piece, until time.Time, free *big.Rat) *big.Rat {
	switch p.spec.Metric {
	case composite:
		return p.spec.priced(reference.Usage{Components: w.base(p)}, p.fraction())
	case "":
		return p.fee() // in full from the first day (semantics 7.1.9)
	}
	u := w.usage(p, until)
	if free != nil {
		u = u.Less(free)
	}
	return p.spec.priced(u, p.fraction())
}

// quantity of a line: where groups are rated, theirs together (price-models.md 1.2).
func (w *world) quantity(p piece) *big.Rat {
	if p.spec.Metric == composite { // 1 where it charges something
		return num(w.used(p, p.to).Sign() * w.used(p, p.to).Sign())
	}
	u := w.usage(p, p.to)
	switch p.spec.Model {
	case "bulk_with_filters":
		return greatest(u.Rounded(u.Matching), new(big.Rat))
	case "metered_allowance": // other groups are ignored
		u.Groups = slices.DeleteFunc(slices.Clone(u.Groups), func(g reference.Group) bool { return g.Values["who"] != "a" })
	case "max_group_tiered_package": // the group that is charged
		for _, g := range u.Groups {
			if len(u.Groups) > 1 && slices.ContainsFunc(u.Groups, func(o reference.Group) bool { return o.Quantity.Cmp(g.Quantity) > 0 }) {
				continue
			}
			return u.Rounded(g.Quantity)
		}
	}
	groups := new(big.Rat)
	for _, g := range u.Groups {
		if g.Quantity.Sign() > 0 || linear[p.spec.Model] {
			groups.Add(groups, g.Quantity)
		}
	}
	if p.spec.inputs().Whole {
		return u.Rounded(u.Quantity)
	}
	return u.Rounded(groups)
}
