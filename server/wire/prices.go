package wire

import (
	"encoding/json"
	"fmt"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// sentPrice is what a price of any family is sent as, but for the configuration of
// its model.
type sentPrice struct {
	gen.NewPriceBase
	gen.OptionalCurrency
	gen.Referable
	ModelType string `json:"model_type"`
}

// ReadPrice reads a price of any model, and its reference_id. The body of a price is a union, so
// this works on its JSON: the configuration is the member model_type + "_config", kept as text.
func ReadPrice(union json.Marshaler) (wanted catalog.NewPrice, reference *string, err error) {
	text, err := union.MarshalJSON()
	if err != nil {
		return wanted, nil, fmt.Errorf("read a price: %w", err)
	}
	var in sentPrice
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &in); err != nil {
		return wanted, nil, fmt.Errorf("read a price: %w", err)
	}
	if err := json.Unmarshal(text, &members); err != nil {
		return wanted, nil, fmt.Errorf("read a price: %w", err)
	}
	quantity, err := optionalNumberFromWire("fixed_price_quantity", in.FixedPriceQuantity)
	wanted = catalog.NewPrice{
		Name:               in.Name,
		ItemID:             in.ItemID,
		MetricID:           in.BillableMetricID,
		ExternalPriceID:    in.ExternalPriceID,
		Cadence:            period.Cadence(in.Cadence),
		Cycle:              lengthFromWire(in.BillingCycleConfiguration),
		InvoicingCycle:     lengthFromWire(in.InvoicingCycleConfiguration),
		BilledInAdvance:    in.BilledInAdvance,
		Currency:           money.Currency(Deref(in.Currency)),
		Quantity:           quantity,
		ModelType:          in.ModelType,
		Config:             members[in.ModelType+"_config"],
		ConversionRate:     in.ConversionRate,
		InvoiceGroupingKey: in.InvoiceGroupingKey,
		CompositeFilters:   ReadFilters(in.CompositePriceFilters),
		LicenseTypeID:      in.LicenseTypeID,
		Metadata:           ReadMetadata(in.Metadata),
	}
	if in.ConversionRateConfig != nil {
		wanted.ConversionRateConfig = members["conversion_rate_config"]
	}
	if d := in.DimensionalPriceConfiguration; d != nil {
		wanted.Dimensions = &catalog.NewDimensions{
			GroupID: d.DimensionalPriceGroupID, ExternalGroupID: d.ExternalDimensionalPriceGroupID, Values: d.DimensionValues,
		}
	}
	return wanted, in.ReferenceID, err
}

// Prices returns prices, each with the adjustments that apply to it alone.
func Prices(prices []catalog.Price, itemNames map[string]string, adjustments ...catalog.Adjustment) []gen.Price {
	return MapSlice(prices, func(p catalog.Price) gen.Price { return priceToWire(p, itemNames[p.ItemID], adjustments...) })
}

// priceToWire returns a price, with its configuration as it was sent. The legacy fields show the
// adjustments that apply to this price alone.
func priceToWire(price catalog.Price, itemName string, adjustments ...catalog.Adjustment) gen.Price {
	text, err := json.Marshal(priceBaseToWire(price, itemName, ofPrice(price, adjustments)))
	if err != nil {
		panic(fmt.Sprintf("wire: price %s cannot be written: %v", price.ID, err))
	}
	text = fmt.Appendf(text[:len(text)-1], `,"model_type":%q,"%s_config":%s}`, price.ModelType, price.ModelType, price.Config)
	var out gen.Price
	if err := out.UnmarshalJSON(text); err != nil {
		panic(fmt.Sprintf("wire: price %s cannot be written: %v", price.ID, err))
	}
	return out
}

func priceBaseToWire(price catalog.Price, itemName string, own []catalog.Adjustment) gen.PriceBase {
	legacy := legacyToWire(own, price.Currency)
	base := gen.PriceBase{
		ID:                          price.ID,
		Name:                        price.Name,
		ExternalPriceID:             price.ExternalPriceID,
		CreatedAt:                   Instant(price.CreatedAt),
		Item:                        gen.ItemSlim{ID: price.ItemID, Name: itemName},
		PriceType:                   gen.PriceType(price.Type),
		BillingMode:                 gen.BillingMode(price.BillingMode),
		Cadence:                     gen.Cadence(price.Cadence),
		BillingCycleConfiguration:   lengthToWire(catalog.ShownLength(price.Length())),
		InvoicingCycleConfiguration: optionalLengthToWire(price.InvoicingCycle),
		InvoiceGroupingKey:          price.InvoiceGroupingKey,
		FixedPriceQuantity:          optionalNumberToWire(price.Quantity),
		Currency:                    gen.Currency(price.Currency),
		ConversionRate:              optionalNumberToWire(price.ConversionRate),
		ConversionRateConfig:        conversionRateToWire(price),
		CreditAllocation:            allocationToWire(price.Allocation),
		LicenseType:                 optionalLicenseTypeToWire(price.LicenseType),
		PlanPhaseOrder:              price.PhaseOrder,
		ReplacesPriceID:             price.ReplacesPriceID,
		Discount:                    legacy.Discount,
		Minimum:                     legacy.Minimum,
		MinimumAmount:               legacy.MinimumAmount,
		Maximum:                     legacy.Maximum,
		MaximumAmount:               legacy.MaximumAmount,
		Metadata:                    Metadata(price.Metadata),
	}
	if price.MetricID != nil {
		base.BillableMetric = &gen.BillableMetricTiny{ID: *price.MetricID}
	}
	if price.Type == catalog.PriceComposite {
		base.CompositePriceFilters = filtersToWire(price.CompositeFilters)
	}
	if price.DimensionalPriceGroupID != nil {
		base.DimensionalPriceConfiguration = &gen.DimensionalPriceConfiguration{
			DimensionalPriceGroupID: *price.DimensionalPriceGroupID,
			DimensionValues:         MapSlice(price.Dimensions, func(p rating.Property) string { return p.Value }),
		}
	}
	return base
}

// conversionRateToWire returns the conversion rate configuration as it was sent, nil for none.
func conversionRateToWire(price catalog.Price) *gen.NullableConversionRateConfig {
	if price.ConversionRateConfig == nil {
		return nil
	}
	var shown gen.NullableConversionRateConfig
	if err := shown.UnmarshalJSON(*price.ConversionRateConfig); err != nil {
		panic(fmt.Sprintf("wire: the conversion of price %s cannot be written: %v", price.ID, err))
	}
	return &shown
}

// LoadPrice returns a price with the name of its item, which it reads.
func LoadPrice(tx *store.Tx, price catalog.Price) (gen.Price, error) {
	item, err := catalog.FindItem(tx, price.ItemID)
	if err != nil {
		return gen.Price{}, err
	}
	return priceToWire(price, item.Name), nil
}

// LoadItemNames loads the names of the items of prices, by item id.
func LoadItemNames(tx *store.Tx, prices []catalog.Price) (map[string]string, error) {
	return catalog.Names(tx, MapSlice(prices, func(p catalog.Price) string { return p.ItemID }))
}
