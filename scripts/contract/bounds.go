package main

import (
	"maps"
	"slices"

	"github.com/getkin/kin-openapi/openapi3"
)

// streamed are arrays whose entries are read one by one, so that their number costs nothing.
// The size of such a body is bounded, where it is, by a setting of the account.
var streamed = []string{"IngestRequest.events"}

// bounds finds strings, arrays and maps of requests that have no largest size. Without one
// a client decides how much work the server does before it can refuse. Names of members of
// a map are counted with its entries; their length is bounded by the size of the body.
func bounds(document *openapi3.T) (found []string) {
	requests := inRequests(document)
	for _, at := range slices.Sorted(maps.Keys(requests)) {
		schema := requests[at]
		switch {
		case schema.Type.Is(openapi3.TypeString) && len(schema.Enum) == 0 && schema.MaxLength == nil && !boundedByPart(schema):
			found = append(found, at+": a string of a request needs maxLength")
		case schema.Type.Is(openapi3.TypeArray) && schema.MaxItems == nil && !slices.Contains(streamed, at):
			found = append(found, at+": an array of a request needs maxItems")
		case isMap(schema) && schema.MaxProps == nil:
			found = append(found, at+": a map of a request needs maxProperties")
		}
	}
	return found
}

// boundedByPart reports a string that is only another one that may be null, which is
// looked at by itself.
func boundedByPart(schema *openapi3.Schema) bool {
	return len(schema.AllOf) == 1 && schema.AllOf[0].Ref != ""
}

// isMap reports an object whose members clients name.
func isMap(schema *openapi3.Schema) bool {
	open := schema.AdditionalProperties
	return open.Schema != nil || open.Has != nil && *open.Has
}
