package assistant

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// schema is a JSON Schema.
type schema = map[string]any

// depthOfBodies is how deep the schemas of bodies are told with a tool. Deeper ones are named, and
// readDocumentation has them: with them the tools alone would fill the memory of a program.
const depthOfBodies = 2

// plainSchema is a schema of the contract as JSON Schema, to a depth of schemas within it. Bounds
// of numbers and patterns are left to the server, which says what it refuses and why.
func plainSchema(ref *openapi3.SchemaRef, depth int) schema {
	s := ref.Value
	out := schema{}
	if s.Description != "" {
		out["description"] = strings.TrimSpace(s.Description)
	}
	for _, part := range s.AllOf {
		maps.Copy(out, plainSchema(part, depth))
	}
	if s.Type != nil && len(*s.Type) > 0 {
		out["type"] = (*s.Type)[0]
		if s.Nullable {
			out["type"] = []string{(*s.Type)[0], "null"}
		}
	}
	if len(s.Enum) > 0 {
		out["enum"] = s.Enum
	}
	if s.Format != "" {
		out["format"] = s.Format
	}
	if s.Default != nil {
		out["default"] = s.Default
	}
	if s.MaxLength != nil {
		out["maxLength"] = *s.MaxLength
	}
	if s.MaxItems != nil {
		out["maxItems"] = *s.MaxItems
	}
	if depth == 0 && len(s.Properties)+len(s.OneOf) > 0 {
		return named(ref, out)
	}
	if s.Items != nil {
		out["items"] = plainSchema(s.Items, max(depth-1, 0))
	}
	if len(s.OneOf) > 0 {
		var names []string
		for _, variant := range s.OneOf {
			names = append(names, nameOf(variant))
		}
		return withText(out, "One of "+strings.Join(slices.DeleteFunc(names, func(n string) bool { return n == "" }), ", ")+"; see readDocumentation.")
	}
	if len(s.Properties) > 0 {
		members, _ := out["properties"].(schema)
		if members == nil {
			members = schema{}
		}
		for name, member := range s.Properties {
			members[name] = plainSchema(member, depth-1)
		}
		out["properties"] = members
	}
	if len(s.Required) > 0 {
		out["required"] = s.Required
	}
	return out
}

// named is a schema of which only the name is told.
func named(ref *openapi3.SchemaRef, out schema) schema {
	if name := nameOf(ref); name != "" {
		return withText(out, fmt.Sprintf("Schema /docs/schemas/%s.md; see readDocumentation.", name))
	}
	return out
}

// nameOf is the name of a schema in the contract; "" where it has none.
func nameOf(ref *openapi3.SchemaRef) string {
	name, _ := strings.CutPrefix(ref.Ref, "#/components/schemas/")
	return name
}

func withText(out schema, text string) schema {
	if before, _ := out["description"].(string); before != "" {
		text = before + " " + text
	}
	out["description"] = text
	return out
}
