package period

import (
	"errors"
	"regexp"
	"strings"
	"time"
)

var (
	errInstant  = errors.New("must be a date, or a date and time as in RFC 3339")
	errDateTime = errors.New("must be a date and time as in RFC 3339")
)

var (
	dateOnly = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)
	dateTime = regexp.MustCompile(`^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2})(:\d{2}(?:\.\d{1,9})?)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)?$`)
)

// ParseInstant reads a date or date-time of the wire (semantics 1.1.13): RFC 3339;
// a date-time without offset, then also without seconds, which is read in loc; or
// a date, the beginning of that day in loc. The result is in UTC, cut to whole
// microseconds. Like those of ParseDateTime, its errors can be shown as the
// reason of a fault.
func ParseInstant(s string, loc *time.Location) (time.Time, error) {
	if dateOnly.MatchString(s) {
		d, err := ParseDate(s)
		if err != nil {
			return time.Time{}, errInstant
		}
		if t := d.In(loc); writable(t) {
			return t, nil
		}
		return time.Time{}, errInstant
	}
	t, err := ParseDateTime(s, loc)
	if err != nil {
		return time.Time{}, errInstant
	}
	return t, nil
}

// ParseDateTime is ParseInstant for places where a date alone is not enough.
func ParseDateTime(s string, loc *time.Location) (time.Time, error) {
	m := dateTime.FindStringSubmatch(strings.ToUpper(s)) // RFC 3339 allows t and z
	if m == nil {
		return time.Time{}, errDateTime
	}
	minute, seconds, offset := m[1], m[2], m[3]
	switch {
	case seconds == "" && offset != "":
		return time.Time{}, errDateTime
	case seconds == "":
		seconds = ":00"
	}
	wall, err := time.Parse(time.RFC3339, minute+seconds+"Z")
	if err != nil || wall.Year() == 0 {
		return time.Time{}, errDateTime
	}
	wall = wall.Truncate(time.Microsecond)
	var at time.Time
	if offset == "" {
		at = firstReading(wall, loc)
	} else {
		zone, err := time.Parse("Z07:00", offset)
		if err != nil {
			return time.Time{}, errDateTime
		}
		_, east := zone.Zone()
		at = wall.Add(-time.Duration(east) * time.Second)
	}
	if !writable(at) {
		return time.Time{}, errDateTime
	}
	return at, nil
}

// writable reports whether the year of t, in UTC, is from 1 to 9999, so that it can be written with
// four digits. The offset of a zone can move an instant out of these years.
func writable(t time.Time) bool { return t.Year() >= 1 && t.Year() <= 9999 }

// FormatInstant writes t as responses do: 2025-02-01T00:00:00+00:00, with up to
// six digits of a second if it has any (semantics 1.1.12).
func FormatInstant(t time.Time) string {
	return t.UTC().Truncate(time.Microsecond).Format("2006-01-02T15:04:05.999999-07:00")
}
