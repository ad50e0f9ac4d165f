package contract

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// positions numbers the wanted places of a body in the order of its text. The end of an
// object, where its missing members would be, is its place with endOf. Values without a
// wanted place are skipped.
func positions(body []byte, wanted []string) map[string]int {
	r := positionReader{tokens: newTokens(body), wanted: map[string]bool{}, above: map[string]bool{"": true}, order: map[string]int{}}
	for _, place := range wanted {
		r.wanted[place] = true
		for i, c := range place {
			if strings.ContainsRune(".[}", c) {
				r.above[place[:i]] = true
			}
		}
	}
	_ = r.value("")
	return r.order
}

func endOf(place string) string { return place + "}" }

// positionReader walks a JSON text to the wanted places.
type positionReader struct {
	tokens *jsontext.Decoder
	wanted map[string]bool
	above  map[string]bool // places on the way to a wanted one
	order  map[string]int
}

func (r *positionReader) note(place string) {
	if _, known := r.order[place]; r.wanted[place] && !known {
		r.order[place] = len(r.order)
	}
}

func (r *positionReader) value(place string) error {
	r.note(place)
	if !r.above[place] || len(r.order) == len(r.wanted) {
		return r.tokens.SkipValue()
	}
	token, err := r.tokens.ReadToken()
	if err != nil {
		return err
	}
	switch token.Kind() {
	case '{':
		for r.tokens.PeekKind() != '}' {
			name, err := r.tokens.ReadToken()
			if err != nil {
				return err
			}
			if err := r.value(memberPath(place, name.String())); err != nil {
				return err
			}
		}
		r.note(endOf(place))
		_, err = r.tokens.ReadToken()
	case '[':
		for i := 0; r.tokens.PeekKind() != ']'; i++ {
			if err := r.value(IndexPath(place, i)); err != nil {
				return err
			}
		}
		_, err = r.tokens.ReadToken()
	}
	return err
}
