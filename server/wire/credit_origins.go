package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// origins are the allocation prices that blocks of credits came of, by id.
type origins map[string]catalog.Price

// OriginsOf loads the prices that granted blocks.
func OriginsOf(tx *store.Tx, blocks ...credit.Block) (origins, error) {
	var ids []string
	for _, b := range blocks {
		if b.Source == credit.SourceAllocation {
			ids = append(ids, *b.OriginID)
		}
	}
	return catalog.FindPrices(tx, ids)
}

// allocation shows what a block came of, nil unless that is an allocation price.
func (o origins) allocation(block credit.Block) *gen.BlockCreditAllocation {
	if block.Source != credit.SourceAllocation {
		return nil
	}
	price := o[*block.OriginID]
	shown := allocationToWire(price.Allocation)
	return &gen.BlockCreditAllocation{
		AllowsRollover: shown.AllowsRollover, Currency: shown.Currency, CustomExpiration: shown.CustomExpiration,
		ItemID: price.ItemID, Filters: shown.Filters, LicenseTypeID: shown.LicenseTypeID,
	}
}
