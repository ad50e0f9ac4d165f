package rating

import "tollkeeper/domain/money"

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

// Adjustment changes what prices come to after they are rated.
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

// Filter selects prices by one of their features.
type Filter struct {
	Field    FilterField
	Operator FilterOperator
	Values   []string
}

// FilterField is the feature that a filter looks at.
type FilterField string

// The fields of filters, as the wire spells them.
const (
	FilterPriceID       FilterField = "price_id"
	FilterItemID        FilterField = "item_id"
	FilterPriceType     FilterField = "price_type" // usage, fixed_in_advance, fixed_in_arrears, fixed or in_arrears
	FilterCurrency      FilterField = "currency"
	FilterPricingUnitID FilterField = "pricing_unit_id"
)

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
