package catalog

import (
	"cmp"
	"encoding/json"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewPrice is what a client asks for.
type NewPrice struct {
	Name            string
	ItemID          string
	MetricID        *string
	ExternalPriceID *string
	Cadence         period.Cadence
	Cycle           *period.Length // billing_cycle_configuration: required by cadence custom
	InvoicingCycle  *period.Length // invoicing_cycle_configuration
	BilledInAdvance *bool          // nil: a fixed fee is, all else never
	Currency        money.Currency // "": the plan's or subscription's
	Quantity        *money.Decimal // nil: 1 for a fixed fee
	ModelType       string
	Config          json.RawMessage
	Metadata        map[string]*string

	ConversionRate       *json.Number
	ConversionRateConfig json.RawMessage

	InvoiceGroupingKey *string
	Dimensions         *NewDimensions
	CompositeFilters   []rating.Filter // of a composite price; none: it charges for all others
	LicenseTypeID      *string
	LicenseAllocations []LicenseAllocation // not nil: a license allocation price

	// Allocation asks for an allocation price. But for the currency nothing else is
	// given then.
	Allocation *NewAllocation
}

// NewDimensions is a combination of the values of a dimensional price group, which
// is named in one of two ways.
type NewDimensions struct {
	GroupID         *string
	ExternalGroupID *string
	Values          []string // in the order of the group's dimensions
}

func (d NewDimensions) name() string {
	if d.GroupID != nil {
		return *d.GroupID
	}
	return *d.ExternalGroupID
}

// Member is what an entry of a request calls such a price, beside the two others of
// which it then has none (semantics 5.1.5).
func (in NewPrice) Member() string {
	switch {
	case in.Allocation != nil:
		return "allocation_price"
	case in.LicenseAllocations != nil:
		return "license_allocation_price"
	}
	return "price"
}

// CreatePrice makes an add-on price. Its alias is unique among those.
func CreatePrice(tx *store.Tx, in NewPrice) (Price, error) {
	known, err := loadReferences(tx, in)
	if err != nil {
		return Price{}, err
	}
	price, err := in.record(tx, known)
	if err != nil {
		return Price{}, err
	}
	err = tx.Create(&price).Error
	if store.Unique(err, "prices_addon_alias") {
		return Price{}, fault.Taken("price", "external_price_id")
	}
	if err != nil {
		return Price{}, err
	}
	return price, withLicenseTypes(tx, &price)
}

// record checks the price and applies the defaults (semantics 5.1.5).
func (in NewPrice) record(tx *store.Tx, known references) (Price, error) {
	if in.Allocation != nil {
		return in.Allocation.record(tx, in, known)
	}
	length, cycleErr := in.length()
	model, modelErr := in.model()
	metadata, metadataErr := store.Metadata(nil).Merge(in.Metadata)
	w := pendingPrice{NewPrice: in, model: model, length: length}
	w.depend(known)
	if err := fault.Join(cycleErr, w.check(), modelErr, metadataErr); err != nil {
		return Price{}, err
	}
	if err := known.need(in); err != nil {
		return Price{}, err
	}
	price := Price{
		Record:             tx.Record("price"),
		Name:               in.Name,
		ItemID:             in.ItemID,
		MetricID:           w.MetricID,
		ExternalPriceID:    in.ExternalPriceID,
		Cadence:            in.Cadence,
		CycleMonths:        length.Months,
		CycleDays:          length.Days,
		InvoicingCycle:     in.InvoicingCycle,
		BillingMode:        w.billingMode(),
		Type:               w.kind,
		Currency:           in.Currency,
		Quantity:           w.quantity(),
		ModelType:          in.ModelType,
		Config:             in.Config,
		Metadata:           metadata,
		InvoiceGroupingKey: in.InvoiceGroupingKey,
		Dimensions:         w.dimensions(),
		CompositeFilters:   append([]rating.Filter{}, in.CompositeFilters...),
		ConversionRate:     w.conversionRate(),
		LicenseTypeID:      in.LicenseTypeID,
		LicenseAllocations: append([]LicenseAllocation{}, in.LicenseAllocations...),
	}
	if in.Dimensions != nil {
		price.DimensionalPriceGroupID = &w.group.ID
	}
	if in.ConversionRateConfig != nil {
		price.ConversionRateConfig = &in.ConversionRateConfig
	}
	return price, nil
}

// length is that of the billing cycle.
func (in NewPrice) length() (period.Length, error) {
	const field = "billing_cycle_configuration"
	if in.Cadence == period.CadenceCustom {
		if in.Cycle == nil {
			return period.Length{}, fault.Bad(field, "is required by the cadence custom")
		}
		return *in.Cycle, nil
	}
	length := in.Cadence.Length(period.Length{})
	if in.Cycle != nil && *in.Cycle != ShownLength(length) {
		return period.Length{}, fault.Bad(field, "must be that of the cadence, or the cadence custom")
	}
	return length, nil
}

// ShownLength is the billing cycle that a price shows: its own, or a month where
// it is billed once.
func ShownLength(length period.Length) period.Length {
	return cmp.Or(length, period.Length{Months: 1})
}

func (in NewPrice) model() (rating.Model, error) {
	model, err := rating.Decode(in.ModelType, in.Config)
	if err == nil {
		err = CheckNames(in.ModelType, in.Config)
	}
	if rating.Known(in.ModelType) {
		err = fault.In(in.ModelType+"_config", err)
	}
	return model, err
}
