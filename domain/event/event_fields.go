package event

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"tollkeeper/domain/period"
)

// field is a member of an event.
type field int

const (
	unknown field = iota
	idempotencyKey
	eventName
	customerID
	externalCustomerID
	timestamp
	properties
	fields // how many there are
)

func fieldOf(name []byte) field {
	switch string(name) {
	case "idempotency_key":
		return idempotencyKey
	case "event_name":
		return eventName
	case "customer_id":
		return customerID
	case "external_customer_id":
		return externalCustomerID
	case "timestamp":
		return timestamp
	case "properties":
		return properties
	default:
		return unknown
	}
}

// eventFields are what an event of a request holds, before it is judged.
type eventFields struct {
	given      [fields]bool
	scalars    [fields]scalar
	properties string
	failures   []failure // of the last check of the order; event adds the others
}

// scalar is a value that should be a string.
type scalar struct {
	kind jsontext.Kind // 0: no such member
	text string        // of a string
}

// missing is the same for null as for no member at all.
func (s scalar) missing() bool { return s.kind == 0 || s.kind == 'n' }

// mostRefused is how many reasons are listed of one event that concern its properties
// and names: so many mistakes are one mistake made often.
const mostRefused = 100

// refuse notes what is wrong with the properties or the names of members.
func (m *eventFields) refuse(reason string, args ...any) {
	if len(m.failures) < mostRefused {
		m.fail(stepMembers, fmt.Sprintf(reason, args...))
	}
}

func (m *eventFields) fail(at step, reason string) {
	m.failures = append(m.failures, failure{at, reason})
}

// event makes the checks of an event that need no database (semantics 2.2).
func (m *eventFields) event() Event {
	e := Event{Properties: m.properties}
	e.Key = m.identifier(stepKey, "idempotency_key", m.scalars[idempotencyKey])
	e.Name = m.identifier(stepName, "event_name", m.scalars[eventName])
	e.Subject, e.customerID = m.reference()

	at, ok := parseTimestamp(m.scalars[timestamp].text)
	switch {
	case !ok:
		m.fail(stepTimestamp, "timestamp: must be an ISO 8601 date-time in UTC")
	case at.IsZero(): // the first instant of year 1, which stands for none from here on
		m.fail(stepTooOld, tooOld)
	}
	e.Timestamp = at
	e.failures = m.failures
	return e
}

// identifier is the text of a member that must be there, and "" if it cannot be
// used.
func (m *eventFields) identifier(at step, name string, s scalar) string {
	switch {
	case s.missing():
		m.fail(at, name+": is required")
	case !bounded(s):
		m.fail(at, name+": must be a string of 1 to 255 characters")
	case strings.IndexByte(s.text, 0) >= 0:
		m.fail(at, name+": must not contain the character U+0000")
	default:
		return s.text
	}
	return ""
}

const longestIdentifier = 255 // characters

func bounded(s scalar) bool {
	return s.kind == '"' && s.text != "" && (len(s.text) <= longestIdentifier || utf8.RuneCountInString(s.text) <= longestIdentifier)
}

// reference is the customer's name as events store it, "" unless exactly one is
// given, and the id of the customer that must exist, if any.
func (m *eventFields) reference() (subject, id string) {
	named := func(f field) bool {
		s := m.scalars[f]
		return !s.missing() && (s.kind != '"' || s.text != "")
	}
	if named(customerID) == named(externalCustomerID) {
		m.fail(stepReference, "customer_id, external_customer_id: exactly one must be specified")
		return "", ""
	}
	if named(customerID) {
		if id = m.identifier(stepReference, "customer_id", m.scalars[customerID]); id == "" {
			return "", ""
		}
		return byID + id, id
	}
	if alias := m.identifier(stepReference, "external_customer_id", m.scalars[externalCustomerID]); alias != "" {
		return byAlias + alias, ""
	}
	return "", ""
}

// parseTimestamp reads a date-time without designator or with one that means
// UTC (semantics 2.1.3). What no time.Time of that form can be is false, and so
// is "".
func parseTimestamp(text string) (at time.Time, ok bool) {
	const longest = len("2025-02-01T12:30:00.123456789Z")
	if strings.HasSuffix(text, "Z") && len(text) <= longest && at.UnmarshalText([]byte(text)) == nil && at.Year() > 0 {
		return at.Truncate(time.Microsecond), true // the common form, without the cost of the others
	}
	at, err := period.ParseDateTime(text, time.UTC)
	if err != nil {
		return time.Time{}, false
	}
	if sign := len(text) - len("+00:00"); text[sign] == '+' || text[sign] == '-' {
		return at, text[sign+1:] == "00:00"
	}
	return at, true
}
