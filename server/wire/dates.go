package wire

import (
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ReadDate reads a calendar date, YYYY-MM-DD.
func ReadDate(field string, text gen.Date) (period.Date, error) {
	date, err := period.ParseDate(text)
	if err != nil {
		return period.Date{}, fault.Bad(field, "%s", err)
	}
	return date, nil
}

// ReadOptionalDate is ReadDate for a date that may be left out: nil stays nil.
func ReadOptionalDate(field string, text *gen.Date) (*period.Date, error) {
	if text == nil {
		return nil, nil
	}
	date, err := ReadDate(field, *text)
	return &date, err
}

// ReadDateTime reads a date-time; without an offset it is in UTC.
func ReadDateTime(field, text string) (time.Time, error) {
	at, err := period.ParseDateTime(text, time.UTC)
	if err != nil {
		return time.Time{}, fault.Bad(field, "%s", err)
	}
	return at, nil
}

// ReadRange reads the bounds name[gt], name[gte], name[lt] and name[lte] of a list that spans
// customers: a bare date begins at midnight in UTC.
func ReadRange(name string, gt, gte, lt, lte *gen.DateOrDateTime) (store.Range, error) {
	return ReadLocalRange(name, time.UTC, gt, gte, lt, lte)
}

// ReadLocalRange is ReadRange for a list of one customer: a bare date begins at midnight in loc. A
// date-time without an offset is still in UTC (semantics 1.1.11).
func ReadLocalRange(name string, loc *time.Location, gt, gte, lt, lte *gen.DateOrDateTime) (store.Range, error) {
	var r store.Range
	var failed []error
	for _, bound := range []struct {
		suffix string
		text   *gen.DateOrDateTime
		at     **time.Time
	}{{"[gt]", gt, &r.Gt}, {"[gte]", gte, &r.Gte}, {"[lt]", lt, &r.Lt}, {"[lte]", lte, &r.Lte}} {
		zone := time.UTC
		if bound.text != nil && len(*bound.text) == len(time.DateOnly) {
			zone = loc
		}
		at, err := ReadInstant(name+bound.suffix, bound.text, zone)
		*bound.at = at
		failed = append(failed, err)
	}
	return r, fault.Join(failed...)
}

// ReadInstant reads an optional date or date-time; a bare date is midnight in loc. Nil stays nil.
func ReadInstant(field string, text *gen.DateOrDateTime, loc *time.Location) (*time.Time, error) {
	if text == nil {
		return nil, nil
	}
	at, err := period.ParseInstant(*text, loc)
	if err != nil {
		return nil, fault.Bad(field, "%s", err)
	}
	return &at, nil
}

// Instant formats an instant in UTC, as responses show it.
func Instant(at time.Time) gen.Timestamp { return period.FormatInstant(at) }

// OptionalInstant formats an instant; nil stays nil.
func OptionalInstant(at *time.Time) *gen.Timestamp {
	if at == nil {
		return nil
	}
	text := Instant(*at)
	return &text
}

// ReadTimeframe reads timeframe_start and timeframe_end. A date-time without an offset is in UTC, a
// bare date is midnight in loc (semantics 1.1.11).
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
