package catalog

import (
	"slices"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// PlanPrice is a price of a request, and its place there.
type PlanPrice struct {
	Price           NewPrice
	Given           *Price  // instead of Price: one that exists, or what Price.Copy returned
	ReferenceID     *string // names the price inside the request
	PhaseOrder      *int
	ReplacesPriceID string // of a replacement, which keeps the phase of what it replaces

	Parameters metric.Parameters // values for those of its metric, on a subscription
}

// PlanAdjustment is an adjustment of a request, and its place there.
type PlanAdjustment struct {
	Adjustment           NewAdjustment
	PhaseOrder           *int
	ReplacesAdjustmentID string // of a replacement, which keeps the phase of what it replaces
}

// Removal names a price or an adjustment that is to go.
type Removal struct {
	ID         string
	PhaseOrder *int // nil, or the phase it is in
}

// Difference is how a request describes prices and adjustments by what it changes
// about those of a version.
type Difference struct {
	AddPrices          []PlanPrice
	RemovePrices       []Removal
	ReplacePrices      []PlanPrice
	AddAdjustments     []PlanAdjustment
	RemoveAdjustments  []Removal
	ReplaceAdjustments []PlanAdjustment
}

// builder applies the difference to a version, for its plan or for one subscription.
// Prices come first, since adjustments name them.
func (in Difference) builder(tx *store.Tx, plan Plan, base PlanVersion, subscriptionID *string) (*versionBuilder, error) {
	d, err := newVersionBuilder(tx, plan, base, slices.Concat(in.AddPrices, in.ReplacePrices)...)
	if err != nil {
		return nil, err
	}
	d.subscriptionID = subscriptionID
	each(d, "remove_prices", in.RemovePrices, d.removePrice)
	each(d, "replace_prices", in.ReplacePrices, d.replacePrice)
	each(d, "add_prices", in.AddPrices, d.addPrice)
	each(d, "remove_adjustments", in.RemoveAdjustments, d.removeAdjustment)
	each(d, "replace_adjustments", in.ReplaceAdjustments, d.replaceAdjustment)
	d.renameReplaced()
	each(d, "add_adjustments", in.AddAdjustments, d.addAdjustment)
	return d, d.check()
}
