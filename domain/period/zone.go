package period

import (
	"errors"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // the same zones on every machine, also where none are installed
)

var errZone = errors.New("must be an IANA time zone such as Europe/Berlin")

var zones sync.Map // name to *time.Location; only names that exist, so it stays small

// LoadZone returns the zone with that IANA name. The machine's own zone has none.
func LoadZone(name string) (*time.Location, error) {
	if loc, ok := zones.Load(name); ok {
		return loc.(*time.Location), nil
	}
	if foreign(name) {
		return nil, errZone
	}
	loc, err := time.LoadLocation(name)
	if err != nil {
		return nil, errZone
	}
	zones.Store(name, loc)
	return loc, nil
}

// foreign reports names that a machine may know but that are no zone: its own
// setting, and copies of the database that count leap seconds.
func foreign(name string) bool {
	switch name {
	case "", "Local", "localtime", "posixrules", "Factory":
		return true
	}
	return strings.HasPrefix(name, "posix/") || strings.HasPrefix(name, "right/")
}

// widest is more than any zone was ever away from UTC.
const widest = 30 * time.Hour

// firstReading returns the first instant, in UTC, at which a clock in loc reads
// what wall reads in UTC. If the clock skips that, it is the instant after the gap.
func firstReading(wall time.Time, loc *time.Location) time.Time {
	for at := wall.Add(-widest); ; {
		local := at.In(loc)
		_, offset := local.Zone()
		_, until := local.ZoneBounds()
		if !until.IsZero() && !until.After(at) {
			// Past the last listed change the library ends every year after 365 days, so
			// the bound lies behind on 31 December of leap years. No rule changes there.
			until = at.Add(24 * time.Hour)
		}
		reading := wall.Add(-time.Duration(offset) * time.Second)
		if reading.Before(at) { // the clock went past it as this offset began
			return at.UTC()
		}
		if until.IsZero() || reading.Before(until) {
			return reading.UTC()
		}
		at = until
	}
}
