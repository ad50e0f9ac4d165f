package server

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/domain/fault"
)

// finding is a violation with the place that orders it in the text.
type finding struct {
	fault.Violation
	at string
}

// findings are what is wrong with the shape of a body, at most one for a place.
type findings []finding

func (f *findings) add(place, at, reason string) {
	for _, known := range *f {
		if known.Field == named(place) {
			return
		}
	}
	*f = append(*f, finding{fault.Violation{Field: named(place), Reason: reason}, at})
}

// inOrder lists the violations in the order of the text.
func (f findings) inOrder(order map[string]int) []fault.Violation {
	slices.SortStableFunc(f, func(a, b finding) int { return cmp.Compare(order[a.at], order[b.at]) })
	violations := make([]fault.Violation, len(f))
	for i, finding := range f {
		violations[i] = finding.Violation
	}
	return violations
}

// mismatches adds what kin-openapi finds wrong with value.
func (f *findings) mismatches(err error, value any) {
	var parts openapi3.MultiError
	var mismatch *openapi3.SchemaError
	switch e := err.(type) {
	case nil:
		return
	case openapi3.MultiError:
		parts = e
	case *openapi3.SchemaError:
		mismatch = e
	default:
		f.mismatches(errors.Unwrap(err), value) // kin wraps the reasons of unions
		return
	}
	for _, part := range parts {
		f.mismatches(part, value)
	}
	if mismatch == nil {
		return
	}
	switch mismatch.SchemaField {
	case "allOf", "oneOf":
		f.mismatches(mismatch.Origin, value)
	case "properties": // unknown members: found by a walk of our own
	case "discriminator":
		f.variant(mismatch, value)
	case "required":
		steps := mismatch.JSONPointer()
		object, _ := follow(value, steps[:len(steps)-1])
		f.add(member(object, steps[len(steps)-1]), endOf(object), "is required")
	default:
		place, _ := follow(value, mismatch.JSONPointer())
		f.add(place, place, reasonOf(mismatch.SchemaField, mismatch.Schema))
	}
}

// variant adds a discriminator that is missing or chooses nothing.
func (f *findings) variant(mismatch *openapi3.SchemaError, value any) {
	place, object := follow(value, mismatch.JSONPointer())
	chooser := mismatch.Schema.Discriminator
	at := member(place, chooser.PropertyName)
	if fields, _ := object.(map[string]any); fields != nil {
		if _, given := fields[chooser.PropertyName]; !given {
			f.add(at, endOf(place), "is required")
			return
		}
	}
	f.add(at, at, oneOf(slices.Sorted(maps.Keys(chooser.Mapping))))
}

// follow walks the steps from value and returns the place it comes to, and what
// stands there.
func follow(value any, steps []string) (place string, at any) {
	at = value
	for _, step := range steps {
		switch v := at.(type) {
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return place, nil
			}
			place, at = entry(place, i), v[i]
		case map[string]any:
			place, at = member(place, step), v[step]
		default:
			return place, nil
		}
	}
	return place, at
}

// unknown adds every member that the schema does not know, at every depth. All
// objects of a request are closed but those that are maps.
func (f *findings) unknown(schema *openapi3.Schema, value any, place string) {
	switch v := value.(type) {
	case []any:
		if items := arrayItems(schema); items != nil {
			for i, item := range v {
				f.unknown(items, item, entry(place, i))
			}
		}
	case map[string]any:
		known := membersOf(schema, v)
		if known == nil {
			return
		}
		for name, value := range v {
			at := member(place, name)
			if property := known.property(name); property != nil {
				if value == nil && property.Default != nil && !property.Nullable {
					f.add(at, at, "must not be null") // kin-openapi takes it for left out
				}
				f.unknown(property, value, at)
			} else if !known.open {
				f.add(at, at, "is not a field of this request")
			}
		}
	}
}

// known is what a schema says about the members of an object.
type known struct {
	properties openapi3.Schemas
	others     *openapi3.Schema // of a map
	open       bool             // members of any name
}

func (k *known) property(name string) *openapi3.Schema {
	if p := k.properties[name]; p != nil {
		return p.Value
	}
	return k.others
}

// membersOf merges the parts of an allOf, and of a union the variant that the
// object chooses; nil when it chooses none.
func membersOf(schema *openapi3.Schema, object map[string]any) *known {
	k := &known{properties: openapi3.Schemas{}}
	if !k.merge(schema, object) {
		return nil
	}
	return k
}

func (k *known) merge(schema *openapi3.Schema, object map[string]any) bool {
	maps.Copy(k.properties, schema.Properties)
	if more := schema.AdditionalProperties; more.Schema != nil {
		k.others, k.open = more.Schema.Value, true
	} else if more.Has != nil && *more.Has {
		k.open = true
	}
	for _, part := range schema.AllOf {
		if !k.merge(part.Value, object) {
			return false
		}
	}
	if schema.Discriminator == nil {
		return len(schema.OneOf) == 0
	}
	value, _ := object[schema.Discriminator.PropertyName].(string)
	variant, chosen := schema.Discriminator.Mapping[value]
	if !chosen {
		return false
	}
	for _, candidate := range schema.OneOf {
		if candidate.Ref == variant.Ref {
			return k.merge(candidate.Value, object)
		}
	}
	return false
}

func arrayItems(schema *openapi3.Schema) *openapi3.Schema {
	if schema.Items != nil {
		return schema.Items.Value
	}
	for _, part := range schema.AllOf {
		if items := arrayItems(part.Value); items != nil {
			return items
		}
	}
	return nil
}
