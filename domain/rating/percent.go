package rating

import "tollkeeper/domain/money"

// Percent charges a share of the sum of other prices, within limits. Where the
// limits cross, the maximum holds (price models 4.33).
type Percent struct {
	Percent       money.Decimal // a fraction above 0, at most 1
	MinimumAmount Amount        // 0 where there is none
	MaximumAmount *Amount       // nil: no limit
	Prorated      bool          // the minimum alone
}

func readPercent(config *object) Model {
	m := Percent{
		Percent:       config.number("percent"),
		MaximumAmount: config.amountOrNull("maximum_amount"),
		Prorated:      config.flag("prorated"),
	}
	if m.Percent.Sign() <= 0 || m.Percent.Cmp(one) > 0 {
		config.bad("percent", "must be above 0 and at most 1")
	}
	if minimum := config.amountOrNull("minimum_amount"); minimum != nil {
		m.MinimumAmount = *minimum
	}
	return m
}

func (m Percent) Needs() Needs   { return Needs{Composite: true} }
func (m Percent) linear() bool   { return false }
func (m Percent) prorated() bool { return false } // within the formula

func (m Percent) charge(u Usage) Charge {
	minimum := m.MinimumAmount.Decimal
	if m.Prorated {
		minimum = share(minimum, u.Fraction)
	}
	amount := u.Components.Mul(m.Percent)
	steps := []Part{{Name: "share of other prices", Quantity: u.Components, Rate: m.Percent.String(), Amount: amount}}
	if lift := above(minimum, amount); !lift.IsZero() {
		steps = append(steps, Part{Name: "up to the minimum", Amount: lift})
		amount = minimum
	}
	if m.MaximumAmount != nil {
		if excess := above(amount, m.MaximumAmount.Decimal); !excess.IsZero() {
			steps = append(steps, Part{Name: "down to the maximum", Amount: excess.Neg()})
		}
	}
	return once(steps...)
}
