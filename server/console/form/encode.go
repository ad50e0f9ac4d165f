package console

import (
	"encoding/json"
	"reflect"
	"strings"
)

// encode writes what a field has as JSON of the contract. A field that is empty is left out:
// what must be there is for the API to say.
func (f field) encode() (value any, present bool) {
	switch f.Kind {
	case fieldObject:
		members := f.members()
		return members, len(members) > 0
	case fieldUnion:
		if f.Value == "" {
			return nil, false
		}
		members := f.members()
		members[lastPart(f.Chooser)] = f.Value
		return members, true
	case fieldRows:
		return f.rows()
	case fieldMap:
		entries := map[string]any{}
		for i, key := range f.Key {
			if key != "" && i < len(f.Data) {
				entries[key] = scalar(f.Items, f.Data[i])
			}
		}
		return entries, len(entries) > 0
	case fieldSet:
		return f.Values, len(f.Values) > 0
	case fieldLines:
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

// members are those of an object that have something.
func (f field) members() map[string]any {
	members := map[string]any{}
	for _, list := range [][]field{f.Fields, f.More} {
		for _, member := range list {
			value, present := member.encode()
			switch {
			case present:
				members[lastPart(member.Name)] = value
			case member.Required && member.Null:
				members[lastPart(member.Name)] = nil
			}
		}
	}
	return members
}

// rows are those of a list, without empty ones at its end.
func (f field) rows() (any, bool) {
	var list []any
	filled := 0
	for _, row := range f.Fields {
		value, present := row.encode()
		if row.Kind == fieldUnion && present {
			present = len(row.members()) > 0
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

// scalar reads a single value. What does not fit goes to the API as text, which says why.
func scalar(kind fieldKind, text string) any {
	trimmed := strings.TrimSpace(text)
	switch kind {
	case fieldNumber:
		if decimalText.MatchString(trimmed) {
			return json.Number(trimmed)
		}
	case fieldBoolean:
		if trimmed == "true" || trimmed == "false" {
			return trimmed == "true"
		}
	case fieldAny:
		if decimalText.MatchString(trimmed) {
			return json.Number(trimmed)
		}
		if trimmed == "true" || trimmed == "false" {
			return trimmed == "true"
		}
	case fieldJSON:
		if json.Valid([]byte(trimmed)) {
			return json.RawMessage(trimmed)
		}
	case fieldLong:
		return strings.ReplaceAll(text, "\r\n", "\n")
	}
	return trimmed
}

// lastPart is the name of a member without those of its parents.
func lastPart(name string) string {
	return name[strings.LastIndex(name, ".")+1:]
}

// changed leaves of an update only what the person changed. What was emptied becomes null,
// which clears it; a key that was removed from metadata becomes null likewise.
func changed(was, is map[string]any, body field) map[string]any {
	required := map[string]bool{}
	for _, member := range body.Fields {
		required[lastPart(member.Name)] = member.Required
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
