package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// Bulk charges the whole quantity at the rate of the tier it reaches
// (price models 4.3).
type Bulk struct{ Tiers []BulkTier } // by MaximumUnits, ascending

// BulkTier applies up to and including MaximumUnits; nil, in the last tier only,
// is no end. Beyond a last tier that has one, its rate goes on.
type BulkTier struct {
	MaximumUnits *money.Decimal
	UnitAmount   Amount
}

func readBulk(config *object) Model {
	var m Bulk
	ends := tierEnds{seen: map[string]bool{}}
	config.objects("tiers", func(tier *object) {
		t := BulkTier{MaximumUnits: tier.bound("maximum_units"), UnitAmount: tier.amount("unit_amount")}
		ends.check(tier, "maximum_units", t.MaximumUnits)
		m.Tiers = append(m.Tiers, t)
	})
	slices.SortStableFunc(m.Tiers, func(a, b BulkTier) int { return compareEnds(a.MaximumUnits, b.MaximumUnits) })
	return m
}

func (m Bulk) Needs() Needs   { return Needs{} }
func (m Bulk) linear() bool   { return false }
func (m Bulk) prorated() bool { return false }

func (m Bulk) charge(u Usage) Charge {
	tier := m.Tiers[len(m.Tiers)-1]
	for _, t := range m.Tiers {
		if t.MaximumUnits == nil || u.Quantity.Cmp(*t.MaximumUnits) <= 0 {
			tier = t
			break
		}
	}
	return flat(tier.name(), u.Quantity, tier.UnitAmount)
}

// name says what the tier holds: "all units, up to 1000".
func (t BulkTier) name() string {
	if t.MaximumUnits == nil {
		return "all units, without limit"
	}
	return "all units, up to " + t.MaximumUnits.String()
}
