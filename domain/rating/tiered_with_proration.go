package rating

// TieredWithProration charges each unit at the rate of its own tier, in part for a
// shorter period (price models 4.16).
type TieredWithProration struct{ Tiers []BoundTier }

func readTieredWithProration(config *object) Model {
	return TieredWithProration{config.readBoundTiers("tiers", 1, func(tier *object) BoundTier {
		return tier.boundTier("unit_amount")
	})}
}

func (m TieredWithProration) Needs() Needs   { return Needs{} }
func (m TieredWithProration) linear() bool   { return false }
func (m TieredWithProration) prorated() bool { return true }

func (m TieredWithProration) charge(u Usage) Charge { return sum(graduate(m.Tiers, u.Quantity, one)) }
