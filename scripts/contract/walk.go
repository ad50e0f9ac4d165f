package main

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// schemas walks over every schema that the document writes out, with its place. What a
// reference points to is walked over in its place.
func schemas(document *openapi3.T) iter.Seq2[string, *openapi3.Schema] {
	return func(yield func(string, *openapi3.Schema) bool) {
		w := walker{yield: yield}
		for _, name := range slices.Sorted(maps.Keys(document.Components.Schemas)) {
			w.schema("components.schemas."+name, document.Components.Schemas[name])
		}
		for _, name := range slices.Sorted(maps.Keys(document.Components.Parameters)) {
			w.schema("components.parameters."+name, document.Components.Parameters[name].Value.Schema)
		}
		for _, operation := range operations(document) {
			for _, p := range operation.parameters {
				if p.Ref == "" {
					w.schema(operation.at+" "+p.Value.Name, p.Value.Schema)
				}
			}
			if body := operation.RequestBody; body != nil && body.Ref == "" {
				w.content(operation.at+" request", body.Value.Content)
			}
			for status, response := range operation.Responses.Map() {
				if response.Ref == "" {
					w.content(operation.at+" "+status, response.Value.Content)
				}
			}
		}
	}
}

type walker struct {
	yield   func(string, *openapi3.Schema) bool
	stopped bool
}

func (w *walker) content(at string, content openapi3.Content) {
	for _, media := range content {
		w.schema(at, media.Schema)
	}
}

func (w *walker) schema(at string, ref *openapi3.SchemaRef) {
	if w.stopped || ref == nil || ref.Ref != "" {
		return
	}
	if !w.yield(at, ref.Value) {
		w.stopped = true
		return
	}
	for _, name := range slices.Sorted(maps.Keys(ref.Value.Properties)) {
		w.schema(at+"."+name, ref.Value.Properties[name])
	}
	for i, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		w.schema(fmt.Sprintf("%s(%d)", at, i+1), part)
	}
	w.schema(at+"[]", ref.Value.Items)
	w.schema(at+".*", ref.Value.AdditionalProperties.Schema)
}

// operation is one method of a path, with the parameters of both.
type operation struct {
	*openapi3.Operation
	at         string // POST /v1/items
	parameters openapi3.Parameters
}

// changes reports whether it changes something, by the right that it needs.
func (o operation) changes() bool {
	scope, _ := o.Extensions["x-scope"].(string)
	return strings.HasSuffix(scope, ":write")
}

// operations lists the operations in the order of their paths.
func operations(document *openapi3.T) (all []operation) {
	for _, path := range slices.Sorted(maps.Keys(document.Paths.Map())) {
		item := document.Paths.Value(path)
		methods := item.Operations()
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			all = append(all, operation{methods[method], method + " " + path, slices.Concat(item.Parameters, methods[method].Parameters)})
		}
	}
	return all
}

// reached are the schemas that requests or responses are made of, by the name of the
// component, or by the operation for what has no name.
type reached map[string]*openapi3.Schema

func (r reached) add(at string, ref *openapi3.SchemaRef) {
	if ref == nil || ref.Value == nil {
		return
	}
	if ref.Ref != "" {
		at = strings.TrimPrefix(ref.Ref, "#/components/schemas/")
	}
	if r[at] != nil {
		return
	}
	r[at] = ref.Value
	for name, p := range ref.Value.Properties {
		r.add(at+"."+name, p)
	}
	for i, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf, ref.Value.AnyOf) {
		r.add(fmt.Sprintf("%s(%d)", at, i+1), part)
	}
	r.add(at+"[]", ref.Value.Items)
	r.add(at+".*", ref.Value.AdditionalProperties.Schema)
}

// inRequests are the schemas of bodies and parameters that clients send.
func inRequests(document *openapi3.T) reached {
	r := reached{}
	for _, operation := range operations(document) {
		for _, p := range operation.parameters {
			r.add(operation.at+" "+p.Value.Name, p.Value.Schema)
		}
		if operation.RequestBody != nil {
			for _, media := range operation.RequestBody.Value.Content {
				r.add(operation.at+" body", media.Schema)
			}
		}
	}
	return r
}

// addResponses adds the schemas of what the server answers.
func (r reached) addResponses(document *openapi3.T) {
	for _, operation := range operations(document) {
		for status, response := range operation.Responses.Map() {
			for _, media := range response.Value.Content {
				r.add(operation.at+" "+status, media.Schema)
			}
		}
	}
}
