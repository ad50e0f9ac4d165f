package rating

import "tollkeeper/domain/money"

// ScalableMatrixWithTieredPricing graduates the sum of all scaled units over one run
// of tiers: each cell's quantity counts times its factor, and it carries what the
// sum costs in proportion to its scaled units (price models 4.27).
type ScalableMatrixWithTieredPricing struct {
	Factors Table
	Tiers   []BoundTier
}

func readScalableMatrixWithTieredPricing(config *object) Model {
	return ScalableMatrixWithTieredPricing{
		Factors: config.factorTable(),
		Tiers:   config.boundTiers("tiers", "unit_amount"),
	}
}

func (m ScalableMatrixWithTieredPricing) Needs() Needs   { return Needs{Split: m.Factors.Dimensions} }
func (m ScalableMatrixWithTieredPricing) linear() bool   { return false }
func (m ScalableMatrixWithTieredPricing) prorated() bool { return false }

func (m ScalableMatrixWithTieredPricing) charge(u Usage) Charge {
	amounts := splitter{whole: weighed(u.Cells, func(cell Cell) money.Decimal {
		return m.Factors.of(cell.Values).amount.Decimal
	})}
	for _, tier := range graduate(m.Tiers, rounded(amounts.whole, u.Cells), one) {
		amounts.part = amounts.part.Add(tier.Amount)
	}
	return m.Factors.eachCell(u.Cells, func(cell Cell, factor Amount) Part {
		scaled := cell.Quantity.Mul(factor.Decimal)
		return Part{Scaled: &scaled, Amount: amounts.next(cell.exact().Mul(factor.Decimal))}
	})
}
