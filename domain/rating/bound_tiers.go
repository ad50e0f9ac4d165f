package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// BoundTier reaches from its LowerBound to the LowerBound of the next tier. The last tier has no
// end. A quantity equal to a bound is in the tier below the bound, except in models that charge
// the whole quantity at one rate (price models 1.3).
type BoundTier struct {
	LowerBound money.Decimal // 0 for the first
	Rate       Amount        // for a unit or a package
	Minimum    Amount        // the least charge for a quantity in this tier; only some models have it

	part Part // the part of a charge for this tier, without quantity and amount
}

// boundTiers reads two or more tiers, in any order, whose rate is under rateKey.
func (o *object) boundTiers(key, rateKey string) []BoundTier {
	return o.readBoundTiers(key, 2, func(tier *object) BoundTier { return tier.boundTier(rateKey) })
}

// packageTiers is boundTiers with lower bounds that must be multiples of the package size.
func (o *object) packageTiers(key, rateKey string, size money.Decimal) []BoundTier {
	return o.readBoundTiers(key, 2, func(tier *object) BoundTier { return tier.packageTier(rateKey, size) })
}

// boundTiersOrNull is boundTiers with optional lower bounds; a missing one is 0.
func (o *object) boundTiersOrNull(key, rateKey string) []BoundTier {
	return o.readBoundTiers(key, 2, func(tier *object) BoundTier {
		t := BoundTier{Rate: tier.amount(rateKey)}
		if bound := tier.amountOrNull("tier_lower_bound"); bound != nil {
			t.LowerBound = bound.Decimal
		}
		return t
	})
}

func (o *object) boundTier(rateKey string) BoundTier {
	return BoundTier{LowerBound: o.amount("tier_lower_bound").Decimal, Rate: o.amount(rateKey)}
}

func (o *object) packageTier(rateKey string, size money.Decimal) BoundTier {
	t := o.boundTier(rateKey)
	if size.Sign() > 0 && t.LowerBound.Quo(size).Places() > 0 {
		o.bad("tier_lower_bound", "must be a multiple of package_size")
	}
	return t
}

// placedTier is a tier with the object from which it was read.
type placedTier struct {
	BoundTier
	at *object
}

// readBoundTiers reads tiers and returns them in ascending order. It reports fewer than least.
func (o *object) readBoundTiers(key string, least int, read func(*object) BoundTier) []BoundTier {
	var list []placedTier
	o.objects(key, func(tier *object) { list = append(list, placedTier{read(tier), tier}) })
	if len(list) < least {
		o.bad(key, "must have at least %d entries", least)
	}
	return ascending(list, o.sound())
}

// ascending sorts tiers and checks their bounds, if all of them could be read.
func ascending(list []placedTier, sound bool) (tiers []BoundTier) {
	slices.SortStableFunc(list, func(a, b placedTier) int { return a.LowerBound.Cmp(b.LowerBound) })
	for i, t := range list {
		switch {
		case !sound: // some bounds could not be read
		case i == 0 && t.LowerBound.Sign() != 0:
			t.at.bad("tier_lower_bound", "must be 0 in the lowest tier")
		case i > 0 && t.LowerBound.Equal(list[i-1].LowerBound):
			t.at.bad("tier_lower_bound", "must differ from those of the other tiers")
		}
		var end *money.Decimal
		if i+1 < len(list) {
			end = &list[i+1].LowerBound
		}
		t.part = tierPart(t.LowerBound, end, t.Rate)
		tiers = append(tiers, t.BoundTier)
	}
	return tiers
}

// graduate charges each slice of q at the rate of its own tier. It returns a part for each tier
// with a quantity. A rate is the price of unit units: 1, or the size of a package. Then q and
// the bounds are multiples of that size.
func graduate(tiers []BoundTier, q money.Decimal, unit money.Decimal) []Part {
	return slices.DeleteFunc(graduateAll(tiers, q, unit), func(p Part) bool { return p.Quantity.IsZero() })
}

// graduateAll is graduate with a part for every tier.
func graduateAll(tiers []BoundTier, q money.Decimal, unit money.Decimal) []Part {
	parts := make([]Part, len(tiers))
	for i, t := range tiers {
		to := q
		if end := t.part.Tier.LastUnit; end != nil {
			to = money.Min(q, *end)
		}
		parts[i] = t.part
		parts[i].Quantity = above(to, t.LowerBound)
		parts[i].Amount = parts[i].Quantity.Quo(unit).Mul(t.Rate.Decimal)
	}
	return parts
}

// tierOf returns the tier that contains q: the highest tier whose lower bound is below q, or the
// first tier if q is 0 or less.
func tierOf(tiers []BoundTier, q money.Decimal) BoundTier {
	in := tiers[0]
	for _, t := range tiers {
		if q.Cmp(t.LowerBound) > 0 {
			in = t
		}
	}
	return in
}

// bulkTier returns the highest tier whose lower bound is at most q.
func bulkTier(tiers []BoundTier, q money.Decimal) BoundTier {
	reached := tiers[0]
	for _, t := range tiers {
		if q.Cmp(t.LowerBound) >= 0 {
			reached = t
		}
	}
	return reached
}
