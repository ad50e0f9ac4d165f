package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// texts finds members of requests and responses, parameters and operations without a text. Of a
// reference the description of what it refers to counts, unless that is a bare kind of value:
// `Decimal` says how a number is written and not what it counts.
func texts(document *openapi3.T) (found []string) {
	requests, responses := members(document)
	for _, m := range slices.Concat(requests, responses) {
		if !m.described && !slices.Contains(found, m.at+": a member needs a description") {
			found = append(found, m.at+": a member needs a description")
		}
	}
	for _, operation := range operations(document) {
		for _, p := range operation.parameters {
			if p.Value.Description == "" {
				found = append(found, operation.at+" "+p.Value.Name+": a parameter needs a description")
			}
		}
		switch words := len(strings.Fields(operation.Description)); {
		case operation.Summary == "" || words == 0:
			found = append(found, operation.at+": needs a summary and a description")
		case operation.changes() && words < fewestWords:
			found = append(found, fmt.Sprintf("%s: says in %d words what it does, when it refuses and what else it changes", operation.at, words))
		}
	}
	return found
}

// fewestWords are those of an operation that changes something: with fewer it leaves out when it
// refuses, or what it changes elsewhere.
const fewestWords = 15

// patterns finds strings whose pattern is told to clients as it is: people who fill in a form do
// not read those. x-message says in words what the pattern requires.
func patterns(document *openapi3.T) (found []string) {
	for at, schema := range schemas(document) {
		if message, _ := schema.Extensions["x-message"].(string); schema.Pattern != "" && message == "" {
			found = append(found, at+": a pattern needs an x-message")
		}
	}
	return found
}

// member is a property of an object that clients send or receive.
type member struct {
	at        string
	described bool
}

// members lists the properties of requests and those of responses. Some are of both.
func members(document *openapi3.T) (requests, responses []member) {
	received := reached{}
	received.addResponses(document)
	return inRequests(document).members(), received.members()
}

func (r reached) members() (all []member) {
	for _, at := range slices.Sorted(maps.Keys(r)) {
		properties := r[at].Properties
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			all = append(all, member{at + "." + name, described(properties[name])})
		}
	}
	return all
}

// figures says how much of the document has a text.
func figures(document *openapi3.T) string {
	share := func(all []member) string {
		with := 0
		for _, m := range all {
			if m.described {
				with++
			}
		}
		return fmt.Sprintf("%d of %d", with, len(all))
	}
	requests, responses := members(document)
	return fmt.Sprintf("%d operations; described: %s properties of requests, %s of responses", len(operations(document)), share(requests), share(responses))
}

// kinds say how a value is written, whatever it means.
var kinds = map[string]bool{
	"#/components/schemas/Currency":               true,
	"#/components/schemas/Date":                   true,
	"#/components/schemas/DateOrDateTime":         true,
	"#/components/schemas/Decimal":                true,
	"#/components/schemas/ExactDecimal":           true,
	"#/components/schemas/IntervalDate":           true,
	"#/components/schemas/NullableDate":           true,
	"#/components/schemas/NullableDateOrDateTime": true,
	"#/components/schemas/NullableDecimal":        true,
	"#/components/schemas/NullableExactDecimal":   true,
	"#/components/schemas/NullableIntervalDate":   true,
	"#/components/schemas/NullableTimestamp":      true,
	"#/components/schemas/Timestamp":              true,
}

func described(ref *openapi3.SchemaRef) bool {
	if kinds[ref.Ref] {
		return false
	}
	if ref.Value.Description != "" {
		return true
	}
	return len(ref.Value.AllOf) == 1 && described(ref.Value.AllOf[0])
}
