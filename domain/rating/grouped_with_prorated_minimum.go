package rating

import "tollkeeper/domain/money"

// GroupedWithProratedMinimum charges each group for its units, and at least a
// minimum, which alone is prorated (price models 4.20).
type GroupedWithProratedMinimum struct {
	GroupingKey string
	Minimum     Amount // of each group with an event, for a full period
	UnitRate    Amount
}

func readGroupedWithProratedMinimum(config *object) Model {
	return GroupedWithProratedMinimum{
		GroupingKey: config.property("grouping_key"),
		Minimum:     config.amount("minimum"),
		UnitRate:    config.amount("unit_rate"),
	}
}

func (m GroupedWithProratedMinimum) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m GroupedWithProratedMinimum) linear() bool   { return false }
func (m GroupedWithProratedMinimum) prorated() bool { return false }

// Groups that owe the minimum owe it together: a share of it may not end, and each group has
// the difference of two running totals, so that what is cut of one is not lost to all.
func (m GroupedWithProratedMinimum) charge(u Usage) Charge {
	minimum := share(m.Minimum.Decimal, u.Fraction)
	var owed, charged money.Decimal // by groups below the minimum: of a full period, and in part
	return eachGroup(m.GroupingKey, u.Cells, func(group Cell) Part {
		p := billed(group.Quantity, m.UnitRate)
		if p.Amount.Cmp(minimum) < 0 {
			owed = owed.Add(m.Minimum.Decimal)
			upTo := share(owed, u.Fraction)
			p = Part{Amount: upTo.Sub(charged)}
			charged = upTo
		}
		return p
	})
}
