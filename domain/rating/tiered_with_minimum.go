package rating

// TieredWithMinimum charges each unit at the rate of its own tier, and at least the
// minimum of the one tier that the quantity is in: of the first without usage
// (price models 4.9).
type TieredWithMinimum struct {
	Tiers []BoundTier // each with its Minimum

	// HideZeroAmountTiers leaves tiers out that charge nothing, with their minimums.
	HideZeroAmountTiers bool

	Prorate bool // the rates, not the minimums
}

func readTieredWithMinimum(config *object) Model {
	return TieredWithMinimum{
		HideZeroAmountTiers: config.flag("hide_zero_amount_tiers"),
		Prorate:             config.flag("prorate"),
		Tiers: config.readBoundTiers("tiers", 2, func(tier *object) BoundTier {
			t := tier.boundTier("unit_amount")
			t.Minimum = tier.amount("minimum_amount")
			return t
		}),
	}
}

func (m TieredWithMinimum) Needs() Needs   { return Needs{} }
func (m TieredWithMinimum) linear() bool   { return false }
func (m TieredWithMinimum) prorated() bool { return false } // within the formula

func (m TieredWithMinimum) charge(u Usage) Charge {
	var c Charge
	tier := tierOf(m.Tiers, u.Quantity)
	if m.HideZeroAmountTiers {
		tier = BoundTier{} // unless one charges something
	}
	for i, p := range graduateAll(m.Tiers, u.Quantity, one) {
		if m.HideZeroAmountTiers {
			if p.Amount.IsZero() {
				continue
			}
			tier = m.Tiers[i]
		}
		c.add(p)
	}
	if m.Prorate {
		c.prorate(u.Fraction)
	}
	c.raise(tier.Minimum.Decimal)
	return c
}
