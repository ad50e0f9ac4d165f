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
})
