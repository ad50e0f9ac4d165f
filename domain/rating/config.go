package rating

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"tollkeeper/domain/money"
	"tollkeeper/store/fault"
)

// Amount is a configured amount or rate. It is never negative: a reduction is an adjustment of
// a price, not a price.
type Amount struct {
	money.Decimal
	Text string // as the client sent it
}

// document collects the faults of a configuration, so that the client sees all of them at once.
// A field that cannot be read is reported once and then has the zero value, so that the checks
// of other fields can continue.
type document struct {
	violations []fault.Violation
	wrong      map[string]bool // paths of reported fields
	names      []PropertyName  // property names that were read
}

// object is one JSON object of a document. Reading a field takes it out of the object. Fields
// that are left when the object is closed are unknown. Keys are case-sensitive.
type object struct {
	doc    *document
	path   string
	fields map[string]json.RawMessage // not taken yet; nil: the object could not be read, which is reported
}

func (d *document) bad(path, reason string, args ...any) {
	if d.wrong[path] {
		return
	}
	d.wrong[path] = true
	d.violations = append(d.violations, fault.Violation{Field: path, Reason: fmt.Sprintf(reason, args...)})
}

// object reads raw as an object without repeated keys.
func (d *document) object(path string, raw json.RawMessage) *object {
	o := &object{doc: d, path: path}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if open, err := dec.ReadToken(); err != nil || open.Kind() != '{' {
		d.bad(path, "must be an object")
		return o
	}
	fields := map[string]json.RawMessage{}
	for dec.PeekKind() != '}' {
		key, err := dec.ReadToken()
		if err != nil {
			d.bad(path, "must be valid JSON")
			return o
		}
		name := key.String()
		value, err := dec.ReadValue()
		if err != nil {
			d.bad(path, "must be valid JSON")
			return o
		}
		if _, repeated := fields[name]; repeated {
			d.bad(o.at(name), "must not be given twice")
		}
		fields[name] = json.RawMessage(value.Clone())
	}
	if _, err := dec.ReadToken(); err != nil { // the closing brace
		d.bad(path, "must be valid JSON")
		return o
	}
	if _, err := dec.ReadToken(); !errors.Is(err, io.EOF) {
		d.bad(path, "must be one JSON object")
		return o
	}
	o.fields = fields
	return o
}

// close reports the fields that were not taken: they are unknown.
func (o *object) close() {
	for _, key := range slices.Sorted(maps.Keys(o.fields)) {
		o.bad(key, "is not a known field")
	}
}

func (o *object) at(key string) string {
	if o.path == "" {
		return key
	}
	return o.path + "." + key
}

// bad reports a field, unless nothing of the object could be read.
func (o *object) bad(key, reason string, args ...any) {
	if o.fields != nil {
		o.doc.bad(o.at(key), reason, args...)
	}
}

// sound reports whether no fault was found so far. Only then are fields compared with each
// other.
func (o *object) sound() bool { return len(o.doc.violations) == 0 }

// take returns the value of an optional key, nil if it is absent or null.
func (o *object) take(key string) json.RawMessage {
	raw := o.fields[key]
	delete(o.fields, key)
	if string(raw) == "null" {
		return nil
	}
	return raw
}

// need returns the value of a required key, nil if that is reported missing.
func (o *object) need(key string) json.RawMessage {
	if _, given := o.fields[key]; !given {
		o.bad(key, "is required")
		return nil
	}
	raw := o.take(key)
	if raw == nil {
		o.bad(key, "must not be null")
	}
	return raw
}

// amount reads a required decimal string that is not negative.
func (o *object) amount(key string) Amount {
	raw := o.need(key)
	if raw == nil {
		return Amount{}
	}
	var text string
	if json.Unmarshal(raw, &text) != nil {
		o.bad(key, "must be a decimal string")
		return Amount{}
	}
	value, err := money.Parse(text)
	switch {
	case err != nil:
		o.bad(key, "%v", err)
	case value.Sign() < 0:
		o.bad(key, "must not be negative")
	}
	return Amount{value, text}
}

// amountOrNull reads an optional decimal string that is not negative.
func (o *object) amountOrNull(key string) *Amount {
	if raw, given := o.fields[key]; !given || string(raw) == "null" {
		o.take(key)
		return nil
	}
	a := o.amount(key)
	return &a
}

// positive reads a required decimal string above 0.
func (o *object) positive(key string) Amount {
	a := o.amount(key)
	if a.Sign() <= 0 {
		o.bad(key, "must be above 0")
	}
	return a
}

// number reads a required JSON number.
func (o *object) number(key string) money.Decimal {
	if raw := o.need(key); raw != nil {
		return o.parse(key, raw)
	}
	return money.Decimal{}
}

// bound reads an optional JSON number; nil: there is no bound.
func (o *object) bound(key string) *money.Decimal {
	raw := o.take(key)
	if raw == nil {
		return nil
	}
	n := o.parse(key, raw)
	return &n
}

func (o *object) parse(key string, raw json.RawMessage) money.Decimal {
	n, err := money.ParseNumber(string(raw))
	if err != nil {
		o.bad(key, "%v", err)
	}
	return n
}

// flag reads an optional boolean; absent and null are false.
func (o *object) flag(key string) (set bool) {
	if raw := o.take(key); raw != nil && json.Unmarshal(raw, &set) != nil {
		o.bad(key, "must be true or false")
	}
	return set
}

// text reads a required string.
func (o *object) text(key string) (value string) {
	if raw := o.need(key); raw != nil && json.Unmarshal(raw, &value) != nil {
		o.bad(key, "must be a string")
	}
	return value
}

// textOrNull reads an optional string.
func (o *object) textOrNull(key string) *string {
	raw := o.take(key)
	if raw == nil {
		return nil
	}
	var value string
	if json.Unmarshal(raw, &value) != nil {
		o.bad(key, "must be a string")
	}
	return &value
}

// name reads a required string that is not empty.
func (o *object) name(key string) string {
	value := o.text(key)
	if value == "" {
		o.bad(key, "must not be empty")
	}
	return value
}

// nameOrNull reads an optional string that is not empty where it is given; "" is none.
func (o *object) nameOrNull(key string) string {
	if raw, given := o.fields[key]; !given || string(raw) == "null" {
		o.take(key)
		return ""
	}
	return o.name(key)
}

// property reads the required name of a property of events.
func (o *object) property(key string) string { return o.named(key, o.name(key)) }

// propertyOrNull reads the optional name of a property of events; "" is none.
func (o *object) propertyOrNull(key string) string { return o.named(key, o.nameOrNull(key)) }

// named records the name of a property for PropertyNames, and returns it.
func (o *object) named(key, name string) string {
	if name != "" {
		o.doc.names = append(o.doc.names, PropertyName{o.at(key), name})
	}
	return name
}

// texts reads a required list of strings and nulls.
func (o *object) texts(key string) (values []*string) {
	if raw := o.need(key); raw != nil && json.Unmarshal(raw, &values) != nil {
		o.bad(key, "must be a list of strings")
		return nil
	}
	return values
}

// objectsOrNull reads an optional list of objects, which may be empty.
func (o *object) objectsOrNull(key string, read func(*object)) {
	if raw := o.take(key); raw != nil {
		o.eachObject(key, raw, read)
	}
}

// objects reads a required list of at least one object, and calls read for each.
func (o *object) objects(key string, read func(*object)) {
	raw := o.need(key)
	if raw != nil && o.eachObject(key, raw, read) == 0 {
		o.bad(key, "must have at least one entry")
	}
}

func (o *object) eachObject(key string, raw json.RawMessage, read func(*object)) (n int) {
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		o.bad(key, "must be a list of objects")
		return 0
	}
	for i, item := range items {
		entry := o.doc.object(fmt.Sprintf("%s[%d]", o.at(key), i), item)
		read(entry)
		entry.close()
	}
	return len(items)
}
