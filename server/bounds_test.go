package server_test

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// excess is a body that is too large at one place of its schema, and maybe wrong elsewhere.
type excess struct {
	place string
	body  any
}

// excesses finds a body for each bound of a schema that is in a body where put puts it.
// Schemas that are known are left out.
func excesses(schema *openapi3.SchemaRef, known map[*openapi3.Schema]bool, place string, put func(any) any) (all []excess) {
	s := schema.Value
	if known[s] {
		return nil
	}
	known[s] = true
	if most := s.MaxLength; most != nil && len(s.Enum) == 0 {
		all = append(all, excess{place, put(strings.Repeat("x", int(*most)+1))})
	}
	if most := s.MaxItems; most != nil {
		all = append(all, excess{place, put(make(list, *most+1))})
	}
	if most := s.MaxProps; most != nil {
		body := object{}
		for i := range *most + 1 {
			body[fmt.Sprintf("k%d", i)] = "x"
		}
		all = append(all, excess{place, put(body)})
	}
	if s.Items != nil {
		all = append(all, excesses(s.Items, known, place+"[0]", func(v any) any { return put(list{v}) })...)
	}
	all = append(all, excessesOfMembers(s, known, place, func(o object) any { return put(o) })...)
	return all
}

func excessesOfMembers(s *openapi3.Schema, known map[*openapi3.Schema]bool, place string, put func(object) any) (all []excess) {
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		at := strings.TrimPrefix(place+"."+name, ".")
		all = append(all, excesses(s.Properties[name], known, at, func(v any) any { return put(object{name: v}) })...)
	}
	for _, part := range s.AllOf {
		all = append(all, excesses(part, known, place, func(v any) any {
			if o, ok := v.(object); ok {
				return put(o)
			}
			return put(object{})
		})...)
	}
	if s.Discriminator != nil {
		for _, kind := range slices.Sorted(maps.Keys(s.Discriminator.Mapping)) {
			variant := s.Discriminator.Mapping[kind]
			for _, ref := range s.OneOf {
				if ref.Ref == variant.Ref {
					all = append(all, excessesOfMembers(ref.Value, known, place, func(o object) any {
						o = maps.Clone(o)
						o[s.Discriminator.PropertyName] = kind
						return put(o)
					})...)
				}
			}
		}
	}
	return all
}

var _ = Describe("what is larger than the contract allows", func() {
	filled := func(path string) string { return placeholder.ReplaceAllString(path, "x") }

	It("is refused with its place, in every body", func() {
		api := start()
		tried := 0
		known := map[*openapi3.Schema]bool{}
		for _, path := range slices.Sorted(maps.Keys(document().Paths.Map())) {
			for method, op := range document().Paths.Value(path).Operations() {
				if op.RequestBody == nil || op.Extensions["x-body-validation"] == "handler" {
					continue
				}
				schema := op.RequestBody.Value.Content.Get("application/json").Schema
				for _, e := range excesses(schema, known, "", func(v any) any { return v }) {
					if strings.HasSuffix(e.place, "model_type") {
						continue // the chooser of a variant
					}
					answer := api.send(method, filled(path), e.body)
					Expect(answer.status).To(Equal(http.StatusBadRequest), "%s %s %s", method, path, e.place)
					at := e.place
					if at == "" {
						at = "body"
					}
					Expect(answer.body().list("validation_errors")).To(ContainElement(HavePrefix(at+": ")), "%s %s", method, path)
					tried++
				}
			}
		}
		Expect(tried).To(BeNumerically(">", 300))
	})

	It("is refused with its name, in every query", func() {
		api := start()
		tried := 0
		for path, item := range document().Paths.Map() {
			for method, op := range item.Operations() {
				for _, p := range slices.Concat(item.Parameters, op.Parameters) {
					schema := p.Value.Schema.Value
					if p.Value.In != openapi3.ParameterInQuery || schema.MaxLength == nil {
						continue
					}
					query := url.Values{p.Value.Name: {strings.Repeat("x", int(*schema.MaxLength)+1)}}
					answer := api.send(method, filled(path)+"?"+query.Encode(), nil)
					Expect(answer.status).To(Equal(http.StatusBadRequest), "%s %s %s", method, path, p.Value.Name)
					Expect(answer.body().list("validation_errors")).To(ContainElement(HavePrefix(p.Value.Name+": ")), "%s %s", method, path)
					tried++
				}
			}
		}
		Expect(tried).To(BeNumerically(">", 100))
	})
})
