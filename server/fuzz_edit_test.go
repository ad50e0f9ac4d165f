package server_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// odd are the values that edits put into bodies, as JSON. Of the numbers within all
// bounds none is so large that an amount would have more digits than answers may show.
var odd = strings.Split(`null;true;false;"";" ";[];{};0;-0;1;-1;0.5;1.50;1e-60;1e9;1e30;1e400000;9223372036854775807;9223372036854775808;2147483648;`+
	`0.1234567890123456789012345678901234567;"0";"-1";"0.00";"1e3";"999999999.99999999999999999999";"1000000000000000000000000000000";"0.00000000000000000001";`+
	`"0.1";"1";"a\u0000";"\ud83d\ude00";"<&>";"$item";"$metric";"$plan";"$customer";"$usage";"USD";"JPY";"KWD";"credits";"Credits";`+
	`"2025-05-10";"2025-02-30";"0001-01-01";"9999-12-31";"9999-12-31T23:59:59.999999Z";"2025-05-10T12:00";"2025-05-10T12:00:00+05:45";`+
	`"monthly";"annual";"custom";"one_time";"draft";"archived";[null];[[]];{"":null};{"a":"b","c":null};[""];["x","x"];"`+strings.Repeat("x", 300)+`"`, ";")

// A member is one of an object in a body: edits move it into others.
type member struct {
	name string
	text json.RawMessage
}

// membersOf are all members in JSON texts, at every depth.
func membersOf(bodies []string) (all []member) {
	var gather func(value any)
	gather = func(value any) {
		switch v := value.(type) {
		case list:
			for _, entry := range v {
				gather(entry)
			}
		case object:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				text, _ := json.Marshal(v[name])
				all = append(all, member{name, text})
				gather(v[name])
			}
		}
	}
	for _, body := range bodies {
		if value, ok := parsed(body); ok {
			gather(value)
		}
	}
	return all
}

func parsed(text string) (value any, ok bool) {
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.UseNumber()
	err := decoder.Decode(&value)
	return value, err == nil && !decoder.More()
}

// edited applies edits of four bytes each to a body: the first says where, the second
// what is done, and two what with. What is no JSON stays as it is.
func edited(body string, edits []byte, members []member) string {
	value, ok := parsed(body)
	if !ok {
		return body
	}
	for edit := range slices.Chunk(edits, 4) {
		if len(edit) == 4 {
			spots := spotsOf(value, func(v any) { value = v }, func() { value = nil })
			spots[int(edit[0])%len(spots)].change(edit[1], int(edit[2])<<8|int(edit[3]), members)
		}
	}
	text, err := json.Marshal(value)
	if err != nil {
		return body
	}
	return string(text)
}

// spot is a value in a body, and how to put another in its place.
type spot struct {
	value any
	set   func(any)
	drop  func()
}

func spotsOf(value any, set func(any), drop func()) []spot {
	spots := []spot{{value, set, drop}}
	switch v := value.(type) {
	case list:
		for i, entry := range v {
			spots = append(spots, spotsOf(entry, func(e any) { v[i] = e }, func() { set(slices.Concat(v[:i], v[i+1:])) })...)
		}
	case object:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			spots = append(spots, spotsOf(v[name], func(m any) { v[name] = m }, func() { delete(v, name) })...)
		}
	}
	return spots
}

func (s spot) change(how byte, what int, members []member) {
	m := members[what%len(members)]
	moved, _ := parsed(string(m.text))
	switch how % 4 {
	case 0:
		s.drop()
	case 1:
		value, _ := parsed(odd[what%len(odd)])
		s.set(value)
	case 2:
		s.set(moved)
	case 3:
		switch v := s.value.(type) {
		case object:
			v[m.name] = moved
		case list:
			s.set(append(slices.Clone(v), moved))
		}
	}
}
