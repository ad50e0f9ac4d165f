package catalog

import (
	"slices"

	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

func (d *versionBuilder) removeAdjustment(r Removal) error {
	at, err := d.adjustmentAt("adjustment_id", r.ID, r.PhaseOrder)
	if err != nil {
		return err
	}
	d.adjustments = slices.Delete(d.adjustments, at, at+1)
	return nil
}

func (d *versionBuilder) addAdjustment(in PlanAdjustment) error {
	return fault.Join(d.adjust(in, in.PhaseOrder), d.checkPhase(in.PhaseOrder))
}

func (d *versionBuilder) replaceAdjustment(in PlanAdjustment) error {
	at, err := d.adjustmentAt("replaces_adjustment_id", in.ReplacesAdjustmentID, in.PhaseOrder)
	if err != nil {
		return err
	}
	phase := d.adjustments[at].PhaseOrder
	d.adjustments = slices.Delete(d.adjustments, at, at+1)
	return d.adjust(in, phase)
}

func (d *versionBuilder) adjustmentAt(field, id string, phase *int) (int, error) {
	named := func(a Adjustment) bool { return a.ID == id }
	at := slices.IndexFunc(d.adjustments, named)
	if at < 0 {
		return at, d.unknown(field, "an adjustment", slices.ContainsFunc(d.base.Adjustments, named))
	}
	return at, samePhase(phase, d.adjustments[at].PhaseOrder)
}

func (d *versionBuilder) adjust(in PlanAdjustment, phase *int) error {
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
func (d *versionBuilder) renameReplaced() {
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
func (d *versionBuilder) renamed(filters []rating.Filter) (renamed []rating.Filter, changed bool) {
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
