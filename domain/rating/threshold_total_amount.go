package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// ThresholdTotalAmount charges one amount for all of the usage: that of the highest
// threshold it exceeds, and nothing before the first (price models 4.7).
type ThresholdTotalAmount struct {
	ConsumptionTable []Threshold // ascending
	Prorate          bool
}

// Threshold is what usage above it costs in total.
type Threshold struct {
	Threshold   money.Decimal // exclusive, not negative
	TotalAmount Amount
}

func readThresholdTotalAmount(config *object) Model {
	m := ThresholdTotalAmount{Prorate: config.flag("prorate")}
	config.objects("consumption_table", func(row *object) {
		t := Threshold{Threshold: row.amount("threshold").Decimal, TotalAmount: row.amount("total_amount")}
		if row.sound() && slices.ContainsFunc(m.ConsumptionTable, func(o Threshold) bool { return o.Threshold.Equal(t.Threshold) }) {
			row.bad("threshold", "must differ from those of the other rows")
		}
		m.ConsumptionTable = append(m.ConsumptionTable, t)
	})
	if len(m.ConsumptionTable) < 2 {
		config.bad("consumption_table", "must have at least 2 entries")
	}
	slices.SortFunc(m.ConsumptionTable, func(a, b Threshold) int { return a.Threshold.Cmp(b.Threshold) })
	return m
}

func (m ThresholdTotalAmount) Needs() Needs   { return Needs{} }
func (m ThresholdTotalAmount) linear() bool   { return false }
func (m ThresholdTotalAmount) prorated() bool { return m.Prorate }

func (m ThresholdTotalAmount) charge(u Usage) Charge {
	for _, t := range slices.Backward(m.ConsumptionTable) {
		if u.Quantity.Cmp(t.Threshold) > 0 {
			return flat("total above "+t.Threshold.String(), one, t.TotalAmount)
		}
	}
	return Charge{}
}
