package event

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tollkeeper/domain/money"
)

const differentBodies = "idempotency_key: used more than once in this request with different event bodies"

// conflicts lists the keys that a request uses for different events, once each,
// in the order in which that shows (semantics 2.2, step 4).
func conflicts(events []Event) (failed []Failure) {
	if len(events) < 2 {
		return nil
	}
	first := make(map[string]int, len(events))
	listed := map[string]bool{}
	for i := range events {
		key := events[i].Key
		if key == "" {
			continue
		}
		j, again := first[key]
		switch {
		case !again:
			first[key] = i
		case !listed[key] && !same(&events[j], &events[i]):
			listed[key] = true
			failed = append(failed, Failure{Key: key, Reasons: []string{differentBodies}})
		}
	}
	return failed
}

// same compares two events under one key by value (semantics 2.3.6).
func same(a, b *Event) bool {
	return a.Name == b.Name && a.Subject == b.Subject && a.Timestamp.Equal(b.Timestamp) &&
		slices.Equal(a.failures, b.failures) &&
		(a.Properties == b.Properties || sameProperties(a.Properties, b.Properties))
}

func sameProperties(a, b string) bool {
	left, right := values(a), values(b)
	if len(left) != len(right) {
		return false
	}
	for name, value := range left {
		if other, ok := right[name]; !ok || other != value {
			return false
		}
	}
	return true
}

// value is a property in one form: equal values have equal ones.
type value struct {
	kind jsontext.Kind
	text string // of a string, or of a number in its shortest form
}

// values reads properties that the decoder wrote. Of an event with failures
// they may hold numbers out of bounds, which stay as they are.
func values(properties string) map[string]value {
	found := map[string]value{}
	d := jsontext.NewDecoder(bytes.NewBufferString(properties), jsontext.AllowDuplicateNames(true))
	_, _ = d.ReadToken() // {
	for d.PeekKind() == '"' {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		key := name.String()
		token, err := d.ReadToken()
		if err != nil {
			break
		}
		v := value{kind: token.Kind()}
		switch v.kind {
		case '"':
			v.text = token.String()
		case '0':
			v.text = token.String()
			if n, err := money.ParseNumber(v.text); err == nil {
				v.text = n.String()
			}
		}
		found[key] = v
	}
	return found
}
