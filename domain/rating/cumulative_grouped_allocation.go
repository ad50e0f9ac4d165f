package rating

import "tollkeeper/domain/money"

// CumulativeGroupedAllocation charges what groups use beyond an allocation of their
// own and one for all. Taken in the order of their values, a group pays the larger
// of what exceeds its own and what it adds to the excess of all groups so far, so
// the names of groups can make a difference (price models 4.29).
type CumulativeGroupedAllocation struct {
	GroupingKey          string
	GroupAllocation      Amount // units of each group
	CumulativeAllocation Amount // units of all groups together
	UnitAmount           Amount
}

func readCumulativeGroupedAllocation(config *object) Model {
	return CumulativeGroupedAllocation{
		GroupingKey:          config.property("grouping_key"),
		GroupAllocation:      config.amount("group_allocation"),
		CumulativeAllocation: config.amount("cumulative_allocation"),
		UnitAmount:           config.amount("unit_amount"),
	}
}

func (m CumulativeGroupedAllocation) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m CumulativeGroupedAllocation) linear() bool   { return false }
func (m CumulativeGroupedAllocation) prorated() bool { return false }

func (m CumulativeGroupedAllocation) charge(u Usage) Charge {
	var used []Cell            // the groups so far, whether they paid or not
	var exceeded money.Decimal // by them
	return eachGroup(m.GroupingKey, u.Cells, func(group Cell) Part {
		own := above(group.Quantity, m.GroupAllocation.Decimal)
		used = append(used, group)
		exceeds := above(TotalOf(used), m.CumulativeAllocation.Decimal)
		grown := exceeds.Sub(exceeded)
		exceeded = exceeds
		return billed(money.Max(own, grown), m.UnitAmount)
	})
}
