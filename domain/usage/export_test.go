package usage

import (
	"io"

	"tollkeeper/store"
)

// Decode reads a request into memory, whatever its size.
func Decode(body io.Reader) (events []Event, err error) {
	received, err := Receive(body)
	switch {
	case err != nil:
		return nil, err
	case received.many == nil:
		return received.few, nil
	}
	defer received.Close()
	for portion, err := range received.many.portions() {
		if err != nil {
			return nil, err
		}
		events = append(events, portion...)
	}
	return events, nil
}

// Spooled reports whether the events are on disk.
func Spooled(r *Received) bool { return r.many != nil }

// Refused reports whether an event failed a check that needs no database.
func Refused(e Event) bool { return len(e.failures) > 0 }

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
