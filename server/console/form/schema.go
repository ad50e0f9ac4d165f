package form

import (
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// Shape is a schema of the contract with its allOf put together.
type Shape struct {
	*openapi3.Schema                     // the schema itself: bounds, format, items
	Properties       map[string]Property // of the schema and of its parts
	Required         []string            // in the contract's order
	Text             string              // description
	Null             bool
	Union            *openapi3.Schema // that has the oneOf; nil without one
}

// Property is a member of an object.
type Property struct {
	Schema *openapi3.Schema
	Text   string // its description
}

// Flatten puts the parts of a schema together.
func Flatten(s *openapi3.Schema) Shape {
	out := Shape{Schema: s, Properties: map[string]Property{}, Text: s.Description, Null: s.Nullable}
	out.take(s)
	return out
}

func (s *Shape) take(from *openapi3.Schema) {
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
		s.Properties[name] = Property{ref.Value, describe(ref.Value)}
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

// DescriptionOf returns the description of a member.
func (s Shape) DescriptionOf(name string) string { return s.Properties[name].Text }

// is reports whether values are of a type.
func (s Shape) is(kind string) bool { return s.Type != nil && s.Type.Is(kind) }

// names of the members: required ones first, in the contract's order.
func (s Shape) names() []string {
	var optional []string
	for name := range s.Properties {
		if !slices.Contains(s.Required, name) {
			optional = append(optional, name)
		}
	}
	slices.Sort(optional)
	return append(slices.Clone(s.Required), optional...)
}

// Variant is one of a union, by the value of the discriminator.
type Variant struct {
	Value  string
	Schema *openapi3.Schema
	Text   string // its first sentence
}

// Variants are those of a union, in the contract's order; none where it has no discriminator.
func Variants(union *openapi3.Schema) (all []Variant) {
	if union == nil || union.Discriminator == nil {
		return nil
	}
	for _, ref := range union.OneOf {
		for value, to := range union.Discriminator.Mapping {
			if to.Ref == ref.Ref {
				all = append(all, Variant{value, ref.Value, FirstSentence(describe(ref.Value))})
			}
		}
	}
	return all
}

// VariantOf returns the variant of a union by the value of its discriminator, nil for none.
func VariantOf(union *openapi3.Schema, value string) *openapi3.Schema {
	for _, v := range Variants(union) {
		if v.Value == value {
			return v.Schema
		}
	}
	return nil
}

// FirstSentence is the beginning of a description.
func FirstSentence(text string) string {
	text, _, _ = strings.Cut(text, "\n\n")
	text = strings.ReplaceAll(text, "\n", " ")
	if head, _, found := strings.Cut(text, ". "); found {
		return head + "."
	}
	return text
}
