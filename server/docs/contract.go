package docs

import (
	"regexp"

	"github.com/getkin/kin-openapi/openapi3"

	"tollkeeper/gen"
)

// versionLine is where openapi.yaml names its version: two blanks deep, in info.
var versionLine = regexp.MustCompile(`(?m)^  version: .*$`)

// contractYAML returns openapi.yaml as it is written, comments included, with the release as
// its version.
func contractYAML(release string) []byte {
	place := versionLine.FindIndex(gen.Document)
	if place == nil {
		panic("docs: openapi.yaml has no version") // a spec reads it
	}
	text := append([]byte{}, gen.Document[:place[0]]...)
	text = append(text, `  version: "`+release+`"`...)
	return append(text, gen.Document[place[1]:]...)
}

// contractJSON returns the same document as JSON.
func contractJSON(written []byte) []byte {
	document, err := openapi3.NewLoader().LoadFromData(written)
	if err != nil {
		panic("docs: openapi.yaml: " + err.Error()) // gen's specs read it
	}
	text, err := document.MarshalJSON()
	if err != nil {
		panic("docs: openapi.yaml: " + err.Error())
	}
	return text
}
