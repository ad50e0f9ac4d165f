package catalog

import (
	"encoding/json"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NewLinePrice is the price of a line that is put on an invoice by hand: so much for
// each unit, once (semantics 8.1.11).
type NewLinePrice struct {
	Name     string
	ItemID   string
	Currency money.Currency
	Quantity money.Decimal
	Config   json.RawMessage // of the model unit
}

// CreateLinePrice makes the price of one line of an invoice. It is in no list.
func CreateLinePrice(tx *store.Tx, invoiceID string, in NewLinePrice) (Price, error) {
	const model = "unit"
	_, err := rating.Decode(model, in.Config)
	if err := fault.In(model+"_config", err); err != nil {
		return Price{}, err
	}
	price := Price{
		Record: tx.Record("price"), InvoiceID: &invoiceID, Name: in.Name, ItemID: in.ItemID, Cadence: period.CadenceOneTime,
		BillingMode: InAdvance, Type: PriceFixed, Currency: in.Currency, Quantity: &in.Quantity, ModelType: model, Config: in.Config,
		Metadata: store.Metadata{}, Dimensions: []rating.Property{}, CompositeFilters: []rating.Filter{},
		LicenseAllocations: []LicenseAllocation{},
	}
	return price, tx.Create(&price).Error
}

// DeleteLinePrice removes the price of a line that is taken off a draft, unless it was
// made for another invoice, which that replaces.
func DeleteLinePrice(tx *store.Tx, id, invoiceID string) error {
	return tx.Where("id = ? AND invoice_id = ?", id, invoiceID).Delete(&Price{}).Error
}
