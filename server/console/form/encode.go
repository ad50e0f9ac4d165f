package form

import (
	"encoding/json"
	"reflect"
	"regexp"
	"strings"
)

// Encode writes what a field has as JSON of the contract. A field that is empty is left out:
// what must be there is for the API to say.
func (f Field) Encode() (value any, present bool) {
	switch f.Kind {
	case KindObject:
		members := f.Members()
		return members, len(members) > 0
	case KindUnion:
		if f.Value == "" {
			return nil, false
		}
		members := f.Members()
		members[LastPart(f.Chooser)] = f.Value
		return members, true
	case KindRows:
		return f.rows()
	case KindMap:
		entries := map[string]any{}
		for i, key := range f.Key {
			if key != "" && i < len(f.Data) {
				entries[key] = scalar(f.Items, f.Data[i])
			}
		}
		return entries, len(entries) > 0
	case KindSet:
		return f.Values, len(f.Values) > 0
	case KindLines:
		list := []any{}
		for line := range strings.Lines(f.Value) {
			if line = strings.TrimSpace(line); line != "" {
				list = append(list, scalar(f.Items, line))
			}
		}
		return list, len(list) > 0
	}
	if strings.TrimSpace(f.Value) == "" {
		return nil, false
	}
	return scalar(f.Kind, f.Value), true
}

// Members are those of an object that have something.
func (f Field) Members() map[string]any {
	members := map[string]any{}
	for _, list := range [][]Field{f.Fields, f.More} {
		for _, member := range list {
			value, present := member.Encode()
			switch {
			case present:
				members[LastPart(member.Name)] = value
			case member.Required && member.Null:
				members[LastPart(member.Name)] = nil
			}
		}
	}
	return members
}

// rows are those of a list, without empty ones at its end.
func (f Field) rows() (any, bool) {
	var list []any
	filled := 0
	for _, row := range f.Fields {
		value, present := row.Encode()
		if row.Kind == KindUnion && present {
			present = len(row.Members()) > 0
		}
		if value == nil {
			value = map[string]any{}
		}
		list = append(list, value)
		if present {
			filled = len(list)
		}
	}
	return list[:filled], filled > 0
}

// numberText is a number that is written as text.
var numberText = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?$`)

// scalar reads a single value. What does not fit goes to the API as text, which says why.
func scalar(kind Kind, text string) any {
	trimmed := strings.TrimSpace(text)
	switch kind {
	case KindNumber:
		if numberText.MatchString(trimmed) {
			return json.Number(trimmed)
		}
	case KindBoolean:
		if trimmed == "true" || trimmed == "false" {
			return trimmed == "true"
		}
	case KindAny:
		if numberText.MatchString(trimmed) {
			return json.Number(trimmed)
		}
		if trimmed == "true" || trimmed == "false" {
			return trimmed == "true"
		}
	case KindJSON:
		if json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	case KindLong:
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return trimmed
}

// LastPart is the name of a member without those of its parents.
func LastPart(name string) string {
	return name[strings.LastIndex(name, ".")+1:]
}

// Changed leaves of an update only what the person changed. What was emptied becomes null,
// which clears it; a key that was removed from metadata becomes null likewise.
func Changed(was, is map[string]any, body Field) map[string]any {
	required := map[string]bool{}
	for _, member := range body.Fields {
		required[LastPart(member.Name)] = member.Required
	}
	out := map[string]any{}
	for name, value := range is {
		before, had := was[name]
		if !had || required[name] || !same(before, value) {
			out[name] = value
		}
	}
	for name, before := range was {
		if _, still := is[name]; !still && before != nil {
			out[name] = nil
		}
	}
	if before, ok := was["metadata"].(map[string]any); ok {
		now, _ := is["metadata"].(map[string]any)
		merged := map[string]any{}
		for key, value := range now {
			merged[key] = value
		}
		for key := range before {
			if _, still := now[key]; !still {
				merged[key] = nil
			}
		}
		if same(before, now) {
			delete(out, "metadata")
		} else {
			out["metadata"] = merged
		}
	}
	return out
}

// same reports whether two values are the same JSON.
func same(a, b any) bool {
	first, errFirst := json.Marshal(a)
	second, errSecond := json.Marshal(b)
	return errFirst == nil && errSecond == nil && reflect.DeepEqual(first, second)
}
