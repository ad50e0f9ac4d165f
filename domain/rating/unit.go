package rating

import "tollkeeper/domain/money"

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

func (m Unit) Needs() Needs   { return Needs{} }
func (m Unit) linear() bool   { return true }
func (m Unit) prorated() bool { return m.Prorated }

func (m Unit) charge(u Usage) Charge { return flat("units", u.Quantity, m.UnitAmount) }

// flat charges a quantity at one rate, in one step that is no sub-line item.
func flat(name string, quantity money.Decimal, rate Amount) Charge {
	amount := quantity.Mul(rate.Decimal)
	return Charge{Quantity: quantity, Subtotal: amount, Parts: []Part{
		{Kind: PartWorking, Name: name, Quantity: quantity, Rate: rate.Text, Amount: amount},
	}}
}

// sum is the charge of steps that add up.
func sum(parts []Part) Charge {
	var c Charge
	for _, p := range parts {
		c.add(p)
	}
	return c
}

var one = money.FromInt(1)
