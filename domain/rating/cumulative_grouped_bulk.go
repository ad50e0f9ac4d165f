package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// CumulativeGroupedBulk charges each listed group at its own rate in the tier that
// all listed groups reach together. Other groups neither count nor pay; they are
// shown at 0 (price models 4.28).
type CumulativeGroupedBulk struct {
	Group string      // the property
	Tiers []GroupTier // ascending, the first from 0
}

// GroupTier applies from LowerBound, inclusive, up to the next one's.
type GroupTier struct {
	LowerBound  money.Decimal
	UnitAmounts Rates // by value of the group, the same values in every tier
}

func readCumulativeGroupedBulk(config *object) Model {
	m := CumulativeGroupedBulk{Group: config.property("group")}
	tiers := map[string]Rates{} // by lower bound
	config.objects("dimension_values", func(row *object) {
		bound, value, rate := row.amount("tier_lower_bound"), row.name("grouping_key"), row.amount("unit_amount")
		at := bound.String()
		if tiers[at] == nil {
			tiers[at] = Rates{}
			m.Tiers = append(m.Tiers, GroupTier{bound.Decimal, tiers[at]})
		}
		if _, repeated := tiers[at][value]; repeated {
			row.bad("grouping_key", "must not be listed twice for one tier_lower_bound")
		}
		tiers[at][value] = rate
	})
	slices.SortFunc(m.Tiers, func(a, b GroupTier) int { return a.LowerBound.Cmp(b.LowerBound) })
	if !config.sound() {
		return m
	}
	if !m.Tiers[0].LowerBound.IsZero() {
		config.bad("dimension_values", "must have a tier_lower_bound of 0")
	}
	for _, tier := range m.Tiers[1:] {
		if !tier.UnitAmounts.sameValues(m.Tiers[0].UnitAmounts) {
			config.bad("dimension_values", "must list the same groups for every tier_lower_bound")
		}
	}
	return m
}

func (m CumulativeGroupedBulk) Needs() Needs   { return Needs{Split: []string{m.Group}} }
func (m CumulativeGroupedBulk) linear() bool   { return false }
func (m CumulativeGroupedBulk) prorated() bool { return false }

func (m CumulativeGroupedBulk) charge(u Usage) Charge {
	rates := m.Tiers[0].UnitAmounts
	reached := rounded(weighed(u.Cells, func(group Cell) money.Decimal {
		if _, listed := rates.of(group.Values[0]); listed {
			return one
		}
		return money.Decimal{}
	}), u.Cells)
	for _, tier := range m.Tiers {
		if reached.Cmp(tier.LowerBound) >= 0 {
			rates = tier.UnitAmounts
		}
	}
	return eachGroup(m.Group, u.Cells, func(group Cell) Part {
		if rate, listed := rates.of(group.Values[0]); listed {
			return billed(group.Quantity, rate)
		}
		return Part{}
	})
}
