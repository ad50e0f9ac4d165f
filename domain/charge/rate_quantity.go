package charge

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Rated is the amount of a price for a quantity in a full billing period.
type Rated struct {
	Price    catalog.Price
	Quantity money.Decimal
	Parts    []rating.Part // sum to Exact
	Exact    money.Decimal
	Subtotal money.Decimal // Exact, rounded as a line is
}

// RateQuantity rates a quantity by a price. A price of which one quantity says too little, since it
// charges by properties of events or for other prices, is refused.
func RateQuantity(tx *store.Tx, priceID string, quantity money.Decimal) (c Rated, err error) {
	price, err := catalog.FindPrice(tx, priceID)
	if err != nil {
		return c, err
	}
	model, err := rating.Decode(price.ModelType, price.Config)
	if err != nil {
		return c, err
	}
	if !model.Needs().Single() {
		return c, fault.Refused("one quantity is not enough for a price of the model %s", price.ModelType)
	}
	if price.Type == catalog.PriceFixed && quantity.Sign() < 0 {
		return c, fault.Bad("quantity", "must be 0 or more")
	}
	charged := rating.Rate(model, rating.Usage{Quantity: quantity, Fixed: price.Type == catalog.PriceFixed})
	return Rated{
		Price: price, Quantity: charged.Quantity, Parts: charged.Parts, Exact: charged.Subtotal,
		Subtotal: rounded(price, charged.Subtotal),
	}, nil
}
