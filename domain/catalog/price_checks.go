package catalog

import (
	"fmt"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

// pendingPrice is a price that a client asks for, beside what it depends on: that of it
// which is wrong or does not exist is left out, and not judged.
type pendingPrice struct {
	NewPrice
	length period.Length // of the billing cycle
	model  rating.Model
	group  DimensionalPriceGroup // with an id, if the price names one
	metric Metric                // with an id, if the price has one
	kind   PriceType
}

// depend finds what the price is made of. Its group decides its metric (semantics
// 16.1.1).
func (w *pendingPrice) depend(known references) {
	w.group, _ = known.group(w.NewPrice)
	switch {
	case w.model != nil && w.model.Needs().Composite:
		w.kind = PriceComposite
	case w.MetricID != nil || w.Dimensions != nil:
		w.kind = PriceUsage
	default:
		w.kind = PriceFixed
	}
	if w.kind == PriceUsage && w.MetricID == nil && w.group.ID != "" {
		w.MetricID = &w.group.MetricID
	}
	if w.MetricID != nil {
		w.metric = known.metrics[*w.MetricID]
	}
}

// billingMode is where the charge of a period is invoiced. Only a fixed fee can be
// billed in advance.
func (w pendingPrice) billingMode() BillingMode {
	if w.kind == PriceFixed && (w.BilledInAdvance == nil || *w.BilledInAdvance) {
		return InAdvance
	}
	return InArrear
}

func (w pendingPrice) quantity() *money.Decimal {
	if w.kind == PriceFixed && w.Quantity == nil {
		one := money.FromInt(1)
		return &one
	}
	return w.Quantity
}

// dimensions are the values that events of the price have.
func (w pendingPrice) dimensions() []rating.Property {
	properties := make([]rating.Property, len(w.group.Dimensions))
	for i, key := range w.group.Dimensions {
		properties[i] = rating.Property{Key: key, Value: w.Dimensions.Values[i]}
	}
	return properties
}

func (w pendingPrice) conversionRate() *money.Decimal {
	if w.ConversionRate == nil {
		return nil
	}
	rate, _ := money.ParseNumber(w.ConversionRate.String()) // checked by then
	return &rate
}

// check tells all that is wrong with the price but for its billing cycle, its
// configuration and its metadata.
func (w pendingPrice) check() error {
	return fault.Join(
		w.checkInvoicing(), w.checkCurrency(), w.checkConversion(), w.checkQuantity(), w.checkModel(),
		w.checkMetric(), w.checkGrouping(), w.checkDimensions(), w.checkComposite(), w.checkLicense(),
	)
}

// checkInvoicing has as many invoices in each billing cycle (price models 5.1). A price
// that is charged once, or charges for the other lines of its invoice, has one.
func (w pendingPrice) checkInvoicing() error {
	const field = "invoicing_cycle_configuration"
	switch cycle := ShownLength(w.length); {
	case w.InvoicingCycle == nil || *w.InvoicingCycle == cycle:
		return nil
	case w.length.OneTime() || w.kind == PriceComposite:
		return fault.Bad(field, "must be the billing cycle")
	case !w.InvoicingCycle.Divides(cycle):
		return fault.Bad(field, "must divide the billing cycle")
	}
	return nil
}

func (w pendingPrice) checkCurrency() error {
	if !unit(w.Currency) {
		return fault.Bad("currency", "must be an ISO 4217 code or %s", money.Credits)
	}
	return nil
}

// unit reports whether prices and credits can be counted in c.
func unit(c money.Currency) bool { return c.Valid() || c == money.Credits }

// checkConversion requires a rate to money of a price in a custom unit, and reads
// it wherever it is given (price models 7.2).
func (w pendingPrice) checkConversion() error {
	if w.Currency != money.Credits && w.ConversionRate == nil && w.ConversionRateConfig == nil {
		return nil
	}
	_, err := rating.DecodeConversion(w.ConversionRate, w.ConversionRateConfig)
	return err
}

func (w pendingPrice) checkQuantity() error {
	const field = "fixed_price_quantity"
	switch {
	case w.Quantity == nil:
		return nil
	case w.kind == PriceComposite:
		return fault.Bad(field, "must not be given for a composite price")
	case w.kind == PriceUsage:
		return fault.Bad(field, "must not be given together with billable_metric_id")
	case w.Quantity.Sign() < 0:
		return fault.Bad(field, "must not be negative")
	}
	return nil
}

// checkModel refuses a model that needs more than a fixed fee has.
func (w pendingPrice) checkModel() error {
	if w.kind == PriceFixed && w.model != nil && !w.model.Needs().Single() {
		return fault.Bad("model_type", "prices usage by its properties, so it needs a billable_metric_id")
	}
	return nil
}

func (w pendingPrice) checkMetric() error {
	const field = "billable_metric_id"
	switch {
	case w.kind == PriceComposite && w.MetricID != nil:
		return fault.Bad(field, "must not be given for a composite price")
	case w.metric.ID == "":
		return nil
	case w.group.ID != "" && w.group.MetricID != w.metric.ID:
		return fault.Bad(field, "must be the metric of the dimensional price group")
	case w.model != nil && w.model.Needs().Additive && !w.metric.AddsUp():
		return fault.Bad(field, "must be a count or a sum, since the model adds up what events are worth")
	}
	return nil
}

// checkGrouping allows an invoice to show a price by groups where the quantities of
// the groups add up to the one that is rated (price models 8).
func (w pendingPrice) checkGrouping() error {
	const field = "invoice_grouping_key"
	switch {
	case w.InvoiceGroupingKey == nil:
		return nil
	case w.kind != PriceUsage:
		return fault.Bad(field, "must not be given unless the price charges usage")
	case w.metric.ID != "" && !w.metric.AddsUp():
		return fault.Bad(field, "needs a metric that is a count or a sum")
	case w.model != nil && !w.model.Needs().Single():
		return fault.Bad(field, "must not be given with a model that prices usage by its properties")
	}
	return checkName(field, *w.InvoiceGroupingKey)
}

func (w pendingPrice) checkDimensions() error {
	const field = "dimensional_price_configuration"
	if w.Dimensions == nil {
		return nil
	}
	switch byID, byAlias := w.Dimensions.GroupID != nil, w.Dimensions.ExternalGroupID != nil; {
	case byID == byAlias:
		return fault.Bad(field, "must have one of dimensional_price_group_id and external_dimensional_price_group_id")
	case w.kind == PriceComposite:
		return fault.Bad(field, "must not be given for a composite price")
	case w.group.ID != "" && len(w.Dimensions.Values) != len(w.group.Dimensions):
		return fault.Bad(field+".dimension_values", "must be as many as the group has dimensions")
	}
	return nil
}

func (w pendingPrice) checkComposite() error {
	const field = "composite_price_filters"
	if w.model != nil && w.kind != PriceComposite && len(w.CompositeFilters) > 0 {
		return fault.Bad(field, "must not be given unless the price is a composite one")
	}
	return fault.In(field, rating.CheckFilters(w.CompositeFilters))
}

// checkLicense tells whether the price may draw on licenses, or grant credits to
// them (semantics 17.1).
func (w pendingPrice) checkLicense() error {
	switch {
	case w.LicenseAllocations != nil:
		return w.checkLicensePrice()
	case w.LicenseTypeID == nil:
		return nil
	case w.kind == PriceComposite:
		return fault.Bad("license_type_id", "must not be given for a composite price")
	case w.kind == PriceUsage && w.ModelType != "unit":
		return fault.Bad("license_type_id", "needs the model unit where the price charges usage")
	case w.metric.ID != "" && !w.metric.AddsUp():
		return fault.Bad("license_type_id", "needs a metric that is a count or a sum")
	}
	return nil
}

// checkLicensePrice requires a fixed fee for each license.
func (w pendingPrice) checkLicensePrice() error {
	var faults []error
	refuse := func(field, reason string) { faults = append(faults, fault.Bad(field, "%s", reason)) }
	if w.LicenseTypeID == nil {
		refuse("license_type_id", "is required, since licenses are granted credits")
	}
	if w.ModelType != "unit" {
		refuse("model_type", "must be unit, since the price is one of licenses")
	}
	switch {
	case w.Dimensions != nil:
		refuse("dimensional_price_configuration", "must not be given, since the price is a fixed fee")
	case w.MetricID != nil:
		refuse("billable_metric_id", "must not be given, since the price is a fixed fee")
	}
	if len(w.LicenseAllocations) == 0 {
		refuse("license_allocations", "must have at least one entry")
	}
	for i, a := range w.LicenseAllocations {
		at := fmt.Sprintf("license_allocations[%d]", i)
		if a.Amount.Sign() < 0 {
			refuse(at+".amount", "must not be negative")
		}
		if !unit(a.Currency) {
			refuse(at+".currency", "must be an ISO 4217 code or credits")
		}
	}
	return fault.Join(faults...)
}
