package rating

// GroupedWithMinMaxThresholds charges each group for its units, no less than a
// minimum and no more than a maximum; neither is prorated (price models 4.22).
type GroupedWithMinMaxThresholds struct {
	GroupingKey   string
	PerUnitRate   Amount
	MinimumCharge Amount // of each group with an event, whatever it used
	MaximumCharge Amount // of each group, not below MinimumCharge
}

func readGroupedWithMinMaxThresholds(config *object) Model {
	m := GroupedWithMinMaxThresholds{
		GroupingKey:   config.property("grouping_key"),
		PerUnitRate:   config.amount("per_unit_rate"),
		MinimumCharge: config.amount("minimum_charge"),
		MaximumCharge: config.amount("maximum_charge"),
	}
	if config.sound() && m.MinimumCharge.Cmp(m.MaximumCharge.Decimal) > 0 {
		config.bad("minimum_charge", "must not be above maximum_charge")
	}
	return m
}

func (m GroupedWithMinMaxThresholds) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m GroupedWithMinMaxThresholds) linear() bool   { return false }
func (m GroupedWithMinMaxThresholds) prorated() bool { return false }

func (m GroupedWithMinMaxThresholds) charge(u Usage) Charge {
	return eachGroup(m.GroupingKey, u.Cells, func(group Cell) Part {
		p := billed(group.Quantity, m.PerUnitRate)
		switch {
		case p.Amount.Cmp(m.MinimumCharge.Decimal) < 0:
			return Part{Amount: m.MinimumCharge.Decimal}
		case p.Amount.Cmp(m.MaximumCharge.Decimal) > 0:
			return Part{Amount: m.MaximumCharge.Decimal}
		}
		return p
	})
}
