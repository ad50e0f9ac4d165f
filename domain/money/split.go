package money

import (
	"math/big"
	"slices"
	"strconv"
)

// Split divides total in proportion to weights into shares of at most that many
// places, which sum to total exactly. Every share is first cut towards zero; the
// units left over go one each to the shares that lost most, ties to the earlier
// (price models 1.5.5). A weight at or below 0 takes no share; when all are, the
// shares are even. Should total itself be finer than places allows, the rest
// below one unit goes to the share that comes first in that order.
func Split(total Decimal, weights []Decimal, places int) []Decimal {
	if len(weights) == 0 {
		return nil
	}
	parts, sum := portions(weights)
	unit := new(big.Rat).SetFrac(big.NewInt(1), pow10(places))
	whole := new(big.Rat).Quo(total.Abs().rat(), unit) // total, counted in units

	shares := make([]*big.Int, len(parts))
	lost := make([]*big.Rat, len(parts))
	left := new(big.Int).Quo(whole.Num(), whole.Denom())
	for i, part := range parts {
		fair := new(big.Rat).Mul(whole, part)
		fair.Quo(fair, sum)
		shares[i] = new(big.Int).Quo(fair.Num(), fair.Denom())
		lost[i] = fair.Sub(fair, new(big.Rat).SetInt(shares[i]))
		left.Sub(left, shares[i])
	}

	order := byLoss(lost)
	one := big.NewInt(1)
	for _, i := range order[:left.Int64()] {
		shares[i].Add(shares[i], one)
	}

	out := make([]Decimal, len(shares))
	var given Decimal
	for i, share := range shares {
		out[i] = fromUnits(share, places, total.Sign())
		given = given.Add(out[i])
	}
	out[order[0]] = out[order[0]].Add(total.Sub(given))
	return out
}

// portions returns the weights as fractions not below 0, and their sum, which is not 0.
func portions(weights []Decimal) (parts []*big.Rat, sum *big.Rat) {
	parts = make([]*big.Rat, len(weights))
	sum = new(big.Rat)
	for i, w := range weights {
		parts[i] = Max(w, Decimal{}).rat()
		sum.Add(sum, parts[i])
	}
	if sum.Sign() == 0 {
		for _, part := range parts {
			part.SetInt64(1)
		}
		sum.SetInt64(int64(len(parts)))
	}
	return parts, sum
}

// byLoss returns the indices of lost, the largest first, equals in their order.
func byLoss(lost []*big.Rat) []int {
	order := make([]int, len(lost))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return lost[j].Cmp(lost[i]) })
	return order
}

func pow10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

// fromUnits returns n units of 10^-places with that sign.
func fromUnits(n *big.Int, places, sign int) Decimal {
	d := read(n.String() + "e-" + strconv.Itoa(places))
	if sign < 0 {
		return d.Neg()
	}
	return d
}

// RoundAll rounds amounts to that many places so that they sum to total, which
// is their sum rounded to as many. Every amount is first cut towards zero; the
// units then missing go one each to the amounts that lost most, ties to the
// earlier (price models 1.5.5).
func RoundAll(amounts []Decimal, total Decimal, places int) []Decimal {
	out := make([]Decimal, len(amounts))
	lost := make([]*big.Rat, len(amounts))
	missing := total
	for i, amount := range amounts {
		out[i] = amount.Trunc(places)
		missing = missing.Sub(out[i])
		lost[i] = amount.Sub(out[i]).rat()
	}
	unit := fromUnits(big.NewInt(1), places, missing.Sign())
	if missing.Sign() < 0 {
		for _, l := range lost {
			l.Neg(l)
		}
	}
	for _, i := range byLoss(lost) {
		if missing.IsZero() {
			break
		}
		out[i] = out[i].Add(unit)
		missing = missing.Sub(unit)
	}
	return out
}
