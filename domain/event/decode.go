package event

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"tollkeeper/store/fault"
	"tollkeeper/store/tempfile"
)

// Receive reads {"events": […]} as a stream; other members are ignored. A body of
// another shape is a fault (semantics 2.2, step 2). What is wrong with a single
// event stays with that event. An error of the reader is returned as it is. Many events
// go to temporary files; where those find no room, the error is a [*tempfile.Refusal].
func Receive(body io.Reader, temp *tempfile.Place) (*Body, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.body = limitedReader{body: body, decoder: &d.json, until: largestMember}
	d.json.Reset(&d.body, jsontext.AllowDuplicateNames(true))
	received, whole := &Body{temp: temp}, false
	defer func() {
		if !whole { // also after a panic
			received.Close()
		}
	}()
	err := d.request(received)
	if err == nil {
		whole = true
		return received, nil
	}
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooLong):
		return nil, fault.Bad("body", "must have no event, and no other member, of more than 32 MiB")
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fault.Bad("body", "ends too early to be JSON")
	case errors.As(err, &syntax):
		return nil, fault.Bad("body", "cannot be read as JSON in UTF-8: see byte %d", syntax.ByteOffset+d.body.blanks)
	}
	return nil, err
}

// Parse reads one event, written as in a request. A text of another shape is a fault.
func Parse(text []byte) (Event, error) {
	d := decoders.Get().(*decoder)
	defer d.release()
	d.body = limitedReader{body: bytes.NewReader(text), decoder: &d.json, until: largestMember}
	d.json.Reset(&d.body, jsontext.AllowDuplicateNames(true))
	e, err := d.one()
	switch {
	case errors.Is(err, errTooLong):
		return Event{}, fault.Bad("event", "must be at most 32 MiB")
	case err != nil && !fault.Is(err, fault.KindInvalid):
		return Event{}, fault.Bad("event", "must be valid JSON")
	}
	return e, err
}

// decoder reads one request. It tells duplicate names itself, since they fail
// an event and not the request.
type decoder struct {
	json     jsontext.Decoder
	body     limitedReader
	lastSeen map[string]int // by name of a property: the last event that has it
	event    int            // number of the event being read, from 1
	text     []byte         // properties of that event
	unquoted []byte         // scratch of unquote
}

// decoders are kept with their buffers: most requests are small, and to make
// new ones would cost more than to read them.
var decoders = sync.Pool{New: func() any { return &decoder{lastSeen: map[string]int{}} }}

// release keeps d for another request, unless it has grown.
func (d *decoder) release() {
	const kept = 1 << 16
	small := d.body.read <= fewBytes
	d.body = limitedReader{} // the body is the caller's
	d.json.Reset(&d.body)
	clear(d.lastSeen)
	if d.event = 0; small && cap(d.text) <= kept && cap(d.unquoted) <= kept {
		decoders.Put(d)
	}
}

func (d *decoder) request(into *Body) error {
	if err := d.open('{', "body", "must be an object"); err != nil {
		return err
	}
	found := false
	for d.json.PeekKind() != '}' {
		d.body.allow(largestMember)
		name, err := d.json.ReadValue()
		if err != nil {
			return err
		}
		switch {
		case string(d.unquote(name)) != "events":
			err = d.json.SkipValue()
		case found:
			err = fault.Bad("events", "is given twice")
		default:
			found = true
			err = d.events(into)
		}
		if err != nil {
			return err
		}
	}
	if _, err := d.json.ReadToken(); err != nil {
		return err
	}
	switch _, err := d.json.ReadToken(); {
	case err == nil:
		return fault.Bad("body", "nothing may follow the object")
	case !errors.Is(err, io.EOF):
		return err
	case !found:
		return fault.Bad("events", "is required")
	}
	return nil
}

// one reads a single event.
func (d *decoder) one() (Event, error) {
	if err := d.open('{', "event", "must be an object"); err != nil {
		return Event{}, err
	}
	d.begin()
	m, err := d.members()
	if err != nil {
		return Event{}, err
	}
	switch _, err := d.json.ReadToken(); {
	case err == nil:
		return Event{}, fault.Bad("event", "nothing may follow the object")
	case !errors.Is(err, io.EOF):
		return Event{}, err
	}
	return m.event(), nil
}

// open enters an object or array, which must come next.
func (d *decoder) open(kind jsontext.Kind, field, otherwise string) error {
	if entered, err := d.enter(kind); entered || err != nil {
		return err
	}
	return fault.Bad(field, "%s", otherwise)
}

// enter enters an object or array, if it comes next.
func (d *decoder) enter(kind jsontext.Kind) (bool, error) {
	switch next := d.json.PeekKind(); next {
	case kind, jsontext.KindInvalid, '}', ']': // the token, or what JSON does not allow here
		_, err := d.json.ReadToken()
		return err == nil, err
	default:
		return false, nil
	}
}

func (d *decoder) events(into *Body) error {
	if err := d.open('[', "events", "must be an array"); err != nil {
		return err
	}
	for d.json.PeekKind() != ']' {
		d.body.allow(largestMember)
		switch entered, err := d.enter('{'); {
		case err != nil:
			return err
		case !entered:
			return fault.Bad(fmt.Sprintf("events[%d]", d.event), "must be an object")
		}
		d.begin()
		m, err := d.members()
		if err != nil {
			return err
		}
		if err := into.add(m.event(), d.json.InputOffset()); err != nil {
			return err
		}
	}
	_, err := d.json.ReadToken()
	return err
}

// begin makes ready for another event. The names of earlier ones are forgotten now
// and then, for they may all be different.
func (d *decoder) begin() {
	const kept = 1 << 12
	if d.event++; len(d.lastSeen) > kept {
		clear(d.lastSeen)
	}
}

// members reads an event, without judging it but for its properties.
func (d *decoder) members() (m eventFields, err error) {
	m.properties = "{}"
	for d.json.PeekKind() != '}' {
		raw, err := d.json.ReadValue()
		if err != nil {
			return m, err
		}
		name := d.unquote(raw)
		f := fieldOf(name)
		switch {
		case f == unknown:
			m.refuse("%s: is not a field of an event", name)
		case m.given[f]:
			m.refuse("%s: is given twice", name)
		}
		switch again := m.given[f]; {
		case f == unknown || again:
			err = d.json.SkipValue()
		case f == properties:
			err = d.properties(&m)
		default:
			m.scalars[f], err = d.scalar()
		}
		if err != nil {
			return m, err
		}
		m.given[f] = true
	}
	_, err = d.json.ReadToken()
	return m, err
}

// scalar reads a member that should be a string.
func (d *decoder) scalar() (s scalar, err error) {
	s.kind = d.json.PeekKind()
	if s.kind != '"' {
		return s, d.json.SkipValue()
	}
	raw, err := d.json.ReadValue()
	if err != nil {
		return s, err
	}
	s.text = string(d.unquote(raw))
	return s, nil
}

// unquote reads a JSON string that was found valid. The result lasts until the
// next call.
func (d *decoder) unquote(raw jsontext.Value) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	d.unquoted, _ = jsontext.AppendUnquote(d.unquoted[:0], raw) // cannot fail on a valid string
	return d.unquoted
}
