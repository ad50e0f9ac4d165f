package wire

import (
	"encoding/json"
	"maps"
	"slices"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/metric"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// parametersFromWire reads values for the parameters of a metric; null is none.
func parametersFromWire(in *gen.NullableMetricParameterOverrides) (metric.Parameters, error) {
	if in == nil || len(*in) == 0 {
		return nil, nil
	}
	values := metric.Parameters{}
	var faults []error
	for _, name := range slices.Sorted(maps.Keys(*in)) {
		var value metric.Parameter
		if err := value.UnmarshalJSON((*in)[name]); err != nil {
			faults = append(faults, fault.Bad("metric_parameter_overrides."+name, "%v", err))
		}
		values[name] = value
	}
	return values, fault.Join(faults...)
}

// parametersToWire shows them as they are understood: 1e3 is 1000.
func parametersToWire(values metric.Parameters) *gen.NullableMetricParameterOverrides {
	if len(values) == 0 {
		return nil
	}
	shown := gen.NullableMetricParameterOverrides{}
	for name, value := range values {
		text, _ := json.Marshal(value) // numbers and strings always can be written
		shown[name] = text
	}
	return &shown
}

// parameterDefinitionsToWire names what the metric's SQL asks for; null is nothing.
func parameterDefinitionsToWire(m catalog.Metric) (definitions []gen.MetricParameterDefinition) {
	for _, name := range m.Query().Parameters() {
		definitions = append(definitions, gen.MetricParameterDefinition{Name: name})
	}
	return definitions
}
