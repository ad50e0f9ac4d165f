package usage

// Refused reports whether an event failed a check that needs no database.
func Refused(e Event) bool { return len(e.failures) > 0 }
