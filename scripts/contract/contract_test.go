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
		document, found, err := check([]byte(contract))
		Expect(err).NotTo(HaveOccurred())
		Expect(found).To(BeEmpty())
		Expect(figures(document)).To(MatchRegexp(`^\d{3} operations; described: (\d+) of (\d+) properties of requests, (\d+) of (\d+) of responses$`))
	})

	It("is refused without an operation", func() {
		_, _, err := check([]byte("openapi: 3.0.3\ninfo: {title: Nothing, version: 1.0.0}\npaths: {}\n"))
		Expect(err).To(MatchError("the contract has no operation"))
	})

	DescribeTable("with a fault is refused",
		func(from, to, fault string) {
			Expect(strings.Count(contract, from)).To(BeNumerically(">=", 1), "the place to plant the fault")
			_, found, err := check([]byte(strings.Replace(contract, from, to, 1)))
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
		Entry("an operation without a text", "      summary: Check the connection and the key\n", "", "GET /v1/ping: needs a summary and a description"),
		Entry("a change that says little", "    post:\n      operationId: createItem\n      tags: [Items]\n      x-scope: \"items:write\"\n      summary: Create an item\n      description: |\n",
			"    post:\n      operationId: createItem\n      tags: [Items]\n      x-scope: \"items:write\"\n      summary: Create an item\n      description: Makes an item.\n      x-rest: |\n",
			"POST /v1/items: says in 3 words"),
		Entry("a pattern without words", "      x-message: must be a date of the form YYYY-MM-DD\n", "", "a pattern needs an x-message"),
		Entry("a request without an example", "            examples:\n              example:\n                value: {name: Map tiles, metadata: {team: tiles}}\n", "",
			"POST /v1/items: the request needs an example"),
		Entry("an answer without an example", `, examples: {example: {$ref: "#/components/examples/ping"}}`, "", "GET /v1/ping: the response 200 needs an example"),
		Entry("a path without an example", ", example: metric_tiles, schema: ", ", schema: ", "GET /v1/metrics/{metric_id} metric_id: a required parameter needs an example"),
		Entry("an example that is of no operation", "    ping:\n      value: {response: pong}\n", "    ping:\n      value: {response: pong}\n    pong:\n      value: {}\n",
			"components.examples.pong: no operation answers it"),
		Entry("a status that is not listed", "        \"404\": {$ref: \"#/components/responses/NotFound\"}\n", "", "needs a response 404 with its schema"),
	)
})
