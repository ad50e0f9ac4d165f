package rating

import "tollkeeper/domain/money"

// GroupedWithMeteredMinimum charges units at the rate of one property's value times
// the factor of another's, and each group at least a minimum for every unit it used.
// Units without a rate cost that minimum too, which is never scaled
// (price models 4.21).
type GroupedWithMeteredMinimum struct {
	GroupingKey       string
	PricingKey        string
	ScalingKey        string
	MinimumUnitAmount Amount
	UnitAmounts       Rates // by value of PricingKey
	ScalingFactors    Rates // by value of ScalingKey; any other is scaled by 1
}

func readGroupedWithMeteredMinimum(config *object) Model {
	return GroupedWithMeteredMinimum{
		GroupingKey:       config.property("grouping_key"),
		PricingKey:        config.property("pricing_key"),
		ScalingKey:        config.property("scaling_key"),
		MinimumUnitAmount: config.amount("minimum_unit_amount"),
		UnitAmounts:       config.rates("unit_amounts", "pricing_value", "unit_amount"),
		ScalingFactors:    config.rates("scaling_factors", "scaling_value", "scaling_factor"),
	}
}

func (m GroupedWithMeteredMinimum) Needs() Needs {
	return Needs{Split: []string{m.GroupingKey, m.PricingKey, m.ScalingKey}}
}
func (m GroupedWithMeteredMinimum) linear() bool   { return false }
func (m GroupedWithMeteredMinimum) prorated() bool { return false }

func (m GroupedWithMeteredMinimum) charge(u Usage) Charge {
	c := Charge{Quantity: TotalOf(u.Cells)}
	for _, group := range byGroup(u.Cells) {
		units := TotalOf(group.cells)
		p := billed(units, m.MinimumUnitAmount)
		if rated := m.rated(group.cells); rated.Cmp(p.Amount) > 0 {
			p = Part{Amount: rated}
		}
		c.addGroup(m.GroupingKey, group.value, units, p)
	}
	return c
}

// rated is what the cells of a group cost before its minimum.
func (m GroupedWithMeteredMinimum) rated(cells []Cell) (amount money.Decimal) {
	for _, cell := range cells {
		amount = amount.Add(cell.Quantity.Mul(m.rate(cell.Values[0], cell.Values[1])))
	}
	return amount
}

func (m GroupedWithMeteredMinimum) rate(pricing, scaling *string) money.Decimal {
	rate, listed := m.UnitAmounts.of(pricing)
	if !listed {
		return m.MinimumUnitAmount.Decimal
	}
	if factor, listed := m.ScalingFactors.of(scaling); listed {
		return rate.Mul(factor.Decimal)
	}
	return rate.Decimal
}
