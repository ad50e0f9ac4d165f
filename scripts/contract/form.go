package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

var (
	bracket  = regexp.MustCompile(`^( *)[\]}]`)
	blockKey = regexp.MustCompile(`^( *)[^ #].*: *[\[{]$`)
)

// brackets finds closing brackets that are not indented more than the key whose value
// they end. YAML 1.2 asks for that, and js-yaml 5 refuses the document otherwise.
func brackets(text []byte) (found []string) {
	key := -1
	for i, line := range strings.Split(string(text), "\n") {
		if m := blockKey.FindStringSubmatch(line); m != nil {
			key = len(m[1])
		} else if m := bracket.FindStringSubmatch(line); m != nil && len(m[1]) <= key {
			found = append(found, fmt.Sprintf("line %d: the closing bracket must be indented more than its key", i+1))
		}
	}
	return found
}

// nullables finds schemas that say nullable without a type, where it has no effect
// (OpenAPI 3.0.3, proposal 2019-10-31 on nullable).
func nullables(document *openapi3.T) (found []string) {
	for place, schema := range schemas(document) {
		if schema.Nullable && schema.Type == nil {
			found = append(found, place+": nullable needs a type beside it")
		}
	}
	return found
}
