package rating

// GroupedTieredMatrix graduates each value of a property over tiers of its own, and
// charges those without tiers at the default rate (price models 4.35).
type GroupedTieredMatrix struct {
	Dimension string
	Tiers     map[string][]BoundTier // by value
	Default   []BoundTier            // one tier without end
}

func readGroupedTieredMatrix(config *object) Model {
	m := GroupedTieredMatrix{
		Dimension: config.property("dimension"),
		Tiers:     map[string][]BoundTier{},
		Default:   ascending([]placedTier{{BoundTier{Rate: config.amount("default_unit_amount")}, config}}, config.sound()),
	}
	rows := map[string][]placedTier{}
	var values []string // in order, for the faults to be in order
	config.objects("tiers", func(row *object) {
		value := row.text("dimension_value")
		if rows[value] == nil {
			values = append(values, value)
		}
		rows[value] = append(rows[value], placedTier{row.boundTier("unit_amount"), row})
	})
	sound := config.sound()
	for _, value := range values {
		m.Tiers[value] = ascending(rows[value], sound)
	}
	return m
}

func (m GroupedTieredMatrix) Needs() Needs   { return Needs{Split: []string{m.Dimension}} }
func (m GroupedTieredMatrix) linear() bool   { return false }
func (m GroupedTieredMatrix) prorated() bool { return false }

func (m GroupedTieredMatrix) charge(u Usage) Charge {
	return graduateGroups(m.Dimension, u.Cells, func(group Cell) []Part {
		return graduate(m.tiersOf(group.Values[0]), group.Quantity, one)
	})
}

func (m GroupedTieredMatrix) tiersOf(value *string) []BoundTier {
	if value != nil {
		if tiers, listed := m.Tiers[*value]; listed {
			return tiers
		}
	}
	return m.Default
}
