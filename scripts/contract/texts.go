package main

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// texts finds members of requests and responses without a description. Of a reference the
// description of what it refers to counts, unless that is a bare kind of value: `Decimal`
// says how a number is written and not what it counts.
func texts(document *openapi3.T) (found []string) {
	used := inRequests(document)
	used.addResponses(document)
	for _, at := range slices.Sorted(maps.Keys(used)) {
		properties := used[at].Properties
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if !described(properties[name]) {
				found = append(found, at+"."+name+": a member needs a description")
			}
		}
	}
	return found
}

// kinds say how a value is written, whatever it means.
var kinds = map[string]bool{
	"#/components/schemas/Currency":               true,
	"#/components/schemas/Date":                   true,
	"#/components/schemas/DateOrDateTime":         true,
	"#/components/schemas/Decimal":                true,
	"#/components/schemas/ExactDecimal":           true,
	"#/components/schemas/IntervalDate":           true,
	"#/components/schemas/NullableDate":           true,
	"#/components/schemas/NullableDateOrDateTime": true,
	"#/components/schemas/NullableDecimal":        true,
	"#/components/schemas/NullableExactDecimal":   true,
	"#/components/schemas/NullableIntervalDate":   true,
	"#/components/schemas/NullableTimestamp":      true,
	"#/components/schemas/Timestamp":              true,
}

func described(ref *openapi3.SchemaRef) bool {
	if kinds[ref.Ref] {
		return false
	}
	if ref.Value.Description != "" {
		return true
	}
	return len(ref.Value.AllOf) == 1 && described(ref.Value.AllOf[0])
}
