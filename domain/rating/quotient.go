package rating

import "tollkeeper/domain/money"

// QuotientPlaces is how many digits after the point the result of a metric that divides has.
// It is rounded to them once, half away from zero, before it is compared or rated
// (semantics 4.2.4).
const QuotientPlaces = 20

// Quotient is the cell of a metric that divides.
func Quotient(values []*string, exact money.Decimal) Cell {
	return Cell{Values: values, Quantity: exact.Round(QuotientPlaces), Exact: &exact}
}

// exact is the quantity as it counts in sums.
func (c Cell) exact() money.Decimal {
	if c.Exact != nil {
		return *c.Exact
	}
	return c.Quantity
}

// with is the cell with another quantity in place of its exact one.
func (c Cell) with(exact money.Decimal) Cell {
	if c.Exact != nil {
		return Quotient(c.Values, exact)
	}
	c.Quantity = exact
	return c
}

// TotalOf is the quantity of all cells: the sum of their exact ones, rounded once where they
// are quotients.
func TotalOf(cells []Cell) money.Decimal { return rounded(weighed(cells, nil), cells) }

// weighed is the exact sum of cells that count several times or in part; a nil weight counts
// each once.
func weighed(cells []Cell, weight func(Cell) money.Decimal) (sum money.Decimal) {
	for _, cell := range cells {
		quantity := cell.exact()
		if weight != nil {
			quantity = quantity.Mul(weight(cell))
		}
		sum = sum.Add(quantity)
	}
	return sum
}

// rounded is a sum of the cells as it is rated.
func rounded(sum money.Decimal, cells []Cell) money.Decimal {
	if len(cells) > 0 && cells[0].Exact != nil { // all are of one metric
		return sum.Round(QuotientPlaces)
	}
	return sum
}
