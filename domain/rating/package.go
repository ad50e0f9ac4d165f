package rating

import "tollkeeper/domain/money"

// Package charges whole packages: one that is begun is paid (price models 4.5).
type Package struct {
	PackageAmount Amount
	PackageSize   money.Decimal // whole, 1 or more
}

func readPackage(config *object) Model {
	m := Package{
		PackageAmount: config.amount("package_amount"),
		PackageSize:   config.number("package_size"),
	}
	if m.PackageSize.Places() > 0 || m.PackageSize.Sign() <= 0 {
		config.bad("package_size", "must be a whole number of at least 1")
	}
	return m
}

func (m Package) Needs() Needs   { return Needs{} }
func (m Package) linear() bool   { return false }
func (m Package) prorated() bool { return false }

func (m Package) charge(u Usage) Charge {
	return flat("packages of "+m.PackageSize.String(), packages(u.Quantity, m.PackageSize), m.PackageAmount)
}

// packages is how many of that size q begins. The quotient can be trusted: of the
// largest quantity with the finest rest it needs some 90 digits to tell that rest
// from none.
func packages(q, size money.Decimal) money.Decimal { return q.Quo(size).Ceil() }
