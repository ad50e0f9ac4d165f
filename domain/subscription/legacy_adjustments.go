package subscription

import (
	"fmt"
	"slices"
	"strings"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

// LegacyAdjustment is an adjustment of one price alone, in the older form: a field of the
// entry that adds or replaces the price.
type LegacyAdjustment struct {
	catalog.NewAdjustment        // without targets
	Place                 string // of an object in the entry; "": a minimum_amount or maximum_amount of the entry
}

// expandLegacy turns the adjustments that entries of prices have into added ones, for the
// prices alone. Faults about them are about the entries: places tells which.
func (c Customization) expandLegacy(version catalog.PlanVersion) (Customization, requestPaths) {
	at := requestPaths{}
	for k := range c.AddPrices {
		add := &c.AddPrices[k]
		c.addLegacy(&add.PlanPrice, add.Own, add.PhaseOrder, fmt.Sprintf("add_prices[%d]", k), at)
	}
	for k := range c.ReplacePrices {
		r := &c.ReplacePrices[k]
		if r.Override != nil {
			place := fmt.Sprintf("replace_prices[%d]", k)
			at[place], at[place+".price"], at[place+".replaces_price_id"] = r.Override.Place, r.Override.Place, r.Override.Place+".id"
		}
		c.addLegacy(&r.PlanPrice, r.Own, phaseOf(r.ReplacesPriceID, version.Prices), r.place(k), at)
		c.removeReplaced(*r, version.Adjustments)
	}
	return c, at
}

// addLegacy adds the adjustments of an entry at that place of the request.
func (c *Customization) addLegacy(price *catalog.PlanPrice, own []LegacyAdjustment, phase *int, place string, at requestPaths) {
	if len(own) > 0 && price.ReferenceID == nil {
		price.ReferenceID = &place
	}
	item := price.Price.ItemID
	if price.Given != nil {
		item = price.Given.ItemID
	}
	for _, a := range own {
		entry := fmt.Sprintf("add_adjustments[%d]", len(c.AddAdjustments))
		at[entry], at[entry+".adjustment"] = place, place
		field := string(a.Kind) + "_amount"
		if a.Place != "" {
			field = a.Place
			at[entry+".adjustment"] = place + "." + a.Place
		}
		at[entry+".adjustment.applies_to_price_ids[0]"] = place + "." + field
		a.PriceIDs = []string{*price.ReferenceID}
		if a.Kind == rating.Minimum {
			a.ItemID = &item
		}
		c.AddAdjustments = append(c.AddAdjustments, AddedAdjustment{
			PlanAdjustment: catalog.PlanAdjustment{Adjustment: a.NewAdjustment, PhaseOrder: phase},
		})
	}
}

// removeReplaced removes the adjustments that the replaced price has alone, of the kinds that
// the entry says again.
func (c *Customization) removeReplaced(r ReplacedPrice, plan []catalog.Adjustment) {
	kinds := slices.Clone(r.Clear)
	for _, a := range r.Own {
		kinds = append(kinds, a.Kind)
	}
	for _, a := range plan {
		named := slices.Contains(c.RemoveAdjustments, a.ID) ||
			slices.ContainsFunc(c.ReplaceAdjustments, func(r catalog.PlanAdjustment) bool { return r.ReplacesAdjustmentID == a.ID })
		if a.IsOf(r.ReplacesPriceID) && slices.Contains(kinds, a.Kind) && !named {
			c.RemoveAdjustments = append(c.RemoveAdjustments, a.ID)
		}
	}
}

func phaseOf(id string, prices []catalog.Price) *int {
	for _, price := range prices {
		if price.ID == id {
			return price.PhaseOrder
		}
	}
	return nil
}

// requestPaths are where a request has what is judged elsewhere: of a path, its longest
// beginning that is listed counts.
type requestPaths map[string]string

func (p requestPaths) of(err error) error {
	return fault.Moved(err, func(field string) string {
		for end := len(field); end > 0; end = strings.LastIndex(field[:end], ".") {
			if place, listed := p[field[:end]]; listed {
				return place + field[end:]
			}
		}
		return field
	})
}
