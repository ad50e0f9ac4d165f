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

func (m Package) Split() []string { return nil }
func (m Package) linear() bool    { return false }
func (m Package) prorated() bool  { return false }

func (m Package) charge(u Usage) Charge {
	return Charge{Subtotal: packages(u.Quantity, m.PackageSize).Mul(m.PackageAmount.Decimal)}
}

// packages returns how many packages of size hold quantity. A rest too small for
// the precision of the quotient still needs one.
func packages(quantity, size money.Decimal) money.Decimal {
	n := quantity.Quo(size).Ceil()
	if n.Mul(size).Cmp(quantity) < 0 {
		n = n.Add(money.FromInt(1))
	}
	return n
}
