package catalog

import (
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// UnsavedPrices makes add-on prices that are checked as such and never saved. What is
// wrong with one is at its place. What they name is loaded at once.
func UnsavedPrices(tx *store.Tx, wanted []NewPrice, places []string) ([]Price, error) {
	known, err := loadReferences(tx, wanted...)
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
