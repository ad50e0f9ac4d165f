package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// groupOf is the group of the events whose property key has that value.
func groupOf(key string, value *string) *Group { return &Group{Key: key, Value: value} }

// groupName is what a part of a group is called: its value (price models 1.6).
func groupName(value *string) string { return tupleName([]*string{value}) }

// ordered returns cells by their values, missing ones first (price models 1.6).
func ordered(cells []Cell) []Cell {
	return slices.SortedStableFunc(slices.Values(cells), func(a, b Cell) int {
		return compareTuples(a.Values, b.Values)
	})
}

// eachGroup charges the groups one after the other, each as price says, with a part
// for each. Cells are split by key alone.
func eachGroup(key string, cells []Cell, price func(group Cell) Part) Charge {
	var c Charge
	for _, group := range ordered(cells) {
		c.addGroup(key, group.Values[0], group.Quantity, price(group))
	}
	c.Quantity = TotalOf(cells)
	return c
}

// addGroup charges what p says for all that one group used. The quantity of the charge is left
// to the caller.
func (c *Charge) addGroup(key string, value *string, quantity money.Decimal, p Part) {
	p.Kind = PartOther
	p.Name = groupName(value)
	p.Quantity = quantity
	if p.Scaled != nil && p.Scaled.Equal(quantity) {
		p.Scaled = nil
	}
	p.Group = groupOf(key, value)
	c.add(p)
}

// billed is the price of so many units of a group.
func billed(units money.Decimal, rate Amount) Part {
	return Part{Scaled: &units, Rate: rate.Text, Amount: units.Mul(rate.Decimal)}
}

// above is what a exceeds b by, not below 0.
func above(a, b money.Decimal) money.Decimal { return money.Max(a.Sub(b), money.Decimal{}) }

// graduateGroups charges each group as graduate says, with a part for each tier that
// it reaches. Cells are split by key alone.
func graduateGroups(key string, cells []Cell, graduate func(group Cell) []Part) Charge {
	c := Charge{Quantity: TotalOf(cells)}
	for _, group := range ordered(cells) {
		for _, p := range graduate(group) {
			p.Group = groupOf(key, group.Values[0])
			c.add(p)
		}
	}
	return c
}
