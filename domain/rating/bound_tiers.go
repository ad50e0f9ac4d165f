package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// BoundTier reaches from its LowerBound to that of the next tier, the last one
// without end. A quantity that ends exactly on a bound is still in the tier below
// it, but for models that charge all of it at one rate (price models 1.3).
type BoundTier struct {
	LowerBound money.Decimal // 0 for the first
	Rate       Amount        // for a unit or a package
	Minimum    Amount        // owed for a quantity in this tier, of models with such a minimum

	part Part // of a charge in this tier, but for quantity and amount
}

// boundTiers reads two or more tiers, in any order, whose rate is under rateKey.
func (o *object) boundTiers(key, rateKey string) []BoundTier {
	return o.readBoundTiers(key, 2, func(tier *object) BoundTier { return tier.boundTier(rateKey) })
}

// packageTiers reads them where they begin with a package of that size.
func (o *object) packageTiers(key, rateKey string, size money.Decimal) []BoundTier {
	return o.readBoundTiers(key, 2, func(tier *object) BoundTier { return tier.packageTier(rateKey, size) })
}

// boundTiersOrNull reads them where a missing lower bound stands for 0.
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

// placedTier is a tier beside the object it was read from.
type placedTier struct {
	BoundTier
	at *object
}

// readBoundTiers reads at least so many tiers and returns them in ascending order.
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
		case !sound: // bounds that could not be read are not worth comparing
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

// graduate charges each slice of q at the rate of its own tier, with a part for each
// tier that has quantity. A rate is for so many units as unit says, 1 or the size of
// a package; q and the bounds are multiples of it.
func graduate(tiers []BoundTier, q money.Decimal, unit money.Decimal) []Part {
	return slices.DeleteFunc(graduateAll(tiers, q, unit), func(p Part) bool { return p.Quantity.IsZero() })
}

// graduateAll is graduate with a part for each tier there is.
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

// tierOf is the tier that q is in: the highest whose lower bound it exceeds, and the
// first without usage.
func tierOf(tiers []BoundTier, q money.Decimal) BoundTier {
	in := tiers[0]
	for _, t := range tiers {
		if q.Cmp(t.LowerBound) > 0 {
			in = t
		}
	}
	return in
}

// bulkTier is the highest tier whose lower bound q has reached.
func bulkTier(tiers []BoundTier, q money.Decimal) BoundTier {
	reached := tiers[0]
	for _, t := range tiers {
		if q.Cmp(t.LowerBound) >= 0 {
			reached = t
		}
	}
	return reached
}
