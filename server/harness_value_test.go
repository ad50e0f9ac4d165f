package server_test

import (
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// value is decoded JSON: object, list, string, bool, json.Number or nil. Places
// in it are named as in validation errors: data[0].id.
type value struct {
	asked string
	json  any
}

// decoded reads JSON, whose numbers keep their digits.
func decoded(asked, text string) value {
	GinkgoHelper()
	v := value{asked: asked}
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	Expect(decoder.Decode(&v.json)).To(Succeed(), "%s\n%s", asked, text)
	return v
}

var step = regexp.MustCompile(`\[(\d+)\]|[^.\[\]]+`)

// at returns the value at a place; the spec fails when there is no such place.
func (v value) at(place string) any {
	GinkgoHelper()
	found, ok := v.find(place)
	Expect(ok).To(BeTrue(), "%s: no %s in %v", v.asked, place, v.json)
	return found
}

// in returns the value at a place, to look further in it.
func (v value) in(place string) value {
	GinkgoHelper()
	return value{asked: v.asked + " " + place, json: v.at(place)}
}

// has reports whether there is such a place.
func (v value) has(place string) bool {
	_, ok := v.find(place)
	return ok
}

// text returns the string at a place.
func (v value) text(place string) string {
	GinkgoHelper()
	text, ok := v.at(place).(string)
	Expect(ok).To(BeTrue(), "%s: %s is no string in %v", v.asked, place, v.json)
	return text
}

// list returns the array at a place.
func (v value) list(place string) list {
	GinkgoHelper()
	entries, ok := v.at(place).(list)
	Expect(ok).To(BeTrue(), "%s: %s is no array in %v", v.asked, place, v.json)
	return entries
}

// each returns the value at a place within every entry of the array.
func (v value) each(array, place string) list {
	GinkgoHelper()
	all := list{}
	for _, entry := range v.list(array) {
		all = append(all, value{v.asked, entry}.at(place))
	}
	return all
}

func (v value) find(place string) (any, bool) {
	found := v.json
	for _, m := range step.FindAllStringSubmatch(place, -1) {
		switch here := found.(type) {
		case list:
			i, err := strconv.Atoi(m[1])
			if err != nil || i >= len(here) {
				return nil, false
			}
			found = here[i]
		case object:
			next, ok := here[m[0]]
			if !ok {
				return nil, false
			}
			found = next
		default:
			return nil, false
		}
	}
	return found, true
}
