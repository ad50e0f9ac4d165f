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

// textReader builds the value of a JSON text and collects what is wrong in it.
type textReader struct {
	tokens *jsontext.Decoder
	path   []step            // to what is read, from the outermost value
	wrong  []fault.Violation // one more than an answer lists, at most
}

// step leads from an object or array to what is in it.
type step struct {
	key      string
	index    int
	inObject bool
}

// place names what the path leads to. It is asked only for what is wrong: a large body has
// millions of places.
func (r *textReader) place(path []step) (place string) {
	for _, s := range path {
		if s.inObject {
			place = member(place, s.key)
		} else {
			place = entry(place, s.index)
		}
	}
	return place
}

func (r *textReader) document() (any, error) {
	value, err := r.value()
	if err != nil {
		return nil, broken(err)
	}
	if _, err := r.tokens.ReadToken(); !errors.Is(err, io.EOF) {
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

func (r *textReader) value() (any, error) {
	token, err := r.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	switch token.Kind() {
	case '{':
		return r.nested(r.object)
	case '[':
		return r.nested(r.array)
	case '"':
		return r.text(token.String()), nil
	case '0':
		return r.number(token.String()), nil
	case 't', 'f':
		return token.Bool(), nil
	}
	return nil, nil
}

func (r *textReader) nested(read func() (any, error)) (any, error) {
	if len(r.path) == deepest {
		return nil, errTooDeep
	}
	r.path = append(r.path, step{})
	defer func() { r.path = r.path[:len(r.path)-1] }()
	return read()
}

func (r *textReader) object() (any, error) {
	members := map[string]any{}
	at := len(r.path) - 1
	for r.tokens.PeekKind() != '}' {
		name, err := r.tokens.ReadToken()
		if err != nil {
			return nil, err
		}
		key := name.String()
		r.path[at] = step{key: key, inObject: true}
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		if _, twice := members[key]; twice {
			r.refuse(r.place(r.path), "is given more than once")
		}
		if strings.ContainsRune(key, 0) {
			r.refuse(r.place(r.path[:at]), "has a member with the character U+0000 in its name")
		}
		members[key] = value
	}
	_, err := r.tokens.ReadToken()
	return members, err
}

func (r *textReader) array() (any, error) {
	entries := []any{}
	at := len(r.path) - 1
	for r.tokens.PeekKind() != ']' {
		r.path[at] = step{index: len(entries)}
		value, err := r.value()
		if err != nil {
			return nil, err
		}
		entries = append(entries, value)
	}
	_, err := r.tokens.ReadToken()
	return entries, err
}

func (r *textReader) text(text string) string {
	if strings.ContainsRune(text, 0) {
		r.refuse(r.place(r.path), "must not contain the character U+0000")
	}
	return text
}

func (r *textReader) number(text string) json.Number {
	exact, err := money.ParseNumber(text)
	if err != nil {
		r.refuse(r.place(r.path), err.Error())
	}
	return json.Number(exact.String())
}

func (r *textReader) refuse(place, reason string) {
	if len(r.wrong) <= mostViolations {
		r.wrong = append(r.wrong, fault.Violation{Field: named(place), Reason: reason})
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
