package subscription

import (
	"fmt"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
	"tollkeeper/store/fault"
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
	Own []LegacyAdjustment
}

// AddedAdjustment is an adjustment beside those of the plan.
type AddedAdjustment struct {
	catalog.PlanAdjustment
	Dates
}

// Dates bound what is added, as dates or date-times in the customer's zone. Without
// them it begins and ends with its phase, else with the subscription.
type Dates struct{ Start, End *string }

// resolve finds the prices that are named, in a version of the plan or beside it.
func (c Customization) resolve(tx *store.Tx, version catalog.PlanVersion) (Customization, error) {
	c.AddPrices, c.RemovePrices, c.ReplacePrices = slices.Clone(c.AddPrices), slices.Clone(c.RemovePrices), slices.Clone(c.ReplacePrices)
	var faults []error
	for k := range c.AddPrices {
		if add := &c.AddPrices[k]; add.given() {
			price, err := add.find(tx, "")
			add.Given = &price
			faults = append(faults, fault.In(fmt.Sprintf("add_prices[%d]", k), err))
		}
	}
	for k := range c.RemovePrices {
		id, err := c.RemovePrices[k].among(version.Prices)
		c.RemovePrices[k].ID = &id
		faults = append(faults, fault.In(fmt.Sprintf("remove_prices[%d]", k), err))
	}
	for k := range c.ReplacePrices {
		err := c.ReplacePrices[k].resolve(tx, version.Prices)
		faults = append(faults, fault.In(c.ReplacePrices[k].place(k), err))
	}
	return c, fault.Join(faults...)
}

// difference is what the customization changes about a version of the plan.
func (c Customization) difference() catalog.Difference {
	var d catalog.Difference
	for _, add := range c.AddPrices {
		d.AddPrices = append(d.AddPrices, add.PlanPrice)
	}
	for _, name := range c.RemovePrices {
		d.RemovePrices = append(d.RemovePrices, catalog.Removal{ID: *name.ID})
	}
	for _, replace := range c.ReplacePrices {
		d.ReplacePrices = append(d.ReplacePrices, replace.PlanPrice)
	}
	for _, add := range c.AddAdjustments {
		d.AddAdjustments = append(d.AddAdjustments, add.PlanAdjustment)
	}
	for _, id := range c.RemoveAdjustments {
		d.RemoveAdjustments = append(d.RemoveAdjustments, catalog.Removal{ID: id})
	}
	d.ReplaceAdjustments = c.ReplaceAdjustments
	return d
}

func (n PriceName) given() bool { return n.ID != nil || n.ExternalID != nil }

// find returns the price that is named, which is not one of another subscription than
// that; "" is none.
func (n PriceName) find(tx *store.Tx, subscriptionID string) (catalog.Price, error) {
	if n.ID == nil {
		return catalog.FindPriceByExternalID(tx, *n.ExternalID)
	}
	price, err := catalog.FindPrice(tx, *n.ID)
	if err == nil && price.SubscriptionID != nil && *price.SubscriptionID != subscriptionID {
		err = fault.Bad("price_id", "must not be a price that was made for one subscription")
	}
	return price, err
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
	return "", fault.NotPartOf("external_price_id", "must be the alias of a price of the plan")
}
