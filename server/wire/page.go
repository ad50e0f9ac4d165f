package wire

import (
	"time"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store"
)

const defaultLimit = 20

// ReadPage reads the parameters of every list.
func ReadPage(limit *gen.Limit, cursor *gen.Cursor) store.Page {
	page := store.Page{Limit: defaultLimit}
	if limit != nil {
		page.Limit = *limit
	}
	if cursor != nil {
		page.Cursor = *cursor
	}
	return page
}

// Page tells how a list goes on; next is "" on the last page.
func Page(next string) gen.PaginationMetadata {
	if next == "" {
		return gen.PaginationMetadata{}
	}
	return gen.PaginationMetadata{HasMore: true, NextCursor: &next}
}

// ReadRange reads the bounds name[gt], name[gte], name[lt] and name[lte]. A
// list has no one customer, so a bare date begins in UTC.
func ReadRange(name string, gt, gte, lt, lte *gen.DateOrDateTime) (store.Range, error) {
	return ReadLocalRange(name, time.UTC, gt, gte, lt, lte)
}

// ReadLocalRange is rangeFromWire for a list of one customer's: a bare date
// begins in loc. A date-time without an offset is in UTC all the same
// (semantics 1.1.11).
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

// ReadInstant reads an optional date or date-time; a bare date begins in loc.
// Nil stays nil.
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

// Instant writes an instant as responses do.
func Instant(at time.Time) gen.Timestamp { return period.FormatInstant(at) }

// OptionalInstant writes an instant, or null.
func OptionalInstant(at *time.Time) *gen.Timestamp {
	if at == nil {
		return nil
	}
	text := Instant(*at)
	return &text
}
