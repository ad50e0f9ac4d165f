package gen_test

import (
	"context"
	"os"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/gen"
)

// These specs keep openapi.yaml in the form that generators for other languages
// and strict decoders take without exception.
var _ = Describe("the contract", func() {
	var doc *openapi3.T

	BeforeEach(func() {
		var err error
		doc, err = gen.GetSpec()
		Expect(err).NotTo(HaveOccurred())
	})

	It("is a valid OpenAPI document", func() {
		Expect(doc.Validate(context.Background())).To(Succeed())
	})

	It("tells of every operation what it is and how it fails", func() {
		for path, item := range doc.Paths.Map() {
			for method, op := range item.Operations() {
				at := method + " " + path
				Expect(op.OperationID).NotTo(BeEmpty(), at)
				Expect(op.Tags).To(HaveLen(1), at)
				Expect(op.Summary).NotTo(BeEmpty(), at)
				Expect(op.Description).NotTo(BeEmpty(), at)
				Expect(op.Responses.Default()).NotTo(BeNil(), at)
				Expect(op.Responses.Default().Ref).To(Equal("#/components/responses/Failure"), at)
			}
		}
	})

	It("has a name for every object", func() {
		for name, schema := range doc.Components.Schemas {
			for property, s := range schema.Value.Properties {
				for _, s := range []*openapi3.SchemaRef{s, s.Value.Items} {
					inline := s != nil && s.Ref == "" && !reference(s.Value) && (s.Value.Type.Is("object") || len(s.Value.AllOf)+len(s.Value.OneOf) > 0)
					Expect(inline).To(BeFalse(), "%s.%s", name, property)
				}
			}
		}
	})

	It("maps every variant of a union, and each to itself", func() {
		for name, schema := range doc.Components.Schemas {
			d := schema.Value.Discriminator
			if d == nil {
				continue
			}
			var variants, mapped []string
			for _, variant := range schema.Value.OneOf {
				variants = append(variants, variant.Ref)
			}
			for value, variant := range d.Mapping {
				mapped = append(mapped, variant.Ref)
				Expect(constant(doc.Components.Schemas[strings.TrimPrefix(variant.Ref, "#/components/schemas/")], d.PropertyName)).
					To(Equal(value), name)
			}
			Expect(mapped).To(ConsistOf(variants), name)
		}
	})

	It("has the same variants of a union whether it may be null or not", func() {
		for name, schema := range doc.Components.Schemas {
			union := doc.Components.Schemas[strings.TrimPrefix(name, "Nullable")]
			if !strings.HasPrefix(name, "Nullable") || schema.Value.Discriminator == nil || union == nil {
				continue
			}
			Expect(schema.Value.OneOf).To(HaveLen(len(union.Value.OneOf)), name)
			for value, variant := range union.Value.Discriminator.Mapping {
				Expect(schema.Value.Discriminator.Mapping[value].Ref).To(Equal(variant.Ref), name)
			}
		}
	})

	It("lists every field of a response as required", func() {
		optional := []string{"IngestResult.debug", "IngestFailure.debug", "MetricUsage.metric_group", "SubscriptionUsage.pagination_metadata"}
		for name, schema := range inResponses(doc) {
			if closed := schema.AdditionalProperties.Has; closed != nil && !*closed {
				continue // shared with requests
			}
			for property := range schema.Properties {
				if at := name + "." + property; !slices.Contains(optional, at) {
					Expect(schema.Required).To(ContainElement(property), at)
				}
			}
		}
	})

	It("has a Go mark for every reference that may be null", func() {
		overlay, err := os.ReadFile("overlay.yaml")
		Expect(err).NotTo(HaveOccurred())
		for name, schema := range doc.Components.Schemas {
			if schema.Value.Nullable && len(schema.Value.AllOf) == 1 {
				of := strings.TrimPrefix(schema.Value.AllOf[0].Ref, "#/components/schemas/")
				Expect(strings.Contains(string(overlay), "{target: $.components.schemas."+name+", update: {x-go-type: "+of+"}}")).To(BeTrue(), name)
			}
		}
	})
})

// reference reports a reference that has a text of its own, which OpenAPI 3.0 allows only
// around it.
func reference(schema *openapi3.Schema) bool {
	return len(schema.AllOf) == 1 && schema.AllOf[0].Ref != "" && schema.Description != "" && len(schema.OneOf)+len(schema.Properties) == 0
}

// constant is the one value that a schema, or a part of it, allows a property.
func constant(schema *openapi3.SchemaRef, property string) any {
	if p := schema.Value.Properties[property]; p != nil && len(p.Value.Enum) == 1 {
		return p.Value.Enum[0]
	}
	for _, part := range schema.Value.AllOf {
		if v := constant(part, property); v != nil {
			return v
		}
	}
	return nil
}

// inResponses finds the named schemas that the document's responses are made of.
func inResponses(doc *openapi3.T) map[string]*openapi3.Schema {
	found := map[string]*openapi3.Schema{}
	var visit func(ref *openapi3.SchemaRef)
	visit = func(ref *openapi3.SchemaRef) {
		if ref == nil {
			return
		}
		if name := strings.TrimPrefix(ref.Ref, "#/components/schemas/"); name != "" {
			if found[name] != nil {
				return
			}
			found[name] = ref.Value
		}
		for _, p := range ref.Value.Properties {
			visit(p)
		}
		for _, part := range slices.Concat(ref.Value.AllOf, ref.Value.OneOf) {
			visit(part)
		}
		visit(ref.Value.Items)
	}
	for _, item := range doc.Paths.Map() {
		for _, op := range item.Operations() {
			for _, response := range op.Responses.Map() {
				for _, media := range response.Value.Content {
					visit(media.Schema)
				}
			}
		}
	}
	return found
}
