package main

import (
	"os"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

func TestContract(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "scripts/contract")
}

var _ = Describe("openapi.yaml", func() {
	var contract string

	BeforeEach(func() {
		text, err := os.ReadFile("../../openapi.yaml")
		Expect(err).NotTo(HaveOccurred())
		contract = string(text)
	})

	It("has no fault", func() {
		Expect(check([]byte(contract))).To(BeEmpty())
	})

	DescribeTable("with a fault is refused",
		func(from, to, fault string) {
			Expect(strings.Count(contract, from)).To(BeNumerically(">=", 1), "the place to plant the fault")
			found, err := check([]byte(strings.Replace(contract, from, to, 1)))
			Expect(err).NotTo(HaveOccurred())
			Expect(found).To(ContainElement(ContainSubstring(fault)))
		},
		Entry("a bracket at the column of its key", "\n        ]\n", "\n      ]\n", "the closing bracket must be indented more than its key"),
		Entry("nullable without a type",
			"NullableDiscount:\n      type: object\n", "NullableDiscount:\n", "components.schemas.NullableDiscount: nullable needs a type beside it"),
		Entry("a string of a request without a bound",
			"        sql:\n          type: string\n          minLength: 1\n          maxLength: 10000\n", "        sql:\n          type: string\n          minLength: 1\n",
			"MetricCreate.sql: a string of a request needs maxLength"),
		Entry("an array of a request without a bound", "Currencies: {type: array, maxItems: 1000, ", "Currencies: {type: array, ",
			"Currencies: an array of a request needs maxItems"),
		Entry("a map of a request without a bound", "      maxProperties: 50000\n", "", "a map of a request needs maxProperties"),
		Entry("a member without a text", "        id: {type: string, description: Id of the item.}", "        id: {type: string}", "a member needs a description"),
		Entry("a status that is not listed", "        \"404\": {$ref: \"#/components/responses/NotFound\"}\n", "", "needs a response 404 with its schema"),
	)
})
