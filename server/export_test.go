package server

import "github.com/getkin/kin-openapi/openapi3"

// What specs look at directly.
var (
	Patterns  = patterns
	ReadJSON  = readJSON
	PlacesOf  = placesOf
	Transient = transient
)

// UnknownMembers names the members of value, at every depth, that the schema
// does not know.
func UnknownMembers(schema *openapi3.Schema, value any) []string {
	var found findings
	found.unknown(schema, value, "")
	names := make([]string, len(found))
	for i, f := range found {
		names[i] = f.Field
	}
	return names
}
