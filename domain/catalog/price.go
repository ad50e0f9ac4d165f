package catalog

import (
	"encoding/json"
	"fmt"
	"maps"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// PriceType says where the quantity of a price comes from.
type PriceType string

const (
	PriceUsage     PriceType = "usage_price"     // a metric
	PriceFixed     PriceType = "fixed_price"     // its own quantity
	PriceComposite PriceType = "composite_price" // other prices
)

// BillingMode says at which end of a billing period its charge is invoiced.
type BillingMode string

const (
	InAdvance BillingMode = "in_advance" // at the start
	InArrear  BillingMode = "in_arrear"  // at the end
)

// Price turns a quantity into an amount, once per billing period.
type Price struct {
	store.Record
	PlanID          *string
	SubscriptionID  *string // the only one it is made for; then it has no plan, and without either it is an add-on price
	InvoiceID       *string // the only one that has a line of it; then it is in no list
	PhaseOrder      *int    // nil: in all phases, or there are none
	ReplacesPriceID *string
	Name            string
	ItemID          string
	MetricID        *string // of a usage price
	ExternalPriceID *string // alias, unique among add-on prices
	Cadence         period.Cadence
	CycleMonths     int
	CycleDays       int
	BillingMode     BillingMode
	Type            PriceType
	Currency        money.Currency
	Quantity        *money.Decimal // of a fixed fee, not negative
	ModelType       string
	Config          json.RawMessage `gorm:"serializer:json"` // of the model; accepted by rating.Decode
	Metadata        store.Metadata

	// How a price in a custom unit becomes money: as sent, one of them or both, which
	// then agree. Prices in money may say it too, and have no use for it.
	ConversionRate       *money.Decimal
	ConversionRateConfig *json.RawMessage `gorm:"serializer:json"`

	InvoicingCycle     *period.Length `gorm:"serializer:json"` // as sent; nil: as the billing cycle
	InvoiceGroupingKey *string        // the property by whose values an invoice shows the usage

	DimensionalPriceGroupID *string
	Dimensions              []rating.Property `gorm:"serializer:json"` // those of the group, in its order: only events with all of them count

	CompositeFilters []rating.Filter `gorm:"serializer:json"` // what a composite price charges for: all must hold

	LicenseTypeID      *string
	LicenseType        *LicenseType        `gorm:"-"`               // of that id
	Allocation         *Allocation         `gorm:"serializer:json"` // of an allocation price
	LicenseAllocations []LicenseAllocation `gorm:"serializer:json"` // of a license price that grants credits

	Parameters metric.Parameters `gorm:"-"` // for its metric, where a subscription is given some
}

// Model is how the price is rated.
func (p Price) Model() rating.Model {
	model, err := rating.Decode(p.ModelType, p.Config)
	if err != nil {
		panic(fmt.Sprintf("catalog: price %s was accepted, but does not decode: %v", p.ID, err))
	}
	return model
}

// Conversion is how its amounts become money; in money they are it already.
func (p Price) Conversion() rating.Conversion {
	if p.Currency.Valid() {
		return rating.Conversion{}
	}
	var flat *json.Number
	if p.ConversionRate != nil {
		rate := json.Number(p.ConversionRate.String())
		flat = &rate
	}
	var config json.RawMessage
	if p.ConversionRateConfig != nil {
		config = *p.ConversionRateConfig
	}
	conversion, err := rating.DecodeConversion(flat, config)
	if err != nil {
		panic(fmt.Sprintf("catalog: price %s was accepted, but does not convert: %v", p.ID, err))
	}
	return conversion
}

// Length is that of the billing cycle; the zero Length for a price billed once.
func (p Price) Length() period.Length {
	return period.Length{Months: p.CycleMonths, Days: p.CycleDays}
}

// InvoicingLength is that of the invoicing cycle: the billing cycle, or a whole part of it.
func (p Price) InvoicingLength() period.Length {
	if p.InvoicingCycle == nil || p.Length().OneTime() {
		return p.Length()
	}
	return *p.InvoicingCycle
}

// Fixed reports whether the price is a fixed fee.
func (p Price) Fixed() bool { return p.Type == PriceFixed }

// InAdvance reports whether a period is invoiced at its start.
func (p Price) InAdvance() bool { return p.BillingMode == InAdvance }

// Priced is what filters know of the price.
func (p Price) Priced() rating.Priced {
	return rating.Priced{
		PriceID: p.ID, ItemID: p.ItemID, Currency: string(p.Currency),
		Usage: p.Type == PriceUsage, Fixed: p.Fixed(), InAdvance: p.InAdvance(),
	}
}

// FindPrice returns the price with that id, whatever it belongs to, or
// fault.Missing.
func FindPrice(tx *store.Tx, id string) (price Price, err error) {
	err = tx.Where("id = ?", id).Take(&price).Error
	if err != nil {
		return Price{}, store.Found(err, "Price", id)
	}
	return price, withLicenseTypes(tx, &price)
}

// FindPriceByExternalID returns the price with that alias: the add-on price
// first, then the newest of plans (semantics 5.1.10). Those of one subscription
// have no place in the catalog.
func FindPriceByExternalID(tx *store.Tx, alias string) (price Price, err error) {
	err = tx.Where("external_price_id = ? AND subscription_id IS NULL", alias).
		Order(firstOfAlias).
		Take(&price).Error
	if err != nil {
		return Price{}, store.Found(err, "Price", alias)
	}
	return price, withLicenseTypes(tx, &price)
}

// FindPricesByExternalID is FindPriceByExternalID for several aliases at once. It
// leaves out those that no price bears.
func FindPricesByExternalID(tx *store.Tx, aliases []string) (map[string]Price, error) {
	byAlias := make(map[string]Price, len(aliases))
	if len(aliases) == 0 {
		return byAlias, nil
	}
	var rows []Price
	err := tx.Select("DISTINCT ON (external_price_id) *").
		Where("external_price_id IN ? AND subscription_id IS NULL", aliases).
		Order("external_price_id").Order(firstOfAlias).
		Find(&rows).Error
	for _, price := range rows {
		byAlias[*price.ExternalPriceID] = price
	}
	return byAlias, err
}

// firstOfAlias orders prices of one alias by which of them it means.
const firstOfAlias = "(plan_id IS NULL) DESC, created_at DESC, seq DESC"

// UpdatePrice applies an edit to a price. Of what it changes, only metadata is kept:
// nothing else of a price can change.
func UpdatePrice(tx *store.Tx, id string, edit func(*Price) error) (price Price, err error) {
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&price).Error
	if err != nil {
		return Price{}, store.Found(err, "Price", id)
	}
	edited := price
	if err := edit(&edited); err != nil {
		return Price{}, err
	}
	if !maps.Equal(edited.Metadata, price.Metadata) {
		webhook.Announce(tx, webhook.PriceEdited, id, price.Metadata)
	}
	price.Metadata = edited.Metadata
	if err := tx.Model(&price).Select("metadata").Updates(&price).Error; err != nil {
		return Price{}, err
	}
	return price, withLicenseTypes(tx, &price)
}

// FindPrices returns the prices with those ids, by id. It asks once, and leaves
// out what does not exist.
func FindPrices(tx *store.Tx, ids []string) (map[string]Price, error) {
	found, err := findAll(tx, ids, func(p Price) string { return p.ID })
	if err != nil {
		return nil, err
	}
	all := make([]*Price, 0, len(found))
	for _, price := range found {
		all = append(all, &price)
	}
	if err := withLicenseTypes(tx, all...); err != nil {
		return nil, err
	}
	for _, price := range all {
		found[price.ID] = *price
	}
	return found, nil
}

// withLicenseTypes loads the license types that prices name. It asks once, and not
// at all for prices that name none.
func withLicenseTypes(tx *store.Tx, prices ...*Price) error {
	var ids []string
	for _, price := range prices {
		if price.LicenseTypeID != nil {
			ids = append(ids, *price.LicenseTypeID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	types, err := FindLicenseTypes(tx, ids)
	for _, price := range prices {
		if price.LicenseTypeID != nil {
			found := types[*price.LicenseTypeID]
			price.LicenseType = &found
		}
	}
	return err
}

// SizeOfPrice is how many bytes the rates and filters of a price have, packed; no table beside prices has these columns.
const SizeOfPrice = "(pg_column_size(config) + pg_column_size(composite_filters) + coalesce(pg_column_size(conversion_rate_config), 0))"

// linesOfPrice is a line for a price, more for one with long rates or filters.
const linesOfPrice = "1 + " + SizeOfPrice + " / 100"

// ListPrices returns a page of the prices of plans and the add-on prices, newest
// first.
func ListPrices(tx *store.Tx, page store.Page) (prices []Price, next string, err error) {
	prices, next, err = store.List[Price](store.Long(tx.Where("subscription_id IS NULL AND invoice_id IS NULL"), linesOfPrice), page)
	if err != nil {
		return nil, "", err
	}
	listed := make([]*Price, len(prices))
	for i := range prices {
		listed[i] = &prices[i]
	}
	return prices, next, withLicenseTypes(tx, listed...)
}
