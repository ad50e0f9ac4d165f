package usage

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/fault"
)

// Sample is events that a request brings along, to be measured as stored ones are and
// never stored. They count as taken in in their order, each under a key of its own. A
// nil Sample stands for the events that are stored.
type Sample struct {
	names, subjects []string
	timestamps      []time.Time
	properties      []string
}

// SampleEvent is an event of a sample.
type SampleEvent struct {
	Name               string
	CustomerID         *string // who: exactly one of the two
	ExternalCustomerID *string
	Timestamp          string          // as sent
	Properties         json.RawMessage // an object; its numbers are in the bounds of an event's
}

// NewSample checks events as ingestion does, but for whether their customers exist. A
// fault names the place events[i].
func NewSample(events []SampleEvent) (*Sample, error) {
	s := &Sample{}
	var faults []error
	for i, e := range events {
		faults = append(faults, fault.In(fmt.Sprintf("events[%d]", i), s.add(e)))
	}
	return s, fault.Join(faults...)
}

func (s *Sample) add(e SampleEvent) error {
	var subject string
	var referenceErr, timestampErr error
	switch {
	case (e.CustomerID == nil) == (e.ExternalCustomerID == nil):
		referenceErr = fault.Bad("customer_id", "must be given, or external_customer_id, and not both")
	case e.CustomerID != nil:
		subject = byID + *e.CustomerID
	default:
		subject = byAlias + *e.ExternalCustomerID
	}
	at, ok := parseTimestamp(e.Timestamp)
	if !ok {
		timestampErr = fault.Bad("timestamp", "must be an ISO 8601 date-time in UTC")
	}
	properties, propertiesErr := flat(e.Properties)
	s.names = append(s.names, e.Name)
	s.subjects = append(s.subjects, subject)
	s.timestamps = append(s.timestamps, at)
	s.properties = append(s.properties, properties)
	return fault.Join(referenceErr, propertiesErr, timestampErr)
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
	text, err := json.Marshal(properties)
	if err != nil {
		return "", fmt.Errorf("write properties of an event: %w", err)
	}
	return string(text), fault.Join(faults...)
}
