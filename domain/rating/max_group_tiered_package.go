package rating

import "tollkeeper/domain/money"

// MaxGroupTieredPackage charges the packages of the group that used most, each at the
// rate of the tier it lies in, and nothing of the others. Of equal groups it takes the
// first by value (price models 4.25).
type MaxGroupTieredPackage struct {
	GroupingKey string
	PackageSize money.Decimal
	Tiers       []BoundTier // rates are for packages
}

func readMaxGroupTieredPackage(config *object) Model {
	size := config.positive("package_size").Decimal
	return MaxGroupTieredPackage{
		GroupingKey: config.property("grouping_key"),
		PackageSize: size,
		Tiers:       config.packageTiers("tiers", "unit_amount", size),
	}
}

func (m MaxGroupTieredPackage) Needs() Needs   { return Needs{Split: []string{m.GroupingKey}} }
func (m MaxGroupTieredPackage) linear() bool   { return false }
func (m MaxGroupTieredPackage) prorated() bool { return false }

func (m MaxGroupTieredPackage) charge(u Usage) Charge {
	var largest []Cell // one, or none without usage
	for _, group := range ordered(u.Cells) {
		if largest == nil || group.Quantity.Cmp(largest[0].Quantity) > 0 {
			largest = []Cell{group}
		}
	}
	return graduateGroups(m.GroupingKey, largest, func(group Cell) []Part {
		return graduate(m.Tiers, filled(group.Quantity, m.PackageSize), m.PackageSize)
	})
}
