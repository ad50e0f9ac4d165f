package contract

import (
	"cmp"
	"errors"
	"maps"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/store/fault"
)

// finding is a violation with the place that decides its order in the text.
type finding struct {
	fault.Violation
	at string
}

// findings are violations of the shape of a body, at most one for a place. There is one more
// than an answer lists where the body has more violations than that.
type findings struct {
	list  []finding
	known map[string]bool // fields of the list
}

func (f *findings) add(place, at, reason string) {
	field := pathOrBody(place)
	if f.known[field] || f.full() {
		return
	}
	if f.known == nil {
		f.known = map[string]bool{}
	}
	f.known[field] = true
	f.list = append(f.list, finding{fault.Violation{Field: field, Reason: reason}, at})
}

// full reports that no more findings are taken.
func (f *findings) full() bool { return len(f.list) > mostViolations }

// inOrder lists the violations in the order of the text of body.
func (f *findings) inOrder(body []byte) []fault.Violation {
	wanted := make([]string, len(f.list))
	for i, finding := range f.list {
		wanted[i] = finding.at
	}
	order := positions(body, wanted)
	slices.SortStableFunc(f.list, func(a, b finding) int { return cmp.Compare(order[a.at], order[b.at]) })
	violations := make([]fault.Violation, len(f.list))
	for i, finding := range f.list {
		violations[i] = finding.Violation
	}
	return violations
}

// mismatches adds what kin-openapi finds wrong with value, which is at place base.
func (f *findings) mismatches(base string, err error, value any) {
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
		f.mismatches(base, errors.Unwrap(err), value) // kin wraps the reasons of unions
		return
	}
	for _, part := range parts {
		if f.full() {
			return
		}
		f.mismatches(base, part, value)
	}
	if mismatch == nil {
		return
	}
	switch mismatch.SchemaField {
	case "allOf", "oneOf":
		f.mismatches(base, mismatch.Origin, value)
	case "properties": // unknown members: found by a walk of our own
	case "discriminator":
		f.variant(base, mismatch, value)
	case "required":
		steps := mismatch.JSONPointer()
		object, _ := follow(base, value, steps[:len(steps)-1])
		f.add(memberPath(object, steps[len(steps)-1]), endOf(object), "is required")
	default:
		place, _ := follow(base, value, mismatch.JSONPointer())
		f.add(place, place, messageFor(mismatch.SchemaField, mismatch.Schema))
	}
}

// variant adds a discriminator that is missing or chooses nothing.
func (f *findings) variant(base string, mismatch *openapi3.SchemaError, value any) {
	place, object := follow(base, value, mismatch.JSONPointer())
	chooser := mismatch.Schema.Discriminator
	at := memberPath(place, chooser.PropertyName)
	if fields, _ := object.(map[string]any); fields != nil {
		if _, given := fields[chooser.PropertyName]; !given {
			f.add(at, endOf(place), "is required")
			return
		}
	}
	f.add(at, at, oneOf(slices.Sorted(maps.Keys(chooser.Mapping))))
}

// follow walks the steps from value, which is at place base, and returns the place it
// comes to, and what is there.
func follow(base string, value any, steps []string) (place string, at any) {
	place, at = base, value
	for _, step := range steps {
		switch v := at.(type) {
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(v) {
				return place, nil
			}
			place, at = IndexPath(place, i), v[i]
		case map[string]any:
			place, at = memberPath(place, step), v[step]
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
		items := arrayItems(schema)
		if items == nil || f.tooMany(schema, v, place) {
			return
		}
		for i, item := range v {
			if f.full() {
				return
			}
			if holds(item) {
				f.unknown(items, item, IndexPath(place, i))
			}
		}
	case map[string]any:
		if len(v) == 0 {
			return
		}
		known := membersOf(schema, v)
		if known == nil {
			return
		}
		for name, value := range v {
			if f.full() {
				return
			}
			at := memberPath(place, name)
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

// UnknownMembers returns the paths of the members of value, at every depth, that the schema
// does not know.
func UnknownMembers(schema *openapi3.Schema, value any) []string {
	var found findings
	found.unknown(schema, value, "")
	names := make([]string, len(found.list))
	for i, f := range found.list {
		names[i] = f.Field
	}
	return names
}

// holds reports whether there is anything in a value.
func holds(value any) bool {
	switch v := value.(type) {
	case []any:
		return len(v) > 0
	case map[string]any:
		return len(v) > 0
	}
	return false
}

// known is what a schema says about the members of an object.
type known struct {
	properties openapi3.Schemas
	others     *openapi3.Schema // of a map
	open       bool             // members of any name
	bounded    *openapi3.Schema // the part that says how many members there may be
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
	if schema.MaxProps != nil {
		k.bounded = schema
	}
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
