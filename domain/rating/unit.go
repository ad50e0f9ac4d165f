package rating

// Unit charges the same for every unit (price models 4.1).
type Unit struct {
	UnitAmount Amount
	Prorated   bool
}

func readUnit(config *object) Model {
	return Unit{
		UnitAmount: config.amount("unit_amount"),
		Prorated:   config.flag("prorated"),
	}
}

func (m Unit) Split() []string { return nil }
func (m Unit) linear() bool    { return true }
func (m Unit) prorated() bool  { return m.Prorated }

func (m Unit) charge(u Usage) Charge {
	return Charge{Subtotal: u.Quantity.Mul(m.UnitAmount.Decimal)}
}
