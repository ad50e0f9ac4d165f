package console

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// shape is a schema of the contract with its allOf put together.
type shape struct {
	*openapi3.Schema                     // the schema itself: bounds, format, items
	Properties       map[string]property // of the schema and of its parts
	Required         []string            // in the contract's order
	Text             string              // description
	Null             bool
	Union            *openapi3.Schema // that has the oneOf; nil without one
}

// property is a member of an object.
type property struct {
	Schema *openapi3.Schema
	Text   string // its description
}

// flatten puts the parts of a schema together.
func flatten(s *openapi3.Schema) shape {
	out := shape{Schema: s, Properties: map[string]property{}, Text: s.Description, Null: s.Nullable}
	out.take(s)
	return out
}

func (s *shape) take(from *openapi3.Schema) {
	for _, part := range from.AllOf {
		s.take(part.Value)
	}
	if len(from.OneOf) > 0 {
		s.Union = from
	}
	if s.Text == "" {
		s.Text = from.Description
	}
	if s.Schema.Type == nil && from.Type != nil || len(s.Schema.Enum) == 0 && len(from.Enum) > 0 {
		merged := *from
		merged.Nullable = s.Null
		s.Schema = &merged
	}
	for name, ref := range from.Properties {
		s.Properties[name] = property{ref.Value, describe(ref.Value)}
	}
	for _, name := range from.Required {
		if !slices.Contains(s.Required, name) {
			s.Required = append(s.Required, name)
		}
	}
}

// describe returns the description of a schema, or of what it is made of.
func describe(s *openapi3.Schema) string {
	if s.Description != "" {
		return s.Description
	}
	for _, part := range s.AllOf {
		if text := describe(part.Value); text != "" {
			return text
		}
	}
	return ""
}

// descriptionOf returns the description of a member.
func (s shape) descriptionOf(name string) string { return s.Properties[name].Text }

// is reports whether values are of a type.
func (s shape) is(kind string) bool { return s.Type != nil && s.Type.Is(kind) }

// names of the members: required ones first, in the contract's order.
func (s shape) names() []string {
	var optional []string
	for name := range s.Properties {
		if !slices.Contains(s.Required, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	return append(slices.Clone(s.Required), optional...)
}

// variant is one of a union, by the value of the discriminator.
type variant struct {
	Value  string
	Schema *openapi3.Schema
	Text   string // its first sentence
}

// variants of a union, in the contract's order; none where it has no discriminator.
func variants(union *openapi3.Schema) (all []variant) {
	if union == nil || union.Discriminator == nil {
		return nil
	}
	for _, ref := range union.OneOf {
		for value, to := range union.Discriminator.Mapping {
			if to.Ref == ref.Ref {
				all = append(all, variant{value, ref.Value, firstSentence(describe(ref.Value))})
			}
		}
	}
	return all
}

// variantOf returns the variant of a union by the value of its discriminator, nil for none.
func variantOf(union *openapi3.Schema, value string) *openapi3.Schema {
	for _, v := range variants(union) {
		if v.Value == value {
			return v.Schema
		}
	}
	return nil
}

// firstSentence is the beginning of a description.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, "\n\n")
	text = strings.ReplaceAll(text, "\n", " ")
	if head, _, found := strings.Cut(text, ". "); found {
		return head + "."
	}
	return text
}
