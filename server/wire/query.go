package wire

import (
	"time"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
)

// OneOrMany joins the two forms of a filter: name=a, and name[]=a&name[]=b.
func OneOrMany[T any](one *T, many []T) []T {
	if one != nil {
		return append([]T{*one}, many...)
	}
	return many
}

// Deref returns the text, "" for nil.
func Deref[T ~string](text *T) string {
	if text == nil {
		return ""
	}
	return string(*text)
}

// ReadTimeframe reads the two ends of a timeframe. A date-time without an
// offset is UTC, a bare date local midnight (semantics 1.1.11).
func ReadTimeframe(start, end *gen.DateOrDateTime, loc *time.Location) (from, to *time.Time, err error) {
	read := func(field string, text *gen.DateOrDateTime) (*time.Time, error) {
		if text == nil {
			return nil, nil
		}
		zone := time.UTC
		if _, err := period.ParseDate(*text); err == nil {
			zone = loc
		}
		return ReadInstant(field, text, zone)
	}
	from, startErr := read("timeframe_start", start)
	to, endErr := read("timeframe_end", end)
	return from, to, fault.Join(startErr, endErr)
}
