package subscription

import (
	"encoding/json"
	"fmt"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReplacedPrice takes the place of a price of the plan, and its phase: a new price,
// one that is named, or without either the same price with other numbers.
type ReplacedPrice struct {
	catalog.PlanPrice
	PriceName
	Quantity *money.Decimal // of a fixed fee that is named or the same; nil: its own
	Override *Override

	Own   []LegacyAdjustment      // instead of those of their kinds that the replaced price has
	Clear []rating.AdjustmentKind // kinds of which it shall have none
}

// Override is the older way to give a price other numbers. Metric, cadence, type and
// name stay as they are (semantics 6.1.5).
type Override struct {
	ModelType string          // that of the price; "": the configuration stays
	Config    json.RawMessage // of the model
	Place     string          // in the request
}

// place is where a request has the entry.
func (r ReplacedPrice) place(k int) string {
	if r.Override != nil {
		return r.Override.Place
	}
	return fmt.Sprintf("replace_prices[%d]", k)
}

// resolve finds what takes the place, unless that is a new price.
func (r *ReplacedPrice) resolve(tx *store.Tx, plan []catalog.Price) error {
	switch {
	case r.given():
		price, err := r.find(tx, "")
		if err != nil {
			return err
		}
		return r.alter(tx, price)
	case r.Quantity == nil && r.Override == nil:
		return nil
	}
	at := slices.IndexFunc(plan, func(p catalog.Price) bool { return p.ID == r.ReplacesPriceID })
	if at < 0 { // it is refused where the difference is applied
		r.Given = &catalog.Price{}
		return nil
	}
	return r.alter(tx, plan[at])
}

// alter takes a price as it is, or a copy with other numbers.
func (r *ReplacedPrice) alter(tx *store.Tx, price catalog.Price) error {
	if r.Quantity != nil || r.Override != nil {
		price = price.Copy(tx)
	}
	r.Given = &price
	if o := r.Override; o != nil && o.ModelType != "" {
		if o.ModelType != price.ModelType {
			return fault.Bad("model_type", "must be that of the price")
		}
		if err := catalog.CheckNames(o.ModelType, o.Config); err != nil {
			return fault.In(o.ModelType+"_config", err)
		}
		price.Config = o.Config
	}
	if r.Quantity != nil {
		if !price.Fixed() {
			return fault.Bad("fixed_price_quantity", "can be given for fixed fees only")
		}
		price.Quantity = r.Quantity
	}
	return nil
}
