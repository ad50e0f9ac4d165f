package event

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"tollkeeper/domain/money"
)

// largestProperties bounds the text of one event's properties, in bytes. A metric may
// go through them a thousand times before the database looks at its deadline again.
const largestProperties = 256 << 10

const tooLarge = "must be at most 256 KiB"

// properties reads the flat map of an event: strings, numbers and booleans stay
// as they are written, nulls are dropped (semantics 2.1.1).
func (d *decoder) properties(m *eventFields) error {
	if kind := d.json.PeekKind(); kind != '{' {
		if kind != 'n' {
			m.refuse("properties: must be an object")
		}
		return d.json.SkipValue()
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	d.text = append(d.text[:0], '{')
	for d.json.PeekKind() != '}' {
		if err := d.property(m); err != nil {
			return err
		}
	}
	d.text = append(d.text, '}')
	if len(d.text) > largestProperties {
		m.refuse("properties: " + tooLarge)
	} else {
		m.properties = string(d.text)
	}
	_, err := d.json.ReadToken()
	return err
}

// property reads one name with its value and adds both to the text.
func (d *decoder) property(m *eventFields) error {
	name, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	before := len(d.text)
	if before > len("{") {
		d.text = append(d.text, ',')
	}
	at := len(d.text)
	d.text = append(d.text, name...)
	name = d.text[at:] // the decoder's own copy is gone with the next call
	d.text = append(d.text, ':')

	switch plain := d.unquote(name); {
	case bytes.IndexByte(plain, 0) >= 0:
		m.refuse("properties.%s: a name must not contain the character U+0000", plain)
	case d.lastSeen[string(plain)] == d.event:
		m.refuse("properties.%s: is given twice", plain)
	default:
		d.see(plain)
	}

	kind := d.json.PeekKind()
	switch kind {
	case '{', '[':
		m.refuse("properties.%s: must be a string, number or boolean", d.unquote(name))
		d.text = d.text[:before]
		return d.json.SkipValue()
	case 'n':
		d.text = d.text[:before]
		return d.json.SkipValue()
	}
	value, err := d.json.ReadValue()
	if err != nil {
		return err
	}
	if reason := d.wrong(kind, value); reason != "" {
		m.refuse("properties.%s: %s", d.unquote(name), reason)
	}
	d.text = append(d.text, value...)
	return nil
}

// see remembers that this event has a property of that name.
func (d *decoder) see(name []byte) { d.lastSeen[string(name)] = d.event }

// wrong tells what is wrong with a value that is no null, array or object.
func (d *decoder) wrong(kind jsontext.Kind, value jsontext.Value) string {
	switch {
	case kind == '0' && !plainNumber(value):
		if _, err := money.ParseNumber(string(value)); err != nil {
			return err.Error()
		}
	case kind == '"' && bytes.Contains(value, []byte(`\u0000`)): // perhaps an escaped backslash before u0000
		if bytes.IndexByte(d.unquote(value), 0) >= 0 {
			return "must not contain the character U+0000"
		}
	}
	return ""
}

// plainNumber spares the parser: so few characters without an exponent are
// within all bounds of semantics 2.1.8.
func plainNumber(value jsontext.Value) bool {
	return len(value) <= 30 && bytes.IndexByte(value, 'e') < 0 && bytes.IndexByte(value, 'E') < 0
}
