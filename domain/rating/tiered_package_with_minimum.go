package rating

import "tollkeeper/domain/money"

// TieredPackageWithMinimum charges whole packages like TieredPackage, and at least
// the minimum of the tier that the last of them is in (price models 4.11).
type TieredPackageWithMinimum struct {
	PackageSize money.Decimal
	Tiers       []BoundTier // each with its Minimum
}

func readTieredPackageWithMinimum(config *object) Model {
	m := TieredPackageWithMinimum{PackageSize: config.number("package_size")}
	if m.PackageSize.Sign() <= 0 {
		config.bad("package_size", "must be above 0")
	}
	m.Tiers = config.readBoundTiers("tiers", 2, func(tier *object) BoundTier {
		t := tier.packageTier("per_unit", m.PackageSize)
		t.Minimum = tier.amount("minimum_amount")
		return t
	})
	return m
}

func (m TieredPackageWithMinimum) Needs() Needs   { return Needs{} }
func (m TieredPackageWithMinimum) linear() bool   { return false }
func (m TieredPackageWithMinimum) prorated() bool { return false }

func (m TieredPackageWithMinimum) charge(u Usage) Charge {
	q := filled(u.Quantity, m.PackageSize)
	c := sum(graduateAll(m.Tiers, q, m.PackageSize))
	c.raise(tierOf(m.Tiers, q).Minimum.Decimal)
	return c
}
