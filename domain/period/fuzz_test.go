package period_test

import (
	"encoding/json"
	"testing"
	"time"

	"tollkeeper/domain/period"
)

func FuzzParseDate(f *testing.F) {
	for _, seed := range []string{"2025-02-28", "2024-02-29", "2025-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "10000-01-01", "2025-2-1", "", "2025-W01-1", "2025-01-01T00:00:00Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var unmarshalled, scanned period.Date
		d, err := period.ParseDate(s)
		if (scanned.Scan(s) == nil) != (err == nil) || (unmarshalled.UnmarshalText([]byte(s)) == nil) != (err == nil || s == "") {
			t.Fatalf("%q is not read alike everywhere", s)
		}
		if scanned != d || unmarshalled != d {
			t.Fatalf("%q: %v, %v, %v", s, d, scanned, unmarshalled)
		}
		if err == nil && d.String() != s {
			t.Fatalf("%q reads back as %s", s, d)
		}
	})
}

func FuzzParseInstant(f *testing.F) {
	for i, seed := range []string{
		"2025-02-01T12:30:00Z", "2025-02-01t12:30:00.123456789z", "2025-03-30T02:30:00", "2025-02-01T12:30", "2025-02-01",
		"2025-02-01T12:30:00+05:45", "2025-02-01T12:30:00-00:00", "2025-02-01T24:00:00Z", "2025-02-01T12:30:60Z", "2025-02-01T12:30Z",
		"2011-12-30", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999999-12:00", "0000-01-01", "1746878400", "2025-W01-1", "",
	} {
		f.Add(seed, i)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		loc := zone(oddZones[uint(n)%uint(len(oddZones))])
		at, err := period.ParseInstant(s, loc)
		if _, dateTimeErr := period.ParseDateTime(s, loc); dateTimeErr == nil && err != nil {
			t.Fatalf("%q is a date-time, but no instant", s)
		}
		if err != nil {
			return
		}
		if at.Location() != time.UTC || !at.Equal(at.Truncate(time.Microsecond)) {
			t.Fatalf("%q in %s is %v", s, loc, at)
		}
		shown := period.FormatInstant(at)
		again, err := period.ParseDateTime(shown, loc)
		if err != nil || !again.Equal(at) {
			t.Fatalf("%q in %s is shown as %s, which reads back as %v, %v", s, loc, shown, again, err)
		}
		if _, err := json.Marshal(at); err != nil {
			t.Fatalf("%q in %s: %v", s, loc, err)
		}
	})
}

func FuzzLoadZone(f *testing.F) {
	for _, seed := range append(oddZones, "", "Local", "posix/UTC", "../etc/passwd", "/etc/localtime", "europe/berlin", "Europe\x00Berlin") {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		loc, err := period.LoadZone(name)
		if err != nil {
			return
		}
		if loc.String() != name {
			t.Fatalf("%q is the zone %s", name, loc)
		}
	})
}
