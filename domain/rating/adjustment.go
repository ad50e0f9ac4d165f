package rating

import (
	"slices"

	"tollkeeper/domain/money"
)

// AdjustmentKind is the kind of an adjustment. Adjustments apply in the order of the kinds below,
// whenever they were created (price models 6.3).
type AdjustmentKind string

// The kinds of adjustments, as the wire spells them.
const (
	UsageDiscount            AdjustmentKind = "usage_discount"
	AmountDiscount           AdjustmentKind = "amount_discount"
	PercentageDiscount       AdjustmentKind = "percentage_discount"
	TieredPercentageDiscount AdjustmentKind = "tiered_percentage_discount" // applies together with PercentageDiscount
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

	Filters      []Filter // it applies to prices that match all of them; none: to every price
	InvoiceLevel bool     // applies after adjustments of its kind that are for single prices
}

// PercentageTier discounts the spend between its bounds.
type PercentageTier struct {
	LowerBound money.Decimal  // exclusive
	UpperBound *money.Decimal // inclusive; nil: no end, in the last tier only
	Percentage money.Decimal  // a fraction from 0 to 1
}

// Matches reports whether the adjustment applies to the price.
func (a Adjustment) Matches(p Priced) bool { return MatchesAll(a.Filters, p) }

// MatchesAll reports whether the price matches all filters. Without filters it does.
func MatchesAll(filters []Filter, p Priced) bool {
	for _, f := range filters {
		if !f.Matches(p) {
			return false
		}
	}
	return true
}

// Filter selects prices by a field.
type Filter struct {
	Field    FilterField
	Operator FilterOperator
	Values   []string
}

// Matches reports whether the price matches the filter.
func (f Filter) Matches(p Priced) bool {
	included := slices.ContainsFunc(f.Values, func(value string) bool { return p.has(f.Field, value) })
	return included == (f.Operator == FilterIncludes)
}

// FilterField is the field of prices that a filter compares.
type FilterField string

// The fields of filters, as the wire spells them.
const (
	FilterPriceID       FilterField = "price_id"
	FilterItemID        FilterField = "item_id"
	FilterPriceType     FilterField = "price_type"      // its values are priceTypes
	FilterCurrency      FilterField = "currency"        // real or a custom unit
	FilterPricingUnitID FilterField = "pricing_unit_id" // custom units only
)

// filterFields lists all filter fields.
var filterFields = []FilterField{FilterPriceID, FilterItemID, FilterPriceType, FilterCurrency, FilterPricingUnitID}

// FilterOperator includes or excludes the prices that have one of the values.
type FilterOperator string

// The operators of filters, as the wire spells them.
const (
	FilterIncludes FilterOperator = "includes"
	FilterExcludes FilterOperator = "excludes"
)

// Priced has the fields of a price that filters compare.
type Priced struct {
	PriceID   string
	ItemID    string
	Currency  string
	Usage     bool // false: a fixed fee or a composite price
	Fixed     bool
	InAdvance bool
}

// has reports whether the price has the value in the field.
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

// priceTypes are the values of FilterPriceType.
var priceTypes = map[string]func(Priced) bool{
	"usage":            func(p Priced) bool { return p.Usage },
	"fixed":            func(p Priced) bool { return p.Fixed },
	"fixed_in_advance": func(p Priced) bool { return p.Fixed && p.InAdvance },
	"fixed_in_arrears": func(p Priced) bool { return p.Fixed && !p.InAdvance },
	"in_arrears":       func(p Priced) bool { return !p.InAdvance },
}
