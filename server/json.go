package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
)

// deepest bounds how far values of a body may be nested.
const deepest = 64

// readJSON reads a body that is one JSON value in UTF-8: maps, slices, strings,
// booleans, nil, and json.Number without exponent or trailing zeros. What is
// wrong inside the value is told all at once, what breaks it off alone.
func readJSON(body []byte) (any, error) {
	r := textReader{tokens: newTokens(body)}
	value, err := r.document()
	if err != nil {
		return nil, err
	}
	if len(r.wrong) > 0 {
		return nil, fault.Invalid(r.wrong...)
	}
	return value, nil
}

// newTokens leaves it to us to say where a member stands twice.
func newTokens(body []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
}

// placesOf numbers the places of a body in the order of the text. The end of an
// object, where its missing members would stand, is its place with endOf.
func placesOf(body []byte) map[string]int {
	r := textReader{tokens: newTokens(body), order: map[string]int{}}
	_, _ = r.document()
	return r.order
}

func endOf(place string) string { return place + "}" }

// textReader builds the value of a JSON text and collects what is wrong in it.
type textReader struct {
	tokens *jsontext.Decoder
	order  map[string]int // nil unless asked for
	wrong  []fault.Violation
	depth  int
}

func (r *textReader) document() (any, error) {
	value, err := r.value("")
	if err != nil {
		return nil, broken(err)
	}
	if _, err := r.tokens.ReadToken(); err != io.EOF {
		return nil, fault.Bad("body", "must be one JSON value, with nothing after it")
	}
	return value, nil
}

var errTooDeep = errors.New("nested too deeply")

// broken says why a text is no JSON value.
func broken(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooDeep):
		return fault.Bad("body", "must not be nested more than %d deep", deepest)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Bad("body", "ends too early to be JSON")
	case errors.As(err, &syntax):
		return fault.Bad("body", "is not JSON in UTF-8: see byte %d", syntax.ByteOffset)
	}
	return err
}

func (r *textReader) value(place string) (any, error) {
	token, err := r.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	r.note(place)
	switch token.Kind() {
	case '{':
		return r.nested(func() (any, error) { return r.object(place) })
	case '[':
		return r.nested(func() (any, error) { return r.array(place) })
	case '"':
		return r.text(place, token.String()), nil
	case '0':
		return r.number(place, token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (r *textReader) nested(read func() (any, error)) (any, error) {
	if r.depth++; r.depth > deepest {
		return nil, errTooDeep
	}
	defer func() { r.depth-- }()
	return read()
}

func (r *textReader) object(place string) (any, error) {
	members := map[string]any{}
	for r.tokens.PeekKind() != '}' {
		name, err := r.tokens.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		at := member(place, key)
		value, err := r.value(at)
		if err != nil {
			return nil, err
		}
		if _, twice := members[key]; twice {
			r.refuse(at, "is given more than once")
		}
		if strings.ContainsRune(key, 0) {
			r.refuse(place, "has a member with the character U+0000 in its name")
		}
		members[key] = value
	}
	r.note(endOf(place))
	_, err := r.tokens.ReadToken()
	return members, err
}

func (r *textReader) array(place string) (any, error) {
	entries := []any{}
	for r.tokens.PeekKind() != ']' {
		value, err := r.value(entry(place, len(entries)))
		if err != nil {
			return nil, err
		}
		entries = append(entries, value)
	}
	_, err := r.tokens.ReadToken()
	return entries, err
}

func (r *textReader) text(place, text string) string {
	if strings.ContainsRune(text, 0) {
		r.refuse(place, "must not contain the character U+0000")
	}
	return text
}

func (r *textReader) number(place, text string) json.Number {
	exact, err := money.ParseNumber(text)
	if err != nil {
		r.refuse(place, err.Error())
	}
	return json.Number(exact.String())
}

func (r *textReader) refuse(place, reason string) {
	r.wrong = append(r.wrong, fault.Violation{Field: named(place), Reason: reason})
}

func (r *textReader) note(place string) {
	if r.order != nil {
		if _, known := r.order[place]; !known {
			r.order[place] = len(r.order)
		}
	}
}

// longestName bounds how much of a name that a client made up is repeated.
const longestName = 100

// member is the place of a member of an object, as violations name it.
func member(place, key string) string {
	if len(key) > longestName {
		key = strings.ToValidUTF8(key[:longestName], "") + "…"
	}
	if place == "" {
		return key
	}
	return place + "." + key
}

// entry is the place of an entry of an array.
func entry(place string, i int) string { return place + "[" + strconv.Itoa(i) + "]" }

// named gives the whole body a name.
func named(place string) string {
	if place == "" {
		return "body"
	}
	return place
}
