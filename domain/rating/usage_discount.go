package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// Shares of cells may not end. They are cut this far below the 20th digit, and what
// the cut leaves of a price is dropped long before it could reach a cent.
const (
	sharePlaces = 60
	pricePlaces = 40
)

// rateLess charges u for so many units fewer.
func rateLess(m Model, u Usage, units money.Decimal) Charge {
	c := Rate(m, u.less(units))
	c.Subtotal = c.Subtotal.Round(pricePlaces)
	return c
}

// less is u with so many units fewer, but no quantity below 0. Cells lose them in
// proportion to what they have (price models 6.2). What was below 0 before stays.
func (u Usage) less(units money.Decimal) Usage {
	u.Quantity = fewer(u.Quantity, units)
	u.Filtered = fewer(u.Filtered, units)
	u.Spans = slices.Clone(u.Spans)
	for k, span := range u.Spans {
		u.Spans[k].Quantity = fewer(span.Quantity, units)
	}
	if u.Cells == nil {
		return u
	}
	used, weights := make([]Cell, len(u.Cells)), make([]money.Decimal, len(u.Cells))
	for i, cell := range u.Cells {
		used[i] = cell.with(money.Max(cell.exact(), money.Decimal{}))
		weights[i] = used[i].exact()
	}
	u.Cells = slices.Clone(u.Cells)
	for i, rest := range money.Split(fewer(TotalOf(used), units), weights, sharePlaces) {
		if weights[i].Sign() > 0 {
			u.Cells[i] = u.Cells[i].with(rest)
		}
	}
	return u
}

// fewer takes units off a quantity, as far as there are any.
func fewer(quantity, units money.Decimal) money.Decimal {
	if quantity.Sign() <= 0 {
		return quantity
	}
	return above(quantity, units)
}
