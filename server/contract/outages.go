package contract

import (
	"errors"

	"tollkeeper/store"
	"tollkeeper/store/tempfile"
)

// Outage is a reason why a valid request could not be served now: the same request may succeed
// later.
type Outage store.Outage

// Outages.
const (
	NoOutage = Outage(store.NoOutage)
	Busy     = Outage(store.Busy)
	Away     = Outage(store.Away)
	NoRoom   = Away + 1 // for temporary files
)

// RetryAfter returns the value of the header Retry-After, in seconds.
func (o Outage) RetryAfter() string {
	switch o {
	case Away:
		return "2"
	case NoRoom: // until large requests end
		return "5"
	}
	return "1"
}

// OutageOf reports whether a failure is an outage: of the database, since the queue of events is full, or since
// temporary files find no room. What is larger than the place for them is none: it never finds room.
func OutageOf(err error) Outage {
	var room *tempfile.Refusal
	switch {
	case errors.Is(err, ErrOverloaded):
		return Busy
	case errors.As(err, &room) && room.Reason == tempfile.TooLarge:
		return NoOutage
	case room != nil:
		return NoRoom
	}
	return Outage(store.OutageOf(err))
}

// IsTransient reports whether the same request may succeed later.
func IsTransient(err error) bool { return OutageOf(err) != NoOutage || store.TimedOut(err) }
