package rating

import (
	"cmp"
	"slices"

	"tollkeeper/domain/money"
)

// EventOutput charges each event at the rate that the event itself carries, whatever
// its sign (price models 4.34).
type EventOutput struct {
	UnitRatingKey   string  // the property that holds the rate
	DefaultUnitRate *Amount // of events without one; nil: they are ignored
	GroupingKey     string  // "": parts differ by rate only
}

func readEventOutput(config *object) Model {
	return EventOutput{
		UnitRatingKey:   config.property("unit_rating_key"),
		DefaultUnitRate: config.amountOrNull("default_unit_rate"),
		GroupingKey:     config.propertyOrNull("grouping_key"),
	}
}

func (m EventOutput) Needs() Needs {
	if m.GroupingKey == "" {
		return Needs{Split: []string{m.UnitRatingKey}, Additive: true}
	}
	return Needs{Split: []string{m.GroupingKey, m.UnitRatingKey}, Additive: true}
}
func (m EventOutput) linear() bool   { return true }
func (m EventOutput) prorated() bool { return false }

func (m EventOutput) charge(u Usage) Charge {
	var c Charge
	var counted []Cell
	for _, cell := range m.rated(u.Cells) {
		rate := cell.rate.String()
		p := Part{Kind: PartOther, Name: rate, Quantity: cell.Quantity, Rate: rate, Amount: cell.Quantity.Mul(cell.rate)}
		if m.GroupingKey != "" {
			p.Name = groupName(cell.Values[0])
			p.Group = groupOf(m.GroupingKey, cell.Values[0])
		}
		counted = append(counted, cell.Cell)
		c.add(p)
	}
	c.Quantity = TotalOf(counted)
	return c
}

// ratedCell is what one group used at one rate.
type ratedCell struct {
	Cell
	rate money.Decimal
}

// rated returns the cells that have a rate, by group, then rate. Those whose rates
// are one number in several spellings become one.
func (m EventOutput) rated(cells []Cell) (rated []ratedCell) {
	compare := func(a, b ratedCell) int {
		return cmp.Or(compareTuples(a.Values, b.Values), a.rate.Cmp(b.rate))
	}
	for _, cell := range cells {
		last := len(cell.Values) - 1
		if rate, ok := m.rate(cell.Values[last]); ok {
			rated = append(rated, ratedCell{Cell{cell.Values[:last], cell.Quantity, cell.Exact}, rate})
		}
	}
	slices.SortStableFunc(rated, compare)
	merged := rated[:0]
	for _, cell := range rated {
		if n := len(merged); n > 0 && compare(merged[n-1], cell) == 0 {
			merged[n-1].Cell = cell.with(merged[n-1].exact().Add(cell.exact()))
		} else {
			merged = append(merged, cell)
		}
	}
	return merged
}

// rate reads what an event carries: a number as JSON or a decimal string writes it.
// Anything else counts as no rate.
func (m EventOutput) rate(carried *string) (rate money.Decimal, ok bool) {
	if carried != nil {
		if rate, err := money.ParseNumber(*carried); err == nil {
			return rate, true
		}
		if rate, err := money.Parse(*carried); err == nil {
			return rate, true
		}
	}
	if m.DefaultUnitRate == nil {
		return money.Decimal{}, false
	}
	return m.DefaultUnitRate.Decimal, true
}
