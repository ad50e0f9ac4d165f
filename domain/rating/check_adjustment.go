package rating

import (
	"fmt"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/store/fault"
)

// valueFields are the fields that hold an adjustment's value on the wire.
var valueFields = map[AdjustmentKind]string{
	UsageDiscount:            "usage_discount",
	AmountDiscount:           "amount_discount",
	PercentageDiscount:       "percentage_discount",
	TieredPercentageDiscount: "tiers",
	Minimum:                  "minimum_amount",
	Maximum:                  "maximum_amount",
}

// CheckAdjustment reports everything that is wrong with a new adjustment. Fields are
// paths inside the adjustment of the request, such as filters[0].values.
func CheckAdjustment(a Adjustment) error {
	doc := &document{wrong: map[string]bool{}}
	field, known := valueFields[a.Kind]
	switch {
	case !known:
		doc.bad("adjustment_type", "is no adjustment that is offered")
	case a.Kind == TieredPercentageDiscount:
		doc.checkTiers(a.Tiers)
	case a.Kind == PercentageDiscount:
		doc.checkPercentage(field, a.Value)
	case a.Value.Sign() < 0:
		doc.bad(field, "must not be negative")
	}
	return fault.Join(doc.fault(), fault.In("filters", CheckFilters(a.Filters)))
}

// CheckFilters reports everything that is wrong with filters, by path inside their
// list: [0].values.
func CheckFilters(filters []Filter) error {
	doc := &document{wrong: map[string]bool{}}
	for i, f := range filters {
		at := fmt.Sprintf("[%d]", i)
		if !slices.Contains(filterFields, f.Field) {
			doc.bad(at+".field", "must be one of price_id, item_id, price_type, currency, pricing_unit_id")
		}
		if f.Operator != FilterIncludes && f.Operator != FilterExcludes {
			doc.bad(at+".operator", "must be includes or excludes")
		}
		if len(f.Values) == 0 {
			doc.bad(at+".values", "must have at least one entry")
		}
		for k, value := range f.Values {
			entry := fmt.Sprintf("%s.values[%d]", at, k)
			if slices.Contains(f.Values[:k], value) {
				doc.bad(entry, "must not be given twice")
			}
			if value == "" {
				doc.bad(entry, "must not be empty")
			}
			if _, known := priceTypes[value]; f.Field == FilterPriceType && !known {
				doc.bad(entry, "must be one of usage, fixed, fixed_in_advance, fixed_in_arrears, in_arrears")
			}
		}
	}
	return doc.fault()
}

// checkTiers wants ascending tiers without gaps, at least two; the last may end.
func (d *document) checkTiers(tiers []PercentageTier) {
	if len(tiers) < 2 {
		d.bad("tiers", "must have at least 2 entries")
	}
	for i, t := range tiers {
		at := fmt.Sprintf("tiers[%d]", i)
		if t.LowerBound.Sign() < 0 {
			d.bad(at+".lower_bound", "must not be negative")
		}
		if i > 0 && tiers[i-1].UpperBound != nil && !t.LowerBound.Equal(*tiers[i-1].UpperBound) {
			d.bad(at+".lower_bound", "must be the upper_bound of the tier before")
		}
		switch {
		case t.UpperBound == nil && i < len(tiers)-1:
			d.bad(at+".upper_bound", "may be missing in the last tier only")
		case t.UpperBound != nil && t.UpperBound.Cmp(t.LowerBound) <= 0:
			d.bad(at+".upper_bound", "must be above lower_bound")
		}
		d.checkPercentage(at+".percentage", t.Percentage)
	}
}

func (d *document) checkPercentage(path string, p money.Decimal) {
	if p.Sign() < 0 || p.Cmp(money.FromInt(1)) > 0 {
		d.bad(path, "must be from 0 to 1")
	}
}

// fault is what was reported, nil if that is nothing.
func (d *document) fault() error {
	if len(d.violations) == 0 {
		return nil
	}
	return fault.Invalid(d.violations...)
}
