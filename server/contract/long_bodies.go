package contract

import (
	"context"
	"maps"

	"github.com/getkin/kin-openapi/openapi3"
)

// Bounds of what kin-openapi judges at once. It goes on after each mistake and keeps an
// error for it, with all that is around it, so a body of many mistakes would take gigabytes.
const (
	longestArray = 16 // entries
	longestMap   = 64 // members
)

// match adds what is wrong with value, which is at place. Long arrays and maps in it are
// judged entry by entry until there are enough findings. It returns an error where
// kin-openapi fails, and where the context has ended.
func (f *findings) match(ctx context.Context, schema *openapi3.Schema, value any, place string) error {
	if f.full() {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s := shortening{findings: f}
	short := s.shorten(schema, value, place)
	failed := schema.VisitJSON(short, openapi3.VisitAsRequest(), openapi3.MultiErrors(), openapi3.DefaultsSet(func() {}))
	f.mismatches(place, failed, short)
	for k := len(s.undo) - 1; k >= 0; k-- {
		s.undo[k]()
	}
	for _, rest := range s.rests {
		for i, item := range rest.items {
			if err := f.match(ctx, rest.schema, item, IndexPath(rest.place, longestArray+i)); err != nil {
				failed = err
			}
			if f.full() || ctx.Err() != nil {
				return failed
			}
		}
		for name, value := range rest.members {
			if err := f.match(ctx, rest.schema, value, memberPath(rest.place, name)); err != nil {
				failed = err
			}
			if f.full() || ctx.Err() != nil {
				return failed
			}
		}
	}
	return failed
}

// shortening takes the rests of long arrays and maps out of a value.
type shortening struct {
	findings *findings
	rests    []rest
	undo     []func() // puts the value together again, from the last to the first
}

// rest is what was taken out, and the schema of each entry.
type rest struct {
	schema  *openapi3.Schema
	place   string
	items   []any          // from longestArray on
	members map[string]any // or these
}

// shorten returns value without the rests, and changes what is in it likewise until undo.
func (s *shortening) shorten(schema *openapi3.Schema, value any, place string) any {
	switch v := value.(type) {
	case []any:
		return s.array(schema, v, place)
	case map[string]any:
		return s.object(schema, v, place)
	}
	return value
}

func (s *shortening) array(schema *openapi3.Schema, v []any, place string) any {
	items := arrayItems(schema)
	if items == nil {
		return v
	}
	short := v
	if len(v) > longestArray && lowestItems(schema) <= longestArray {
		short = v[:longestArray:longestArray]
		if s.findings.tooMany(schema, v, place) {
			return short // no more is read of what is too long
		}
		s.findings.repeated(schema, v, place)
		s.rests = append(s.rests, rest{schema: items, place: place, items: v[longestArray:]})
	}
	for i, item := range short {
		if shorter := s.shorten(items, item, IndexPath(place, i)); s.differs(item, shorter) {
			short[i] = shorter
			s.undo = append(s.undo, func() { short[i] = item })
		}
	}
	return short
}

func (s *shortening) object(schema *openapi3.Schema, v map[string]any, place string) any {
	known := membersOf(schema, v)
	if known == nil {
		return v
	}
	short := v
	if known.others != nil && len(v) > longestMap {
		if most := known.bounded; most != nil && uint64(len(v)) > *most.MaxProps {
			s.findings.add(place, place, messageFor("maxProperties", most))
			return map[string]any{} // no more is read of what is too long
		}
		short = map[string]any{}
		more := map[string]any{}
		for name, value := range v {
			if known.properties[name] != nil || len(short) < longestMap {
				short[name] = value
			} else {
				more[name] = value
			}
		}
		s.rests = append(s.rests, rest{schema: known.others, place: place, members: more})
		s.undo = append(s.undo, func() { maps.Copy(v, short) }) // with the defaults that were set
	}
	for name, value := range short {
		property := known.property(name)
		if property == nil {
			continue
		}
		if shorter := s.shorten(property, value, memberPath(place, name)); s.differs(value, shorter) {
			short[name] = shorter
			s.undo = append(s.undo, func() { short[name] = value })
		}
	}
	return short
}

// differs reports whether a value was shortened itself: what was shortened inside of it
// was changed in place.
func (s *shortening) differs(before, after any) bool {
	switch b := before.(type) {
	case []any:
		return len(b) != len(after.([]any))
	case map[string]any:
		return len(b) != len(after.(map[string]any))
	}
	return false
}

// tooMany adds a finding for an array that has more entries than it may, and reports that.
func (f *findings) tooMany(schema *openapi3.Schema, v []any, place string) bool {
	if schema.MaxItems != nil && uint64(len(v)) > *schema.MaxItems {
		f.add(place, place, messageFor("maxItems", schema))
		return true
	}
	for _, part := range schema.AllOf {
		if f.tooMany(part.Value, v, place) {
			return true
		}
	}
	return false
}

// repeated adds a finding for an array with the same entry twice, where that is not allowed.
func (f *findings) repeated(schema *openapi3.Schema, v []any, place string) {
	if schema.UniqueItems && (&openapi3.Schema{UniqueItems: true}).VisitJSON(v) != nil {
		f.add(place, place, messageFor("uniqueItems", schema))
	}
	for _, part := range schema.AllOf {
		f.repeated(part.Value, v, place)
	}
}

func lowestItems(schema *openapi3.Schema) uint64 {
	lowest := schema.MinItems
	for _, part := range schema.AllOf {
		lowest = max(lowest, lowestItems(part.Value))
	}
	return lowest
}
