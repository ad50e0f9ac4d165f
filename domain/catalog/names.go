package catalog

import (
	"encoding/json"

	"tollkeeper/domain/metric"
	"tollkeeper/domain/rating"
	"tollkeeper/store/fault"
)

// CheckNames refuses a configuration that names something that is neither a column nor
// a property of events: no event could have a value for it, and the price would charge
// nothing, without an error (price models 1.1). The field is the path inside the
// configuration. A configuration that does not decode is not judged here. It is for
// what a client sends: prices that were stored before names were checked stay.
func CheckNames(modelType string, config json.RawMessage) error {
	names, err := rating.PropertyNames(modelType, config)
	if err != nil {
		return nil //nolint:nilerr // Decode reports it
	}
	var faults []error
	for _, n := range names {
		faults = append(faults, checkName(n.Field, n.Name))
	}
	return fault.Join(faults...)
}

// checkName refuses, at a field, a text that names nothing of an event.
func checkName(field, name string) error {
	if err := metric.CheckName(name); err != nil {
		return fault.Bad(field, "%v", err)
	}
	return nil
}
