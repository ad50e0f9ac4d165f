package catalog

import (
	"fmt"

	"tollkeeper/domain/fault"
	"tollkeeper/store"
)

// UnsavedPrices makes add-on prices that are checked as such and never saved. What is
// wrong with one is at its place. What they name is loaded at once.
func UnsavedPrices(tx *store.Tx, wanted []NewPrice, places []string) ([]Price, error) {
	known, err := refer(tx, wanted...)
	if err != nil {
		return nil, err
	}
	prices := make([]Price, len(wanted))
	faults := make([]error, len(wanted))
	for i, in := range wanted {
		prices[i], err = in.record(tx, known)
		faults[i] = fault.In(places[i], err)
	}
	return prices, fault.Join(faults...)
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
	if err != nil {
		return nil, fmt.Errorf("find prices by their aliases: %w", err)
	}
	for _, price := range rows {
		byAlias[*price.ExternalPriceID] = price
	}
	return byAlias, nil
}
