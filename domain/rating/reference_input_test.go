package rating_test

import (
	"encoding/json"
	"math/big"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/reference"
)

// This file writes usage, lines and adjustments as the reference model takes them.

// plainUsage is usage as the reference model takes it.
func plainUsage(m rating.Model, u rating.Usage) reference.Usage {
	plain := reference.Usage{
		Quantity: rat(u.Quantity.String()), Matching: rat(u.Filtered.String()),
		Components: rat(u.Components.String()), Share: rateOf(u.Fraction), Fixed: u.Fixed,
	}
	for _, c := range u.Cells {
		g := reference.Group{Values: map[string]string{}, Quantity: rat(c.Quantity.String())}
		if c.Exact != nil {
			plain.Quotients, g.Quantity = true, rat(c.Exact.String())
		}
		for k, name := range m.Needs().Split {
			if v := c.Values[k]; v != nil {
				g.Values[name] = *v
			}
		}
		plain.Groups = append(plain.Groups, g)
	}
	return plain
}

func plainLines(lines []rating.Line, s *sample) []reference.Line {
	var plain []reference.Line
	for _, l := range lines {
		p := reference.Line{
			Price:    reference.Price{ID: l.Price.PriceID, ItemID: l.Price.ItemID, Currency: l.Price.Currency, Type: "usage", InAdvance: l.Price.InAdvance},
			Subtotal: rat(l.Subtotal.String()), Places: 2,
		}
		if l.Price.Fixed {
			p.Price.Type = "fixed"
		}
		if l.Model != nil {
			p.ModelType = s.modelType
			p.Config, p.Usage = json.RawMessage(s.config), plainUsage(l.Model, l.Usage)
		}
		plain = append(plain, p)
	}
	return plain
}

func plainAdjustments(adjustments []rating.Adjustment) []reference.Adjustment {
	var plain []reference.Adjustment
	for _, a := range adjustments {
		p := reference.Adjustment{Kind: string(a.Kind), Value: rat(a.Value.String()), Invoice: a.InvoiceLevel}
		for _, f := range a.Filters {
			p.Filters = append(p.Filters, reference.Filter{Field: string(f.Field), Operator: string(f.Operator), Values: f.Values})
		}
		for _, t := range a.Tiers {
			tier := reference.PercentTier{From: rat(t.LowerBound.String()), Percentage: rat(t.Percentage.String())}
			if t.UpperBound != nil {
				tier.To = rat(t.UpperBound.String())
			}
			p.Tiers = append(p.Tiers, tier)
		}
		plain = append(plain, p)
	}
	return plain
}

func plainBilled(row string, subtotal money.Decimal, applied []rating.Applied) reference.Billed {
	b := reference.Billed{Row: row, Subtotal: rat(subtotal.String())}
	for _, a := range applied {
		b.Effects = append(b.Effects, reference.Effect{ID: a.AdjustmentID, Kind: string(a.Kind), Amount: rat(a.Amount.String())})
	}
	return b
}

// rateOf is the fraction of a period that was served.
func rateOf(f period.Fraction) *big.Rat {
	if f == (period.Fraction{}) {
		return big.NewRat(1, 1)
	}
	return big.NewRat(int64(f.Part), int64(f.Whole))
}

// divided is usage by a metric that divides by 60.
func divided(u rating.Usage) rating.Usage {
	exact := func(q money.Decimal) money.Decimal { return q.Quo(money.FromInt(60)).Round(40) }
	u.Quantity = exact(u.Quantity).Round(rating.QuotientPlaces)
	u.Filtered = exact(u.Filtered).Round(rating.QuotientPlaces)
	u.Cells = slices.Clone(u.Cells)
	for k, c := range u.Cells {
		u.Cells[k] = rating.Quotient(c.Values, exact(c.Quantity))
	}
	return u
}

func rat(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic("not a number: " + text)
	}
	return r
}

func product(a, b *big.Rat) *big.Rat { return new(big.Rat).Mul(a, b) }

func difference(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

// sum is that of two numbers, of which a may be nil.
func sum(a, b *big.Rat) *big.Rat {
	if a == nil {
		return b
	}
	return new(big.Rat).Add(a, b)
}

// fromHalfACent is how far an amount is from the nearest half cent.
func fromHalfACent(amount *big.Rat) *big.Rat {
	halves := product(amount, big.NewRat(200, 1))
	whole := new(big.Rat).SetInt(new(big.Int).Quo(halves.Num(), halves.Denom()))
	off := difference(halves, whole)
	off.Abs(off)
	if other := difference(big.NewRat(1, 1), off); other.Cmp(off) < 0 {
		off = other
	}
	return product(off, big.NewRat(1, 200))
}
