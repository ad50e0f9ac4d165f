package rating

// GroupedAllocation charges what each group uses beyond its own allocation. What one
// group leaves of it helps no other (price models 4.18).
type GroupedAllocation struct {
	GroupingKey     string
	Allocation      Amount // units of each group
	OverageUnitRate Amount
}

func readGroupedAllocation(config *object) Model {
	return GroupedAllocation{
		GroupingKey:     config.property("grouping_key"),
		Allocation:      config.amount("allocation"),
		OverageUnitRate: config.amount("overage_unit_rate"),
	}
}

func (m GroupedAllocation) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m GroupedAllocation) linear() bool   { return false }
func (m GroupedAllocation) prorated() bool { return false }

func (m GroupedAllocation) charge(u Usage) Charge {
	return eachGroup(m.GroupingKey, u.Cells, func(group Cell) Part {
		return billed(above(group.Quantity, m.Allocation.Decimal), m.OverageUnitRate)
	})
}
