package catalog

import (
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Customize applies a difference to a version of a plan for one subscription, which
// exists, and returns what that has: first the version's prices, with replacements
// in their places, then the added ones in their order. Without a difference it
// makes nothing.
func Customize(tx *store.Tx, plan Plan, version PlanVersion, subscriptionID string, in Difference) (PlanVersion, error) {
	d, err := in.builder(tx, plan, version, &subscriptionID)
	if err != nil {
		return PlanVersion{}, err
	}
	version.Prices, version.Adjustments = d.prices, d.adjustments
	return version, d.save()
}

// Extend makes prices and adjustments for one subscription beside the prices that it
// has, which adjustments may name. Both are returned in the order of the request.
// Whether the prices may be in force together is not judged: see Together.
func Extend(tx *store.Tx, plan Plan, has []Price, subscriptionID string, in Difference) ([]Price, []Adjustment, error) {
	d, err := newVersionBuilder(tx, plan, PlanVersion{Prices: has}, in.AddPrices...)
	if err != nil {
		return nil, nil, err
	}
	d.subscriptionID, d.prices = &subscriptionID, nil
	each(d, "add_prices", in.AddPrices, d.addPrice)
	each(d, "add_adjustments", in.AddAdjustments, d.addAdjustment)
	if err := fault.Join(d.faults...); err != nil {
		return nil, nil, err
	}
	if err := needItems(tx, d.madeAdjustments); err != nil {
		return nil, nil, err
	}
	return d.prices, d.adjustments, d.save()
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
	switch {
	case p.Allocation != nil:
		err = fault.Join(checkGranted("fixed_price_quantity", *p.Quantity, p.Allocation.Currency), err)
	case p.Quantity != nil && p.Quantity.Sign() < 0:
		err = fault.Join(fault.Bad("fixed_price_quantity", "must not be negative"), err)
	}
	return err
}
