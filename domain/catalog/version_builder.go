package catalog

import (
	"fmt"
	"slices"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// versionBuilder is a set of prices and adjustments in the making, for a version of a plan
// or for one subscription. It collects faults, so that the client learns of every
// mistake at once, and writes nothing until it is saved.
type versionBuilder struct {
	tx             *store.Tx
	plan           Plan
	phases         int     // how many the plan has
	subscriptionID *string // the only one it is for; nil: the plan

	base        PlanVersion // what it begins with
	prices      []Price     // in order
	adjustments []Adjustment
	named       map[string]Price  // what adjustments may name, by id and by reference_id
	replaced    map[string]string // ids of prices to those of their replacements

	known           references
	place           string            // of the entry that is looked at, in the request
	places          map[string]string // of the new prices, by id
	madePrices      []Price           // without a row yet, as madeAdjustments
	madeAdjustments []Adjustment
	faults          []error
}

// newVersionBuilder begins with what a version has, and with what the wanted prices name.
func newVersionBuilder(tx *store.Tx, plan Plan, base PlanVersion, wanted ...PlanPrice) (*versionBuilder, error) {
	d := &versionBuilder{
		tx: tx, plan: plan, phases: len(base.Phases), base: base,
		prices: slices.Clone(base.Prices), adjustments: slices.Clone(base.Adjustments),
		named: map[string]Price{}, replaced: map[string]string{}, places: map[string]string{},
	}
	for _, price := range base.Prices {
		d.named[price.ID] = price
	}
	var prices []NewPrice
	for _, in := range wanted {
		if in.Given == nil {
			prices = append(prices, in.Price)
		}
	}
	var err error
	d.known, err = loadReferences(tx, prices...)
	return d, err
}

func each[T any](d *versionBuilder, field string, entries []T, do func(T) error) {
	for i, entry := range entries {
		d.place = fmt.Sprintf("%s[%d]", field, i)
		d.faults = append(d.faults, fault.In(d.place, do(entry)))
	}
}

// unknown is of an id that names nothing that is left: it never did, or the request
// names it once more.
func (d *versionBuilder) unknown(field, what string, was bool) error {
	if was {
		return fault.Bad(field, "must be named once")
	}
	return fault.NotPartOf(field, "must be %s of the version that is changed", what)
}

func samePhase(given, is *int) error {
	if given != nil && (is == nil || *given != *is) {
		return fault.Bad("plan_phase_order", "must be the phase that it is in")
	}
	return nil
}

// checkPhase requires a phase of what is made for a plan that has phases. What is
// made for one subscription may also be for all of them.
func (d *versionBuilder) checkPhase(order *int) error {
	if d.subscriptionID != nil && order == nil {
		return nil
	}
	return checkPhase(order, d.phases)
}

// owner is who has what is made: the plan, or the subscription alone.
func (d *versionBuilder) owner() (planID, subscriptionID *string) {
	if d.subscriptionID != nil {
		return nil, d.subscriptionID
	}
	return &d.plan.ID, nil
}

// check tells what is wrong with the request.
func (d *versionBuilder) check() error {
	if err := fault.Join(d.faults...); err != nil {
		return err
	}
	if err := checkConflicts(d.prices, d.places); err != nil {
		return err
	}
	return needItems(d.tx, d.madeAdjustments)
}

// save writes what is new. The draft was checked, and its owner is there.
func (d *versionBuilder) save() error {
	if err := insert(d.tx, d.madePrices); err != nil {
		return err
	}
	return insert(d.tx, d.madeAdjustments)
}

// insert creates rows in their order, as many at once as a statement can carry.
func insert[T any](tx *store.Tx, rows []T) error {
	if len(rows) == 0 {
		return nil
	}
	return tx.CreateInBatches(rows, 1000).Error
}

// optional is nil for no text.
func optional(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}
