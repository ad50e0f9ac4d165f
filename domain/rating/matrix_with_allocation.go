package rating

// MatrixWithAllocation is a matrix of which so many units are free. They are spread
// over the cells in proportion to usage (price models 4.14).
type MatrixWithAllocation struct {
	Rates      Table
	Allocation Amount // units
}

func readMatrixWithAllocation(config *object) Model {
	return MatrixWithAllocation{
		Rates:      config.rateTable(),
		Allocation: config.amount("allocation"),
	}
}

func (m MatrixWithAllocation) Needs() Needs   { return Needs{Split: m.Rates.Dimensions} }
func (m MatrixWithAllocation) linear() bool   { return false }
func (m MatrixWithAllocation) prorated() bool { return false }

func (m MatrixWithAllocation) charge(u Usage) Charge {
	used := TotalOf(u.Cells)
	over := above(used, m.Allocation.Decimal)
	units, amounts := splitter{part: over, whole: weighed(u.Cells, nil)}, splitter{part: over, whole: used}
	return m.Rates.eachCell(u.Cells, func(cell Cell, rate Amount) Part {
		billed := units.next(cell.exact())
		return Part{Rate: rate.Text, Scaled: &billed, Amount: amounts.next(cell.Quantity.Mul(rate.Decimal))}
	})
}
