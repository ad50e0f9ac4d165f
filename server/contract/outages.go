package contract

import (
	"errors"

	"tollkeeper/store"
)

// Outage is a reason why a valid request could not be served now: the same request may succeed
// later.
type Outage store.Outage

// Outages.
const (
	NoOutage = Outage(store.NoOutage)
	Busy     = Outage(store.Busy)
	Away     = Outage(store.Away)
)

// RetryAfter returns the value of the header Retry-After, in seconds.
func (o Outage) RetryAfter() string {
	if o == Away {
		return "2"
	}
	return "1"
}

// OutageOf reports whether a failure is an outage: of the database, or since the queue of events is full.
func OutageOf(err error) Outage {
	if errors.Is(err, ErrOverloaded) {
		return Busy
	}
	return Outage(store.OutageOf(err))
}

// IsTransient reports whether the same request may succeed later.
func IsTransient(err error) bool { return OutageOf(err) != NoOutage || store.TimedOut(err) }
