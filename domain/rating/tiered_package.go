package rating

import "tollkeeper/domain/money"

// TieredPackage charges whole packages, each at the rate of the tier it lies in. A
// package that is begun is paid; bounds count units (price models 4.8).
type TieredPackage struct {
	PackageSize money.Decimal
	Tiers       []BoundTier
}

func readTieredPackage(config *object) Model {
	size := config.positive("package_size").Decimal
	return TieredPackage{PackageSize: size, Tiers: config.packageTiers("tiers", "per_unit", size)}
}

func (m TieredPackage) Needs() Needs   { return Needs{} }
func (m TieredPackage) linear() bool   { return false }
func (m TieredPackage) prorated() bool { return false }

func (m TieredPackage) charge(u Usage) Charge {
	return sum(graduate(m.Tiers, filled(u.Quantity, m.PackageSize), m.PackageSize))
}

// filled is q rounded up to whole packages, in units.
func filled(q, size money.Decimal) money.Decimal { return packages(q, size).Mul(size) }
