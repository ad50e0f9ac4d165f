package usage

import "tollkeeper/store"

// FromBuckets reports whether buckets answer a request, in part at least.
func FromBuckets(tx *store.Tx, req Request) (bool, error) {
	from, err := stored(tx, []Request{req})
	return err == nil && from.standing.choose(req) != nil, err
}

// MeasureEvents is Measure from events alone, in the same snapshot.
func MeasureEvents(tx *store.Tx, req Request) ([]Reading, error) {
	other := *tx
	other.DB = tx.WithContext(ReadEvents(tx.Context()))
	return Measure(&other, req)
}
