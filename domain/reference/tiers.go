package reference

import (
	"math/big"
	"sort"
)

// tier is a step of a price: from a quantity on, a rate.
type tier struct {
	from    *big.Rat // lower bound
	rate    *big.Rat // per unit, or per package
	minimum *big.Rat // of the amount; nil in models without one
}

// boundTier is a row of most configurations with tiers.
type boundTier struct {
	TierLowerBound *decimal `json:"tier_lower_bound"` // null is 0
	UnitAmount     decimal  `json:"unit_amount"`
}

// packageTier is a row whose price is that of a package.
type packageTier struct {
	TierLowerBound *decimal `json:"tier_lower_bound"`
	PerUnit        decimal  `json:"per_unit"`
}

func boundTiers(rows []boundTier) []tier {
	var all []tier
	for _, r := range rows {
		all = append(all, tier{from: r.TierLowerBound.or0(), rate: r.UnitAmount.Rat})
	}
	return ascending(all)
}

func packageTiers(rows []packageTier) []tier {
	var all []tier
	for _, r := range rows {
		all = append(all, tier{from: r.TierLowerBound.or0(), rate: r.PerUnit.Rat})
	}
	return ascending(all)
}

// ascending sorts by the lower bound: the order of input does not matter (price models 1.3).
func ascending(all []tier) []tier {
	sort.SliceStable(all, func(i, j int) bool { return all[i].from.Cmp(all[j].from) < 0 })
	return all
}

// graduated charges each part of a quantity at the rate of its tier (price models 1.3).
// units is what a rate is for: 1, or the size of a package.
func graduated(q *big.Rat, tiers []tier, units *big.Rat) *big.Rat {
	total := new(big.Rat)
	for _, part := range slices(q, tiers) {
		total = plus(total, over(times(part.quantity, part.tier.rate), units))
	}
	return total
}

// slice is the part of a quantity that lies in a tier.
type slice struct {
	tier     tier
	quantity *big.Rat
}

// slices cuts a quantity at the bounds of the tiers, one slice for each tier, some of 0.
func slices(q *big.Rat, tiers []tier) []slice {
	var all []slice
	for k, t := range tiers {
		end := q
		if k+1 < len(tiers) {
			end = least(q, tiers[k+1].from)
		}
		all = append(all, slice{t, positive(minus(end, t.from))})
	}
	return all
}

// reachedExclusive is the tier that a quantity is in when bounds are exclusive: a quantity
// equal to the bound is still in the tier below. The first tier holds 0.
func reachedExclusive(q *big.Rat, tiers []tier) tier {
	in := tiers[0]
	for _, t := range tiers {
		if q.Cmp(t.from) > 0 {
			in = t
		}
	}
	return in
}

// reachedInclusive is the tier that a quantity is in when bounds are inclusive, as those of
// the bulk models are.
func reachedInclusive(q *big.Rat, tiers []tier) tier {
	in := tiers[0]
	for _, t := range tiers {
		if q.Cmp(t.from) >= 0 {
			in = t
		}
	}
	return in
}

var one = big.NewRat(1, 1)
