package catalog

import (
	"tollkeeper/domain/fault"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// Customize applies a difference to a version of a plan for one subscription, which
// exists, and returns what that has: first the version's prices, with replacements
// in their places, then the added ones in their order. Without a difference it
// makes nothing.
func Customize(tx *store.Tx, plan Plan, version PlanVersion, subscriptionID string, in Difference) (PlanVersion, error) {
	d, err := in.draft(tx, plan, version, &subscriptionID)
	if err != nil {
		return PlanVersion{}, err
	}
	version.Prices, version.Adjustments = d.prices, d.adjustments
	return version, d.save()
}

// Copy returns the same price under a new id, without a row. It may be changed and
// then given to Customize, which checks it.
func (p Price) Copy(tx *store.Tx) Price {
	p.Record = tx.Record("price")
	return p
}

// check tells whether a price that was changed is still one.
func (p Price) check() error {
	_, err := rating.Decode(p.ModelType, p.Config)
	err = fault.In(p.ModelType+"_config", err)
	if p.Quantity != nil && p.Quantity.Sign() < 0 {
		err = fault.Join(fault.Bad("fixed_price_quantity", "must not be negative"), err)
	}
	return err
}
