package main

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// examples finds bodies of requests and of successes, and parameters of paths and required ones
// of queries, that have no example. A spec sends the examples and compares the answers.
func examples(document *openapi3.T) (found []string) {
	used := map[string]bool{}
	for _, operation := range operations(document) {
		for _, p := range operation.parameters {
			if p.Value.Required && p.Value.Example == nil && len(p.Value.Examples) == 0 {
				found = append(found, operation.at+" "+p.Value.Name+": a required parameter needs an example")
			}
		}
		if body := operation.RequestBody; body != nil && withoutExample(body.Value.Content) {
			found = append(found, operation.at+": the request needs an example")
		}
		for status, response := range operation.Responses.Map() {
			code, _ := strconv.Atoi(status)
			if code < 200 || code > 299 {
				continue
			}
			if len(response.Value.Content) > 0 && withoutExample(response.Value.Content) {
				found = append(found, operation.at+": the response "+status+" needs an example")
			}
			for _, media := range response.Value.Content {
				for _, example := range media.Examples {
					used[strings.TrimPrefix(example.Ref, "#/components/examples/")] = true
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(document.Components.Examples)) {
		if !used[name] {
			found = append(found, "components.examples."+name+": no operation answers it")
		}
	}
	return found
}

func withoutExample(content openapi3.Content) bool {
	media := content.Get("application/json")
	return media == nil || len(media.Examples) == 0
}
