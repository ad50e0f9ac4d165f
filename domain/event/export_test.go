package event

import "io"

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
