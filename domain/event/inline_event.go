package event

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"tollkeeper/store/fault"
)

// Inline is an event that came in by another way than ingestion, in a body whose
// shape was checked: a name of 1 to 255 characters, no number out of bounds, nothing
// twice.
type Inline struct {
	Name               string
	CustomerID         *string // who: exactly one of the two
	ExternalCustomerID *string
	Timestamp          string          // as sent
	Properties         json.RawMessage // an object
}

// Read checks what its shape does not tell, as ingestion does, but for whether the
// customer exists.
func (e Inline) Read() (Event, error) {
	event := Event{Name: e.Name}
	var referenceErr, timestampErr, propertiesErr error
	switch {
	case (e.CustomerID == nil) == (e.ExternalCustomerID == nil):
		referenceErr = fault.Bad("customer_id", "must be given, or external_customer_id, and not both")
	case e.CustomerID != nil:
		event.Subject, event.customerID = byID+*e.CustomerID, *e.CustomerID
	default:
		event.Subject = byAlias + *e.ExternalCustomerID
	}
	var ok bool
	if event.Timestamp, ok = parseTimestamp(e.Timestamp); !ok {
		timestampErr = fault.Bad("timestamp", "must be an ISO 8601 date-time in UTC")
	}
	event.Properties, propertiesErr = flat(e.Properties)
	return event, fault.Join(referenceErr, propertiesErr, timestampErr)
}

// flat is a map of strings, numbers and booleans, without the nulls of an object
// (semantics 2.1.1).
func flat(object json.RawMessage) (string, error) {
	var properties map[string]json.RawMessage
	if err := json.Unmarshal(object, &properties); err != nil {
		return "", fault.Bad("properties", "must be an object")
	}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		switch properties[name][0] {
		case 'n':
			delete(properties, name)
		case '{', '[':
			faults = append(faults, fault.Bad("properties."+name, "must be a string, number or boolean"))
		}
	}
	if len(object) > largestProperties {
		faults = append(faults, fault.Bad("properties", tooLarge))
	}
	text, err := json.Marshal(properties)
	if err != nil {
		return "", fmt.Errorf("write properties of an event: %w", err)
	}
	return string(text), fault.Join(faults...)
}
