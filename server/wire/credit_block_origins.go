package wire

import (
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// BlockOrigins are the allocation prices that granted credit blocks, by price id.
type BlockOrigins map[string]catalog.Price

// LoadBlockOrigins loads the allocation prices that granted the blocks.
func LoadBlockOrigins(tx *store.Tx, blocks ...credit.Block) (BlockOrigins, error) {
	var ids []string
	for _, b := range blocks {
		if b.Source == credit.SourceAllocation {
			ids = append(ids, *b.OriginID)
		}
	}
	return catalog.FindPrices(tx, ids)
}

// creditAllocation returns the allocation that granted a block, nil for a block that none granted.
func (o BlockOrigins) creditAllocation(block credit.Block) *gen.BlockCreditAllocation {
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
