package rating

import "tollkeeper/domain/money"

// PackageWithAllocation charges whole packages of what exceeds the allocation
// (price models 4.12).
type PackageWithAllocation struct {
	Allocation    money.Decimal // free units
	PackageAmount Amount
	PackageSize   money.Decimal
}

func readPackageWithAllocation(config *object) Model {
	return PackageWithAllocation{
		Allocation:    config.amount("allocation").Decimal,
		PackageAmount: config.amount("package_amount"),
		PackageSize:   config.positive("package_size").Decimal,
	}
}

func (m PackageWithAllocation) Needs() Needs   { return Needs{} }
func (m PackageWithAllocation) linear() bool   { return false }
func (m PackageWithAllocation) prorated() bool { return false }

func (m PackageWithAllocation) charge(u Usage) Charge {
	n := packages(above(u.Quantity, m.Allocation), m.PackageSize)
	return flat("packages of "+m.PackageSize.String()+" above "+m.Allocation.String(), n, m.PackageAmount)
}
