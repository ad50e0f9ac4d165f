package rating

import "tollkeeper/domain/money"

// GroupedTieredPackage charges the packages that each group has begun, each at the
// rate of the tier it lies in; every group begins in the first (price models 4.24).
type GroupedTieredPackage struct {
	GroupingKey string
	PackageSize money.Decimal
	Tiers       []BoundTier
}

func readGroupedTieredPackage(config *object) Model {
	size := config.positive("package_size").Decimal
	return GroupedTieredPackage{
		GroupingKey: config.property("grouping_key"),
		PackageSize: size,
		Tiers:       config.packageTiers("tiers", "per_unit", size),
	}
}

func (m GroupedTieredPackage) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m GroupedTieredPackage) linear() bool   { return false }
func (m GroupedTieredPackage) prorated() bool { return false }

func (m GroupedTieredPackage) charge(u Usage) Charge {
	return graduateGroups(m.GroupingKey, u.Cells, func(group Cell) []Part {
		return graduate(m.Tiers, filled(group.Quantity, m.PackageSize), m.PackageSize)
	})
}
