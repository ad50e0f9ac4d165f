package rating

// GroupedTiered charges each unit of a group at the rate of its own tier; every group
// begins in the first (price models 4.10).
type GroupedTiered struct {
	GroupingKey string
	Tiers       []BoundTier
}

func readGroupedTiered(config *object) Model {
	return GroupedTiered{
		GroupingKey: config.property("grouping_key"),
		Tiers:       config.boundTiers("tiers", "unit_amount"),
	}
}

func (m GroupedTiered) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m GroupedTiered) linear() bool   { return false }
func (m GroupedTiered) prorated() bool { return false }

func (m GroupedTiered) charge(u Usage) Charge {
	return graduateGroups(m.GroupingKey, u.Cells, func(group Cell) []Part {
		return graduate(m.Tiers, group.Quantity, one)
	})
}
