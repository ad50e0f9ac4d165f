package subscription

import (
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Customization is how a subscription differs from its plan (semantics 6.1.5).
type Customization struct {
	AddPrices          []AddedPrice
	RemovePrices       []PriceName
	ReplacePrices      []ReplacedPrice
	AddAdjustments     []AddedAdjustment
	RemoveAdjustments  []string // ids
	ReplaceAdjustments []catalog.PlanAdjustment
}

// PriceName names a price by one of two.
type PriceName struct{ ID, ExternalID *string }

// AddedPrice is a price beside those of the plan: a new one, or one that is named.
type AddedPrice struct {
	catalog.PlanPrice
	PriceName
	Dates
}

// ReplacedPrice takes the place of a price of the plan, and its phase: a new price,
// one that is named, or the same fixed fee with another quantity.
type ReplacedPrice struct {
	catalog.PlanPrice
	PriceName
	Quantity *money.Decimal
}

// AddedAdjustment is an adjustment beside those of the plan.
type AddedAdjustment struct {
	catalog.PlanAdjustment
	Dates
}

// Dates bound what is added, as dates or date-times in the customer's zone. Without
// them it begins and ends with its phase, else with the subscription.
type Dates struct{ Start, End *string }

// difference is what the customization changes about a version of the plan.
func (c Customization) difference(tx *store.Tx, version catalog.PlanVersion) (catalog.Difference, error) {
	var d catalog.Difference
	var faults []error
	for k, add := range c.AddPrices {
		entry, err := add.entry(tx)
		d.AddPrices = append(d.AddPrices, entry)
		faults = append(faults, fault.In(fmt.Sprintf("add_prices[%d]", k), err))
	}
	for k, name := range c.RemovePrices {
		id, err := name.among(version.Prices)
		d.RemovePrices = append(d.RemovePrices, catalog.Removal{ID: id})
		faults = append(faults, fault.In(fmt.Sprintf("remove_prices[%d]", k), err))
	}
	for k, replace := range c.ReplacePrices {
		entry, err := replace.entry(tx, version.Prices)
		d.ReplacePrices = append(d.ReplacePrices, entry)
		faults = append(faults, fault.In(fmt.Sprintf("replace_prices[%d]", k), err))
	}
	for _, add := range c.AddAdjustments {
		d.AddAdjustments = append(d.AddAdjustments, add.PlanAdjustment)
	}
	for _, id := range c.RemoveAdjustments {
		d.RemoveAdjustments = append(d.RemoveAdjustments, catalog.Removal{ID: id})
	}
	d.ReplaceAdjustments = c.ReplaceAdjustments
	return d, fault.Join(faults...)
}

func (a AddedPrice) entry(tx *store.Tx) (entry catalog.PlanPrice, err error) {
	entry = a.PlanPrice
	if a.given() {
		entry.Given, err = a.find(tx)
	}
	return entry, err
}

func (r ReplacedPrice) entry(tx *store.Tx, plan []catalog.Price) (entry catalog.PlanPrice, err error) {
	entry = r.PlanPrice
	switch {
	case r.given():
		entry.Given, err = r.find(tx)
	case r.Quantity != nil:
		entry.Given, err = requantified(tx, plan, r.ReplacesPriceID, r.Quantity)
	}
	return entry, err
}

// requantified is the fixed fee with that id, in another quantity. An unknown id is
// refused where the difference is applied.
func requantified(tx *store.Tx, plan []catalog.Price, id string, quantity *money.Decimal) (*catalog.Price, error) {
	for _, price := range plan {
		if price.ID != id {
			continue
		}
		if !price.Fixed() {
			return nil, fault.Bad("fixed_price_quantity", "is of fixed fees only")
		}
		again := price.Copy(tx)
		again.Quantity = quantity
		return &again, nil
	}
	return &catalog.Price{}, nil
}

func (n PriceName) given() bool { return n.ID != nil || n.ExternalID != nil }

func (n PriceName) find(tx *store.Tx) (*catalog.Price, error) {
	if n.ID != nil {
		price, err := catalog.FindPrice(tx, *n.ID)
		return &price, err
	}
	price, err := catalog.FindPriceByExternalID(tx, *n.ExternalID)
	return &price, err
}

// among returns the id of the price that is named, which is one of these.
func (n PriceName) among(prices []catalog.Price) (string, error) {
	if (n.ID == nil) == (n.ExternalID == nil) {
		return "", fault.Bad("price_id, external_price_id", "exactly one must be specified")
	}
	if n.ID != nil {
		return *n.ID, nil
	}
	for _, price := range prices {
		if price.ExternalPriceID != nil && *price.ExternalPriceID == *n.ExternalID {
			return price.ID, nil
		}
	}
	return "", fault.Bad("external_price_id", "must be the alias of a price of the plan")
}
