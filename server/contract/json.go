package contract

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tollkeeper/domain/money"
	"tollkeeper/store/fault"
)

// deepest bounds how far values of a body may be nested.
const deepest = 64

// mostValues bounds the values of a body, at all depths: each object, array, text, number, truth
// value and null is one. Small values cost far more memory than their bytes: 10 MB of `{}` are
// half a gigabyte, and 10 KB when packed.
const mostValues = 250_000

// ReadJSON reads a text that is one JSON value in UTF-8. It returns maps, slices, strings,
// booleans, nil, and json.Number without exponent or trailing zeros. It reports all violations
// inside the value at once; a text that is no JSON value is reported alone.
func ReadJSON(body []byte) (any, error) {
	r := strictReader{tokens: newTokens(body)}
	value, err := r.document()
	if err != nil {
		return nil, err
	}
	if len(r.wrong) > 0 {
		return nil, fault.Invalid(r.wrong...)
	}
	return value, nil
}

// newTokens returns a decoder that allows a member twice: strictReader reports its place.
func newTokens(body []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true))
}

// strictReader builds the value of a JSON text and collects violations.
type strictReader struct {
	tokens *jsontext.Decoder
	values int               // that were begun
	path   []step            // to the value that is read, from the outermost one
	wrong  []fault.Violation // at most one more than an answer lists
}

// step leads from an object or array to a value in it.
type step struct {
	key      string
	index    int
	inObject bool
}

// place names the value that a path leads to. It is called only for violations: a large body
// has millions of places.
func (r *strictReader) place(path []step) (place string) {
	for _, s := range path {
		if s.inObject {
			place = memberPath(place, s.key)
		} else {
			place = IndexPath(place, s.index)
		}
	}
	return place
}

func (r *strictReader) document() (any, error) {
	value, err := r.value()
	if err != nil {
		return nil, syntaxFault(err)
	}
	if _, err := r.tokens.ReadToken(); !errors.Is(err, io.EOF) {
		return nil, fault.Bad("body", "must be one JSON value, with nothing after it")
	}
	return value, nil
}

var (
	errTooDeep = errors.New("nested too deeply")
	errTooMany = errors.New("too many values")
)

// syntaxFault says why a text is no JSON value.
func syntaxFault(err error) error {
	var syntax *jsontext.SyntacticError
	switch {
	case errors.Is(err, errTooDeep):
		return fault.Bad("body", "must not be nested more than %d deep", deepest)
	case errors.Is(err, errTooMany):
		return fault.Bad("body", "must have at most %d values, counted at all depths", mostValues)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fault.Bad("body", "ends too early to be JSON")
	case errors.As(err, &syntax):
		return fault.Bad("body", "is not JSON in UTF-8: see byte %d", syntax.ByteOffset)
	}
	return err
}

func (r *strictReader) value() (any, error) {
	token, err := r.tokens.ReadToken()
	if err != nil {
		return nil, err
	}
	if r.values++; r.values > mostValues {
		return nil, errTooMany
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

func (r *strictReader) nested(read func() (any, error)) (any, error) {
	if len(r.path) == deepest {
		return nil, errTooDeep
	}
	r.path = append(r.path, step{})
	defer func() { r.path = r.path[:len(r.path)-1] }()
	return read()
}

func (r *strictReader) object() (any, error) {
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

func (r *strictReader) array() (any, error) {
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

func (r *strictReader) text(text string) string {
	if strings.ContainsRune(text, 0) {
		r.refuse(r.place(r.path), "must not contain the character U+0000")
	}
	return text
}

func (r *strictReader) number(text string) json.Number {
	exact, err := money.ParseNumber(text)
	if err != nil {
		r.refuse(r.place(r.path), err.Error())
	}
	return json.Number(exact.String())
}

func (r *strictReader) refuse(place, reason string) {
	if len(r.wrong) <= mostViolations {
		r.wrong = append(r.wrong, fault.Violation{Field: pathOrBody(place), Reason: reason})
	}
}

// longestName bounds how much of a name that a client sent is repeated.
const longestName = 100

// memberPath returns the path of a member of an object, as violations name it.
func memberPath(place, key string) string {
	if len(key) > longestName {
		key = strings.ToValidUTF8(key[:longestName], "") + "…"
	}
	if place == "" {
		return key
	}
	return place + "." + key
}

// IndexPath returns the path of an entry of an array, as violations name it.
func IndexPath(place string, i int) string { return place + "[" + strconv.Itoa(i) + "]" }

// pathOrBody returns place, or "body" for the whole body.
func pathOrBody(place string) string {
	if place == "" {
		return "body"
	}
	return place
}
