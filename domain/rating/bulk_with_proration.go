package rating

import "tollkeeper/domain/money"

// BulkWithProration charges the whole quantity at the rate of the tier it reaches,
// in part for a shorter period (price models 4.19).
type BulkWithProration struct{ Tiers []BoundTier }

func readBulkWithProration(config *object) Model {
	return BulkWithProration{config.boundTiersOrNull("tiers", "unit_amount")}
}

func (m BulkWithProration) Needs() Needs   { return Needs{} }
func (m BulkWithProration) linear() bool   { return false }
func (m BulkWithProration) prorated() bool { return true }

func (m BulkWithProration) charge(u Usage) Charge { return chargeBulk(m.Tiers, u.Quantity, u.Quantity) }

// chargeBulk charges a quantity at the rate of the tier that reached is in.
func chargeBulk(tiers []BoundTier, reached, quantity money.Decimal) Charge {
	tier := bulkTier(tiers, reached)
	return flat("all units, from "+tier.LowerBound.String(), quantity, tier.Rate)
}
