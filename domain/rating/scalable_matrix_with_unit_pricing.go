package rating

import "tollkeeper/domain/money"

// ScalableMatrixWithUnitPricing charges the same for every scaled unit: each cell's
// quantity counts times its factor (price models 4.26).
type ScalableMatrixWithUnitPricing struct {
	Factors     Table
	UnitPrice   Amount // of a scaled unit
	GroupingKey string // only splits the parts; "": they are not grouped
	Prorate     bool
}

func readScalableMatrixWithUnitPricing(config *object) Model {
	return ScalableMatrixWithUnitPricing{
		Factors:     config.factorTable(),
		UnitPrice:   config.amount("unit_price"),
		GroupingKey: config.propertyOrNull("grouping_key"),
		Prorate:     config.flag("prorate"),
	}
}

// factorTable reads the factors of a matrix. Cells that it does not list keep their
// quantity.
func (o *object) factorTable() Table {
	t := o.pairTable("matrix_scaling_factors", "scaling_factor")
	t.Unlisted = Amount{money.FromInt(1), "1"}
	return t
}

func (m ScalableMatrixWithUnitPricing) Needs() Needs {
	if m.GroupingKey == "" {
		return Needs{Split: m.Factors.Dimensions}
	}
	return Needs{Split: append([]string{m.GroupingKey}, m.Factors.Dimensions...)}
}
func (m ScalableMatrixWithUnitPricing) linear() bool   { return true }
func (m ScalableMatrixWithUnitPricing) prorated() bool { return m.Prorate }

func (m ScalableMatrixWithUnitPricing) charge(u Usage) Charge {
	if m.GroupingKey == "" {
		return m.Factors.eachCell(u.Cells, m.price)
	}
	c := Charge{Quantity: TotalOf(u.Cells)}
	for _, group := range byGroup(u.Cells) {
		of := m.Factors.eachCell(group.cells, m.price)
		for _, p := range of.Parts {
			p.Group = groupOf(m.GroupingKey, group.value)
			c.add(p)
		}
	}
	return c
}

func (m ScalableMatrixWithUnitPricing) price(cell Cell, factor Amount) Part {
	scaled := cell.Quantity.Mul(factor.Decimal)
	return Part{Scaled: &scaled, Rate: m.UnitPrice.Text, Amount: scaled.Mul(m.UnitPrice.Decimal)}
}
