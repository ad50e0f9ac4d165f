package contract_test

import (
	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/contract"
)

var _ = Describe("a message", func() {
	It("is the one beside the pattern in the contract", func() {
		schema := openapi3.NewStringSchema().WithPattern("^[a-z]+$")
		schema.Extensions = map[string]any{"x-message": "must be lower-case letters"}
		Expect(contract.MessageFor("pattern", schema)).To(Equal("must be lower-case letters"))
		Expect(contract.MessageFor("type", schema)).To(Equal("must be lower-case letters"))
		Expect(contract.MessageFor("pattern", openapi3.NewStringSchema().WithPattern("^x$"))).To(Equal("must match ^x$"))
	})

	DescribeTable("is plain to who fills in a form",
		func(keyword string, schema *openapi3.Schema, message string) {
			Expect(contract.MessageFor(keyword, schema)).To(Equal(message))
		},
		Entry("a whole number", "type", openapi3.NewIntegerSchema(), "must be a whole number"),
		Entry("a whole number in bounds", "type", openapi3.NewIntegerSchema().WithMin(1).WithMax(100), "must be a whole number from 1 to 100"),
		Entry("a whole number that is too large for all", "format", openapi3.NewInt64Schema(),
			"must be a whole number from -9223372036854775808 to 9223372036854775807"),
		Entry("an instant", "format", openapi3.NewDateTimeSchema(), "must be a date with a time, such as 2025-02-01T00:00:00Z"),
		Entry("one of few values", "enum", openapi3.NewStringSchema().WithEnum("day", "month"), "must be one of day, month"),
		Entry("one of many values", "enum", openapi3.NewStringSchema().WithEnum("a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m"),
			"must be one of the 13 values that the contract lists, such as a, b, c"),
	)
})
