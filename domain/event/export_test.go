package event

import (
	"context"
	"io"
	"math/bits"
	"slices"

	"tollkeeper/store"
	"tollkeeper/store/tempfile"
)

// Decode reads a request into memory, whatever its size.
func Decode(body io.Reader) (events []Event, err error) {
	received, err := Receive(body, tempfile.New("", 0))
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
func Spooled(r *Body) bool { return r.many != nil }

// Refused reports whether an event failed a check that needs no database.
func Refused(e Event) bool { return len(e.failures) > 0 }

// Misled makes the filters of a recorder say of each key that no closed part holds it.
func Misled(r *Recorder) {
	all := slices.Clone(*r.known.Load())
	for i, f := range all {
		all[i].bits = newKeyFilter(closedPart{}, 1).bits
		all[i].part, all[i].seal = f.part, f.seal
	}
	r.known.Store(&all)
}

// Panicking makes storing panic until mend is called.
func Panicking(r *Recorder) (mend func()) {
	known := r.known.Swap(nil)
	return func() { r.known.Store(known) }
}

// AsksFirst reports whether the next recording of the context's account asks which keys are known.
func AsksFirst(r *Recorder, ctx context.Context) bool {
	a := r.resends.accounts[store.AccountID(ctx)]
	return a != nil && a.left > 0
}

// Undone is how many recordings of the context's account were undone because of known keys.
func Undone(r *Recorder, ctx context.Context) (times int) {
	if a := r.resends.accounts[store.AccountID(ctx)]; a != nil {
		times = bits.Len(uint(a.span / fewestAsking))
	}
	return times
}
