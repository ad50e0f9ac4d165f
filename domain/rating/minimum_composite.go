package rating

import "tollkeeper/domain/money"

// MinimumComposite charges what other prices lack of a minimum. Those have lines of
// their own, so this is only the shortfall (price models 4.32).
type MinimumComposite struct {
	MinimumAmount Amount
	Prorated      bool // the minimum, not the shortfall
}

func readMinimumComposite(config *object) Model {
	return MinimumComposite{
		MinimumAmount: config.amount("minimum_amount"),
		Prorated:      config.flag("prorated"),
	}
}

func (m MinimumComposite) Needs() Needs   { return Needs{Composite: true} }
func (m MinimumComposite) linear() bool   { return false }
func (m MinimumComposite) prorated() bool { return false } // within the formula

func (m MinimumComposite) charge(u Usage) Charge {
	minimum := m.MinimumAmount.Decimal
	if m.Prorated {
		minimum = share(minimum, u.Fraction)
	}
	covered := money.Min(u.Components, minimum)
	return once(
		Part{Name: "minimum", Quantity: one, Rate: m.MinimumAmount.Text, Amount: minimum},
		Part{Name: "covered by other prices", Amount: covered.Neg()},
	)
}

// once charges for other prices: there is no usage, so the quantity is 1, or 0 where
// nothing is charged.
func once(steps ...Part) Charge {
	c := sum(steps)
	if !c.Subtotal.IsZero() {
		c.Quantity = one
	}
	return c
}
