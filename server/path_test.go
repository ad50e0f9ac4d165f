package server_test

import (
	"net/http"
	"net/url"

	. "github.com/onsi/ginkgo/v2"
)

var _ = Describe("an id in a path", func() {
	var api *api
	BeforeEach(func() { api = start() })

	DescribeTable("is any text, percent-encoded",
		func(alias string) {
			customer := api.post("/v1/customers", object{"name": "A", "email": "a@example.com", "external_customer_id": alias}).expect(http.StatusCreated)
			path := "/v1/customers/external_customer_id/" + url.PathEscape(alias)
			if found := api.get(path).expect(http.StatusOK).text("id"); found != customer.text("id") {
				Fail(path + " is another customer")
			}
			api.get(path + "/credits").expect(http.StatusOK)
		},
		Entry("with a slash", "acme/berlin"),
		Entry("with a percent sign", "100%25 acme"),
		Entry("with what looks like an encoded slash", "acme%2Fberlin"),
		Entry("with a question mark and a plus", "who? a+b"),
		Entry("with commas and brackets", "a,b;[c]"),
		Entry("of another script", "顧客"),
	)

	DescribeTable("names nothing when no text can be like it",
		func(id string) {
			api.get("/v1/customers/"+id).refuse(http.StatusNotFound, "404-resource-not-found", "Customer")
			api.get("/v1/subscriptions?customer_id=" + id).expect(http.StatusOK)
		},
		Entry("with a null character", "a%00b"),
		Entry("of broken UTF-8", "%ff"),
	)

	It("is looked up before an action without a body is done", func() {
		api.post("/v1/invoices/nope/issue", nil).refuse(http.StatusNotFound, "404-resource-not-found", "Invoice", "nope")
		api.post("/v1/invoices/nope/issue", `{"synchronous":"no"}`).invalid("synchronous: must be true or false")
	})
})
