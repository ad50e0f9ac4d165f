package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// AdjustmentKind says what an adjustment does. Their order here is the order in
// which they work, whenever they were made (price models 6.3).
type AdjustmentKind string

// The kinds of adjustments, as the wire spells them.
const (
	UsageDiscount            AdjustmentKind = "usage_discount"
	AmountDiscount           AdjustmentKind = "amount_discount"
	PercentageDiscount       AdjustmentKind = "percentage_discount"
	TieredPercentageDiscount AdjustmentKind = "tiered_percentage_discount" // in the step of percentages
	Minimum                  AdjustmentKind = "minimum"
	Maximum                  AdjustmentKind = "maximum"
)

// Adjustment changes the amounts of prices after they are rated.
type Adjustment struct {
	ID   string
	Kind AdjustmentKind

	// Value is a number of units (UsageDiscount), an amount of money (AmountDiscount,
	// Minimum, Maximum) or a fraction from 0 to 1 (PercentageDiscount); never negative.
	Value money.Decimal
	Tiers []PercentageTier // of TieredPercentageDiscount, ascending, without gaps

	Filters      []Filter // which prices it is for: all must hold, none means every price
	InvoiceLevel bool     // works after those of single prices in its step
}

// PercentageTier discounts the spend between its bounds.
type PercentageTier struct {
	LowerBound money.Decimal  // exclusive
	UpperBound *money.Decimal // inclusive; nil: no end, in the last tier only
	Percentage money.Decimal  // a fraction from 0 to 1
}

// Matches reports whether the adjustment is for such a price.
func (a Adjustment) Matches(p Priced) bool { return MatchesAll(a.Filters, p) }

// MatchesAll reports whether all filters hold; none hold for every price.
func MatchesAll(filters []Filter, p Priced) bool {
	for _, f := range filters {
		if !f.Matches(p) {
			return false
		}
	}
	return true
}

// Filter selects prices by one of their features.
type Filter struct {
	Field    FilterField
	Operator FilterOperator
	Values   []string
}

// Matches reports whether the filter holds for such a price.
func (f Filter) Matches(p Priced) bool {
	included := slices.ContainsFunc(f.Values, func(value string) bool { return p.has(f.Field, value) })
	return included == (f.Operator == FilterIncludes)
}

// FilterField is the feature that a filter looks at.
type FilterField string

// The fields of filters, as the wire spells them.
const (
	FilterPriceID       FilterField = "price_id"
	FilterItemID        FilterField = "item_id"
	FilterPriceType     FilterField = "price_type"      // its values are priceTypes
	FilterCurrency      FilterField = "currency"        // real or a custom unit
	FilterPricingUnitID FilterField = "pricing_unit_id" // custom units only
)

// filterFields are all of them.
var filterFields = []FilterField{FilterPriceID, FilterItemID, FilterPriceType, FilterCurrency, FilterPricingUnitID}

// FilterOperator says whether the values are wanted.
type FilterOperator string

// The operators of filters, as the wire spells them.
const (
	FilterIncludes FilterOperator = "includes"
	FilterExcludes FilterOperator = "excludes"
)

// Priced is what filters know of a price.
type Priced struct {
	PriceID   string
	ItemID    string
	Currency  string
	Usage     bool // else a fixed fee or a composite price
	Fixed     bool
	InAdvance bool
}

// has reports whether value is what the price has in that field.
func (p Priced) has(field FilterField, value string) bool {
	switch field {
	case FilterPriceID:
		return value == p.PriceID
	case FilterItemID:
		return value == p.ItemID
	case FilterPriceType:
		is, known := priceTypes[value]
		return known && is(p)
	case FilterCurrency:
		return value == p.Currency
	case FilterPricingUnitID:
		return value == p.Currency && !money.Currency(p.Currency).Valid()
	}
	return false
}

// priceTypes are the values that filters of the price type may have.
var priceTypes = map[string]func(Priced) bool{
	"usage":            func(p Priced) bool { return p.Usage },
	"fixed":            func(p Priced) bool { return p.Fixed },
	"fixed_in_advance": func(p Priced) bool { return p.Fixed && p.InAdvance },
	"fixed_in_arrears": func(p Priced) bool { return p.Fixed && !p.InAdvance },
	"in_arrears":       func(p Priced) bool { return !p.InAdvance },
}
