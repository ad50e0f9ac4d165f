package rating

import "tollkeeper/domain/money"

// UnitWithPercent charges a percentage of what units are worth (price models 4.13).
type UnitWithPercent struct {
	UnitAmount Amount
	Percent    money.Decimal // out of 100, and above it where a client wants that
}

func readUnitWithPercent(config *object) Model {
	return UnitWithPercent{
		UnitAmount: config.amount("unit_amount"),
		Percent:    config.amount("percent").Decimal,
	}
}

func (m UnitWithPercent) Needs() Needs   { return Needs{} }
func (m UnitWithPercent) linear() bool   { return true }
func (m UnitWithPercent) prorated() bool { return false }

var hundredth = money.Must("0.01")

func (m UnitWithPercent) charge(u Usage) Charge {
	charged := u.Quantity.Mul(m.Percent).Mul(hundredth)
	return sum([]Part{{
		Name:     m.Percent.String() + "% of units",
		Quantity: u.Quantity,
		Scaled:   &charged,
		Rate:     m.UnitAmount.Text,
		Amount:   charged.Mul(m.UnitAmount.Decimal),
	}})
}
