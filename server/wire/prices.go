package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// LoadPrice shows a price with its item.
func LoadPrice(tx *store.Tx, price catalog.Price) (gen.Price, error) {
	item, err := catalog.FindItem(tx, price.ItemID)
	if err != nil {
		return gen.Price{}, err
	}
	return priceToWire(price, item.Name), nil
}

// ItemNames loads what priceToWire needs beside the prices.
func ItemNames(tx *store.Tx, prices []catalog.Price) (map[string]string, error) {
	return catalog.Names(tx, MapSlice(prices, func(p catalog.Price) string { return p.ItemID }))
}
