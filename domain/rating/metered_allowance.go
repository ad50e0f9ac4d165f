package rating

import (
	"cmp"

	"tollkeeper/domain/money"
)

// MeteredAllowance charges the units of one group and gives back, at the same rate,
// as many as another group has. Further groups are ignored (price models 4.31).
type MeteredAllowance struct {
	GroupingKey            string
	ConsumptionValue       string // of GroupingKey: the units that are charged
	AllowanceValue         string // of GroupingKey: the units that are free
	UnitAmount             Amount
	ConsumptionDisplayName string
	AllowanceDisplayName   string
}

func readMeteredAllowance(config *object) Model {
	return MeteredAllowance{
		GroupingKey:            config.property("grouping_key"),
		ConsumptionValue:       config.name("consumption_grouping_value"),
		AllowanceValue:         config.name("allowance_grouping_value"),
		UnitAmount:             config.amount("unit_amount"),
		ConsumptionDisplayName: cmp.Or(config.nameOrNull("consumption_display_name"), "Consumption"),
		AllowanceDisplayName:   cmp.Or(config.nameOrNull("allowance_display_name"), "Allowance credit"),
	}
}

func (m MeteredAllowance) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m MeteredAllowance) linear() bool   { return false }
func (m MeteredAllowance) prorated() bool { return false }

// charge shows the credit only where there is one. It has no quantity, as what it
// takes off is in the row of the consumption.
func (m MeteredAllowance) charge(u Usage) Charge {
	var consumption, allowance money.Decimal
	for _, group := range u.Cells {
		if is(group.Values[0], m.ConsumptionValue) {
			consumption = group.Quantity
		}
		if is(group.Values[0], m.AllowanceValue) {
			allowance = group.Quantity
		}
	}
	c := Charge{Quantity: consumption}
	c.add(Part{
		Kind:     PartOther,
		Name:     m.ConsumptionDisplayName,
		Quantity: consumption,
		Rate:     m.UnitAmount.Text,
		Amount:   consumption.Mul(m.UnitAmount.Decimal),
		Group:    groupOf(m.GroupingKey, &m.ConsumptionValue),
	})
	credit := billed(money.Min(consumption, allowance).Neg(), m.UnitAmount)
	if !credit.Amount.IsZero() {
		credit.Kind = PartOther
		credit.Name = m.AllowanceDisplayName
		credit.Group = groupOf(m.GroupingKey, &m.AllowanceValue)
		c.add(credit)
	}
	return c
}

func is(value *string, text string) bool { return value != nil && *value == text }
