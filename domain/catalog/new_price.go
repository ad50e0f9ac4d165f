package catalog

import (
	"cmp"
	"encoding/json"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// NewPrice is what a client asks for.
type NewPrice struct {
	Name            string
	ItemID          string
	MetricID        *string
	ExternalPriceID *string
	Cadence         period.Cadence
	Cycle           *period.Length // billing_cycle_configuration: required by cadence custom
	BilledInAdvance *bool          // nil: a fixed fee is, usage never
	Currency        money.Currency // "": the plan's
	Quantity        *money.Decimal // nil: 1 for a fixed fee
	ModelType       string
	Config          json.RawMessage
	Metadata        map[string]*string
}

// CreatePrice makes an add-on price. Its alias is unique among those.
func CreatePrice(tx *store.Tx, in NewPrice) (Price, error) {
	price, err := in.record(tx)
	if err != nil {
		return Price{}, err
	}
	if err := needNamed(tx, in); err != nil {
		return Price{}, err
	}
	err = tx.Create(&price).Error
	if store.Unique(err, "prices_addon_alias") {
		return Price{}, fault.Taken("price", "external_price_id")
	}
	return price, err
}

// record checks all that can be judged without other records, and applies the
// defaults (semantics 5.1.5).
func (in NewPrice) record(tx *store.Tx) (Price, error) {
	length, cycleErr := in.length()
	model, modelErr := in.model()
	metadata, metadataErr := store.Metadata(nil).Merge(in.Metadata)
	if err := fault.Join(cycleErr, in.checkCurrency(), in.checkQuantity(model), modelErr, metadataErr); err != nil {
		return Price{}, err
	}
	price := Price{
		Record:          tx.Record("price"),
		Name:            in.Name,
		ItemID:          in.ItemID,
		MetricID:        in.MetricID,
		ExternalPriceID: in.ExternalPriceID,
		Cadence:         in.Cadence,
		CycleMonths:     length.Months,
		CycleDays:       length.Days,
		BillingMode:     InArrear,
		Type:            PriceUsage,
		Currency:        in.Currency,
		ModelType:       in.ModelType,
		Config:          in.Config,
		Metadata:        metadata,

		Dimensions:         []rating.Property{},
		CompositeFilters:   []rating.Filter{},
		LicenseAllocations: []LicenseAllocation{},
	}
	if in.MetricID == nil {
		one := money.FromInt(1)
		price.Type = PriceFixed
		price.Quantity = cmp.Or(in.Quantity, &one)
		if in.BilledInAdvance == nil || *in.BilledInAdvance {
			price.BillingMode = InAdvance
		}
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
	if rating.Known(in.ModelType) {
		err = fault.In(in.ModelType+"_config", err)
	}
	return model, err
}

func (in NewPrice) checkCurrency() error {
	if !in.Currency.Valid() {
		return fault.Bad("currency", "must be an ISO 4217 code")
	}
	return nil
}

// checkQuantity tells usage from fixed fees. The model is nil where it is wrong.
func (in NewPrice) checkQuantity(model rating.Model) error {
	switch {
	case in.MetricID != nil && in.Quantity != nil:
		return fault.Bad("fixed_price_quantity", "must not be given together with billable_metric_id")
	case in.Quantity != nil && in.Quantity.Sign() < 0:
		return fault.Bad("fixed_price_quantity", "must not be negative")
	case in.MetricID == nil && model != nil && !model.Needs().Single():
		return fault.Bad("model_type", "prices usage by its properties, so it needs a billable_metric_id")
	}
	return nil
}

// needNamed refuses prices that name an item or a metric that does not exist.
func needNamed(tx *store.Tx, prices ...NewPrice) error {
	var itemIDs, metricIDs []string
	for _, price := range prices {
		itemIDs = append(itemIDs, price.ItemID)
		if price.MetricID != nil {
			metricIDs = append(metricIDs, *price.MetricID)
		}
	}
	items, err := FindItems(tx, itemIDs)
	if err != nil {
		return err
	}
	metrics, err := FindMetrics(tx, metricIDs)
	if err != nil {
		return err
	}
	for _, id := range itemIDs {
		if _, found := items[id]; !found {
			return fault.Missing("Item", id)
		}
	}
	for _, id := range metricIDs {
		if _, found := metrics[id]; !found {
			return fault.Missing("Metric", id)
		}
	}
	return nil
}
