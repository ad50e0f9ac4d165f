package rating

import (
	"encoding/json"
	"maps"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store/fault"
)

// Model is an accepted configuration of a price model.
type Model interface {
	// Needs says what the model has to know of usage.
	Needs() Needs

	// charge applies the formula to u. Models that prorate the finished amount leave
	// u.Fraction alone; those that prorate something inside their formula use it.
	charge(u Usage) Charge

	// linear models pass quantities below zero through. All others charge nothing for
	// them: a tier or package below zero has no meaning (price models 1.2).
	linear() bool

	// prorated tells whether the finished amount of usage in a shorter period is
	// charged in part.
	prorated() bool
}

// Needs is what a model has to know of usage; the zero value is one total.
type Needs struct {
	// Split names the properties by whose values the metric is asked: Usage.Cells has
	// one for each tuple, in this order.
	Split []string

	// Filter is of models that charge only some events: Usage.Filtered is the metric
	// over the events with all of these values.
	Filter []Property

	// Additive models add up what single events are worth, so the metric must be a
	// count or a sum.
	Additive bool

	// Composite models charge for other prices: Usage.Components.
	Composite bool
}

// Property is a value that a property of an event must have.
type Property struct{ Key, Value string }

// Single reports whether the model rates one number, as a fixed fee has.
func (n Needs) Single() bool {
	return n.Split == nil && n.Filter == nil && !n.Additive && !n.Composite
}

// models is the registry: how to read the configuration of each model_type.
var models = map[string]func(config *object) Model{
	"unit":    readUnit,
	"tiered":  readTiered,
	"bulk":    readBulk,
	"package": readPackage,
	"matrix":  readMatrix,

	"bulk_with_filters":           readBulkWithFilters,
	"bulk_with_proration":         readBulkWithProration,
	"minimum_composite":           readMinimumComposite,
	"package_with_allocation":     readPackageWithAllocation,
	"percent":                     readPercent,
	"threshold_total_amount":      readThresholdTotalAmount,
	"tiered_package":              readTieredPackage,
	"tiered_package_with_minimum": readTieredPackageWithMinimum,
	"tiered_with_minimum":         readTieredWithMinimum,
	"tiered_with_proration":       readTieredWithProration,
	"unit_with_percent":           readUnitWithPercent,
	"unit_with_proration":         readUnitWithProration,

	"cumulative_grouped_allocation":   readCumulativeGroupedAllocation,
	"cumulative_grouped_bulk":         readCumulativeGroupedBulk,
	"event_output":                    readEventOutput,
	"grouped_allocation":              readGroupedAllocation,
	"grouped_tiered":                  readGroupedTiered,
	"grouped_tiered_package":          readGroupedTieredPackage,
	"grouped_with_metered_minimum":    readGroupedWithMeteredMinimum,
	"grouped_with_min_max_thresholds": readGroupedWithMinMaxThresholds,
	"grouped_with_prorated_minimum":   readGroupedWithProratedMinimum,
	"max_group_tiered_package":        readMaxGroupTieredPackage,
	"metered_allowance":               readMeteredAllowance,

	"daily_credit_allowance":              readDailyCreditAllowance,
	"grouped_tiered_matrix":               readGroupedTieredMatrix,
	"matrix_with_allocation":              readMatrixWithAllocation,
	"matrix_with_display_name":            readMatrixWithDisplayName,
	"matrix_with_threshold_discounts":     readMatrixWithThresholdDiscounts,
	"scalable_matrix_with_tiered_pricing": readScalableMatrixWithTieredPricing,
	"scalable_matrix_with_unit_pricing":   readScalableMatrixWithUnitPricing,
}

// Types lists every model_type that can be decoded, sorted.
func Types() []string { return slices.Sorted(maps.Keys(models)) }

// Known reports whether modelType can be decoded.
func Known(modelType string) bool {
	_, ok := models[modelType]
	return ok
}

// Decode reads the configuration of a price and checks all of it. Its faults name
// every wrong field by the path inside config, such as tiers[0].unit_amount; for an
// unknown model the field is model_type.
func Decode(modelType string, config json.RawMessage) (Model, error) {
	model, _, err := decode(modelType, config)
	return model, err
}

// PropertyName is where a configuration names a property of events, or one of their
// columns.
type PropertyName struct {
	Field string // path inside the configuration, such as grouping_key or dimensions[1]
	Name  string
}

// PropertyNames lists the properties that a configuration names, in the order in which
// they are read. What a name means, and which texts are names, is not judged here. It
// fails as Decode does.
func PropertyNames(modelType string, config json.RawMessage) ([]PropertyName, error) {
	_, names, err := decode(modelType, config)
	return names, err
}

func decode(modelType string, config json.RawMessage) (Model, []PropertyName, error) {
	read, ok := models[modelType]
	if !ok {
		return nil, nil, fault.Bad("model_type", "is no price model that is offered")
	}
	doc := &document{wrong: map[string]bool{}}
	root := doc.object("", config)
	model := read(root)
	root.close()
	if len(doc.violations) > 0 {
		return nil, nil, fault.Invalid(doc.violations...)
	}
	return model, doc.names, nil
}

// Rate charges u. Usage of a shorter period is prorated if the model says so, a
// fixed fee always, and nothing twice (price models 1.4).
func Rate(m Model, u Usage) Charge {
	if len(u.Spans) > 0 {
		return rateSpans(m, u)
	}
	measured, fraction := u.Quantity, u.Fraction
	if !m.linear() {
		u = u.notNegative()
	}
	if u.Fixed { // the whole fee is prorated below, so nothing inside the formula is
		u.Fraction = period.Fraction{}
	}
	c := m.charge(u)
	if m.Needs().Single() {
		c.Quantity = measured
	}
	if !fraction.IsWhole() && (u.Fixed || m.prorated()) {
		c.prorate(fraction)
	}
	return c
}

// notNegative returns u with 0 for every quantity below it.
func (u Usage) notNegative() Usage {
	u.Quantity = money.Max(u.Quantity, money.Decimal{})
	u.Filtered = money.Max(u.Filtered, money.Decimal{})
	if u.Cells == nil {
		return u
	}
	u.Cells = slices.Clone(u.Cells)
	for i, cell := range u.Cells {
		u.Cells[i] = cell.with(money.Max(cell.exact(), money.Decimal{}))
	}
	return u
}
