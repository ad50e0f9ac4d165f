package reference

import "time"

// ByTime is a parameter with another value for events before some instants, which rise. What
// is looked at after events were put together has the last one (semantics 4.2.7).
type ByTime struct {
	Before []Until
	Last   any
}

// Until is the value of a parameter until an instant, exclusive.
type Until struct {
	Until time.Time
	Value any
}

// of is the value for an event, or for none.
func (t ByTime) of(e *Event) any {
	if e != nil {
		for _, before := range t.Before {
			if e.Timestamp.Before(before.Until) {
				return before.Value
			}
		}
	}
	return t.Last
}
