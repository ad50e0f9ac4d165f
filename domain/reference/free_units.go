package reference

import (
	"math/big"
)

// unitsFree is how many units a usage discount takes off a line: those that are left of it.
func (d document) unitsFree(a Adjustment, k int) *big.Rat {
	if a.Replaced == nil {
		return a.Value
	}
	ids := append([]string{a.ID}, append(a.Also, a.Instead...)...)
	gone := new(big.Rat)
	lines, earlier := a.Replaced(k)
	for _, n := range lines {
		for _, id := range ids {
			if off := d.free[n][id]; off != nil {
				gone = plus(gone, off)
			}
		}
	}
	for _, e := range earlier {
		gone = plus(gone, d.earlier[e].freed(ids))
	}
	return positive(minus(a.Value, gone))
}

// freed is how many units some usage discounts took off: each begins where the one before it ended.
func (b Billed) freed(ids []string) *big.Rat {
	sum, before := new(big.Rat), b.Quantity
	for _, e := range b.Effects {
		if e.Left == nil || before == nil {
			continue
		}
		for _, id := range ids {
			if id == e.ID {
				sum = plus(sum, positive(minus(before, e.Left)))
			}
		}
		before = least(before, e.Left)
	}
	return sum
}

// used is how much of a line is used.
func (l Line) used() *big.Rat {
	switch {
	case l.Quantity != nil:
		return l.Quantity
	case l.Usage.Quantity != nil:
		return l.Usage.Quantity
	}
	return new(big.Rat)
}

// less is the price of a line without the units that are free.
func (d document) less(k int) (*big.Rat, error) {
	l := d.lines[k]
	if d.units[k].Sign() == 0 {
		return l.Subtotal, nil
	}
	left, err := Rate(l.ModelType, l.Config, l.Usage.Less(d.units[k]))
	if err != nil {
		return nil, err
	}
	return Round(left, l.Places), nil
}

// Less is the usage less some units. No quantity falls below 0, and one below 0 stays.
// Groups lose them in proportion to what they have, spans lose all of them on each day
// (price models 6.2).
func (u Usage) Less(units *big.Rat) Usage {
	fewer := func(q *big.Rat) *big.Rat {
		if q == nil || q.Sign() <= 0 {
			return q
		}
		return positive(minus(q, units))
	}
	u.Quantity, u.Matching = fewer(u.Quantity), fewer(u.Matching)
	spans := append(u.Spans[:0:0], u.Spans...)
	for k, span := range spans {
		spans[k].Quantity = fewer(span.Quantity)
	}
	u.Spans = spans
	above := new(big.Rat)
	for _, g := range u.Groups {
		above = plus(above, positive(g.Quantity))
	}
	left := fewer(u.Rounded(above))
	groups := append(u.Groups[:0:0], u.Groups...)
	for k, g := range groups {
		if g.Quantity.Sign() > 0 {
			groups[k].Quantity = times(g.Quantity, over(left, above))
		}
	}
	u.Groups = groups
	return u
}
