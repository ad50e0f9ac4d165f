package catalog

import (
	"cmp"
	"fmt"
	"slices"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// draft is a set of prices and adjustments in the making, for a version of a plan
// or for one subscription. It collects faults, so that the client learns of every
// mistake at once, and writes nothing until it is saved.
type draft struct {
	tx             *store.Tx
	plan           Plan
	phases         int     // how many the plan has
	subscriptionID *string // the only one it is for; nil: the plan

	prices      []Price // in order
	adjustments []Adjustment
	named       map[string]Price  // what adjustments may name, by id and by reference_id
	replaced    map[string]string // ids of prices to those of their replacements

	wanted          []NewPrice
	madePrices      []Price // without a row yet, as madeAdjustments
	madeAdjustments []Adjustment
	faults          []error
}

// newDraft begins with what a version has.
func newDraft(tx *store.Tx, plan Plan, base PlanVersion) *draft {
	d := &draft{
		tx: tx, plan: plan, phases: len(base.Phases),
		prices: slices.Clone(base.Prices), adjustments: slices.Clone(base.Adjustments),
		named: map[string]Price{}, replaced: map[string]string{},
	}
	for _, price := range base.Prices {
		d.named[price.ID] = price
	}
	return d
}

// apply makes all of a difference. Prices come first, since adjustments name them,
// and what is replaced or removed is named by what there was before.
func (d *draft) apply(in Difference) {
	each(d, "remove_prices", in.RemovePrices, d.removePrice)
	each(d, "replace_prices", in.ReplacePrices, d.replacePrice)
	each(d, "add_prices", in.AddPrices, d.addPrice)
	each(d, "remove_adjustments", in.RemoveAdjustments, d.removeAdjustment)
	each(d, "replace_adjustments", in.ReplaceAdjustments, d.replaceAdjustment)
	d.renameReplaced()
	each(d, "add_adjustments", in.AddAdjustments, d.addAdjustment)
}

func each[T any](d *draft, field string, entries []T, do func(T) error) {
	for i, entry := range entries {
		d.faults = append(d.faults, fault.In(fmt.Sprintf("%s[%d]", field, i), do(entry)))
	}
}

func (d *draft) removePrice(r Removal) error {
	at, err := d.priceAt("price_id", r.ID, r.PhaseOrder)
	if err != nil {
		return err
	}
	delete(d.named, r.ID)
	d.prices = slices.Delete(d.prices, at, at+1)
	return nil
}

func (d *draft) addPrice(in PlanPrice) error {
	price, err := d.price(in, in.PhaseOrder)
	d.prices = append(d.prices, price)
	return fault.Join(err, d.checkPhase(in.PhaseOrder))
}

// replacePrice puts a price in the place of another, which may still be named: it
// means the new one then.
func (d *draft) replacePrice(in PlanPrice) error {
	at, err := d.priceAt("replaces_price_id", in.ReplacesPriceID, in.PhaseOrder)
	if err != nil {
		return err
	}
	price, err := d.price(in, d.prices[at].PhaseOrder)
	d.prices[at] = price
	d.named[in.ReplacesPriceID] = price
	d.replaced[in.ReplacesPriceID] = price.ID
	return err
}

// priceAt finds the price that a request names, among those it leaves in place so
// far.
func (d *draft) priceAt(field, id string, phase *int) (int, error) {
	at := slices.IndexFunc(d.prices, func(p Price) bool { return p.ID == id })
	if at < 0 {
		return at, fault.Bad(field, "must be a price of the version that is changed, named once")
	}
	return at, samePhase(phase, d.prices[at].PhaseOrder)
}

func (d *draft) removeAdjustment(r Removal) error {
	at, err := d.adjustmentAt("adjustment_id", r.ID, r.PhaseOrder)
	if err != nil {
		return err
	}
	d.adjustments = slices.Delete(d.adjustments, at, at+1)
	return nil
}

func (d *draft) addAdjustment(in PlanAdjustment) error {
	return fault.Join(d.adjust(in, in.PhaseOrder), d.checkPhase(in.PhaseOrder))
}

func (d *draft) replaceAdjustment(in PlanAdjustment) error {
	at, err := d.adjustmentAt("replaces_adjustment_id", in.ReplacesAdjustmentID, in.PhaseOrder)
	if err != nil {
		return err
	}
	phase := d.adjustments[at].PhaseOrder
	d.adjustments = slices.Delete(d.adjustments, at, at+1)
	return d.adjust(in, phase)
}

func (d *draft) adjustmentAt(field, id string, phase *int) (int, error) {
	at := slices.IndexFunc(d.adjustments, func(a Adjustment) bool { return a.ID == id })
	if at < 0 {
		return at, fault.Bad(field, "must be an adjustment of the version that is changed, named once")
	}
	return at, samePhase(phase, d.adjustments[at].PhaseOrder)
}

func samePhase(given, is *int) error {
	if given != nil && (is == nil || *given != *is) {
		return fault.Bad("plan_phase_order", "must be the phase that it is in")
	}
	return nil
}

// checkPhase requires a phase of what is made for a plan that has phases. What is
// made for one subscription may also be for all of them.
func (d *draft) checkPhase(order *int) error {
	if d.subscriptionID != nil && order == nil {
		return nil
	}
	return checkPhase(order, d.phases)
}

// price makes a price of a request, or takes the one given.
func (d *draft) price(in PlanPrice, phase *int) (price Price, err error) {
	if in.Given != nil {
		price, err = *in.Given, in.Given.check()
	} else {
		wanted := in.Price
		wanted.Currency = cmp.Or(wanted.Currency, d.plan.Currency)
		d.wanted = append(d.wanted, wanted)
		price, err = wanted.record(d.tx)
	}
	if err == nil && price.Currency.Valid() && price.Currency != d.plan.Currency {
		err = fault.Bad("currency", "must be the plan's")
	}
	if price.Seq == 0 { // it has no row yet
		price.PlanID, price.SubscriptionID = d.owner()
		price.PhaseOrder, price.ReplacesPriceID = phase, optional(in.ReplacesPriceID)
		d.madePrices = append(d.madePrices, price)
	}
	return price, fault.In("price", fault.Join(err, d.refer(in.ReferenceID, price)))
}

// refer lets adjustments of the request name the price.
func (d *draft) refer(reference *string, price Price) error {
	if reference == nil {
		return nil
	}
	if _, used := d.named[*reference]; used {
		return fault.Bad("reference_id", "must differ from those before it, and from the ids of prices")
	}
	d.named[*reference] = price
	return nil
}

func (d *draft) adjust(in PlanAdjustment, phase *int) error {
	a, err := in.Adjustment.record(d.tx, d.named)
	a.PlanID, a.SubscriptionID = d.owner()
	a.PhaseOrder, a.ReplacesAdjustmentID = phase, optional(in.ReplacesAdjustmentID)
	a.Filters, _ = d.renamed(a.Filters)
	d.adjustments = append(d.adjustments, a)
	d.madeAdjustments = append(d.madeAdjustments, a)
	return fault.In("adjustment", err)
}

// renameReplaced replaces adjustments that name prices which are replaced by such
// that name the new prices.
func (d *draft) renameReplaced() {
	for i, old := range d.adjustments {
		filters, changed := d.renamed(old.Filters)
		if !changed {
			continue
		}
		a := old
		a.Record = d.tx.Record("adj")
		a.PlanID, a.SubscriptionID = d.owner()
		a.ReplacesAdjustmentID, a.Filters = &old.ID, filters
		d.adjustments[i] = a
		d.madeAdjustments = append(d.madeAdjustments, a)
	}
}

// renamed returns filters that name the replacements of prices in their stead, and
// whether they differ.
func (d *draft) renamed(filters []rating.Filter) (renamed []rating.Filter, changed bool) {
	renamed = slices.Clone(filters)
	for i, filter := range filters {
		if filter.Field != rating.FilterPriceID {
			continue
		}
		renamed[i].Values = slices.Clone(filter.Values)
		for k, id := range filter.Values {
			if by, ok := d.replaced[id]; ok {
				renamed[i].Values[k], changed = by, true
			}
		}
	}
	return renamed, changed
}

// owner is who has what is made: the plan, or the subscription alone.
func (d *draft) owner() (planID, subscriptionID *string) {
	if d.subscriptionID != nil {
		return nil, d.subscriptionID
	}
	return &d.plan.ID, nil
}

// check tells what is wrong with the request.
func (d *draft) check() error {
	if err := fault.Join(d.faults...); err != nil {
		return err
	}
	if err := needNamed(d.tx, d.wanted...); err != nil {
		return err
	}
	return needItems(d.tx, d.madeAdjustments)
}

// save writes what is new. The draft was checked, and its owner is there.
func (d *draft) save() error {
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
