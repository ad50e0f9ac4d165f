package reference

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
	"time"
)

// Event is one usage event as it was sent.
type Event struct {
	Name               string
	IdempotencyKey     string
	CustomerID         string // "" where the event names its customer otherwise
	ExternalCustomerID string // "" likewise
	Timestamp          time.Time
	Properties         map[string]any // string, bool or *big.Rat; anything else is missing
	Order              int64          // rises with ingestion
}

// ParseProperties reads the properties of an event: a JSON object, numbers exactly.
func ParseProperties(data []byte) (map[string]any, error) {
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	properties := map[string]any{}
	for name, value := range raw {
		var v any
		switch value[0] {
		case '"':
			var text string
			if err := json.Unmarshal(value, &text); err != nil {
				return nil, err
			}
			v = text
		case 't', 'f':
			v = value[0] == 't'
		case '{', '[', 'n':
			continue
		default:
			r, err := ParseNumber(string(value))
			if err != nil {
				return nil, err
			}
			v = r
		}
		properties[name] = v
	}
	return properties, nil
}

// column is the value of a column of events, and whether there is one of that name
// (semantics 4.1.5).
func (e Event) column(name string) (any, bool) {
	switch name {
	case "event_name":
		return e.Name, true
	case "timestamp":
		return e.Timestamp, true
	case "timestamp_millis":
		return new(big.Rat).SetInt64(e.Timestamp.UnixMilli()), true
	case "idempotency_key":
		return e.IdempotencyKey, true
	case "customer_id":
		return orNull(e.CustomerID), true
	case "external_customer_id":
		return orNull(e.ExternalCustomerID), true
	}
	return nil, false
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// Value is what the event has under a name of a configuration, as the string that values
// are compared as: the column of that name, else the property; "properties.x" is always the
// property x (price models 1.1, 1.2). A name can be in double quotes, also after
// "properties."; two quotes within it stand for one.
func (e Event) Value(name string) (text string, ok bool) {
	name, isProperty := strings.CutPrefix(name, "properties.")
	if len(name) > 2 && name[0] == '"' && name[len(name)-1] == '"' {
		name = strings.ReplaceAll(name[1:len(name)-1], `""`, `"`)
	}
	v, isColumn := e.column(name)
	if isProperty || !isColumn {
		v = e.Properties[name]
	}
	return textOf(v)
}

// textOf writes a value as a string: a number in its shortest decimal form. It reports
// false for none.
func textOf(v any) (string, bool) {
	switch v := v.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case *big.Rat:
		text := v.FloatString(60)
		return strings.TrimSuffix(strings.TrimRight(text, "0"), "."), true
	case time.Time:
		text := v.UTC().Format("2006-01-02T15:04:05.000000")
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
		if len(text) < len("2006-01-02T15:04:05") { // zeros of the seconds went too
			text = v.UTC().Format("2006-01-02T15:04:05")
		}
		return text + "+00:00", true
	}
	return "", false
}
