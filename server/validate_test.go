package server_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("the shape of a request", func() {
	var api *api
	BeforeEach(func() { api = start() })

	DescribeTable("is refused with the place of each thing that is wrong",
		func(path, body string, violations ...string) {
			api.post(path, body).invalid(violations...)
		},
		Entry("a member that is missing", "/v1/items", `{}`, "name: is required"),
		Entry("a member that nobody knows (ER-10)", "/v1/items", `{"name":"A","colour":"red"}`, "colour: is not a field of this request"),
		Entry("a member in another case", "/v1/items", `{"name":"A","NAME":"B"}`, "NAME: is not a field"),
		Entry("a wrong type", "/v1/items", `{"name":5}`, "name: must be a string"),
		Entry("null where there must be something", "/v1/items", `{"name":null}`, "name: must not be null"),
		Entry("null where there is a default", "/v1/plans", `{"name":"P","currency":"USD","prices":[],"status":null}`, "status: must not be null"),
		Entry("an empty name", "/v1/items", `{"name":""}`, "name: must not be empty"),
		Entry("metadata that is no text", "/v1/items", `{"name":"A","metadata":{"a":1}}`, "metadata.a: must be a string"),
		Entry("metadata that is too long", "/v1/items", `{"name":"A","metadata":{"a":"`+strings.Repeat("x", 501)+`"}}`, "metadata.a: must have at most 500 characters"),
		Entry("metadata that is no map", "/v1/items", `{"name":"A","metadata":[]}`, "metadata: must be an object"),
		Entry("a body that is no object", "/v1/items", `[]`, "body: must be an object"),
		Entry("a body that is null", "/v1/items", `null`, "body: must not be null"),
		Entry("a value out of range", "/v1/plans", `{"name":"P","currency":"USD","prices":[],"net_terms":366}`, "net_terms: must be from 0 to 365"),
		Entry("an integer with a fraction", "/v1/plans", `{"name":"P","currency":"USD","prices":[],"net_terms":1.5}`, "net_terms: must be a whole number from 0 to 365"),
		Entry("a value that is not listed", "/v1/plans", `{"name":"P","currency":"USD","prices":[],"status":"new"}`, "status: must be one of active, draft"),
		Entry("all of them, in the order of the text, missing ones at the end of their object", "/v1/plans",
			`{"status":"new","colour":1,"prices":[{"price":{"model_type":"unit","unit_config":{"unit_amount":1,"x":0},"cadence":"daily"}}],"net_terms":"no"}`,
			"status: must be one of active, draft",
			"colour: is not a field of this request",
			"prices[0].price.unit_config.unit_amount: must be a decimal string",
			"prices[0].price.unit_config.x: is not a field of this request",
			"prices[0].price.cadence: must be one of one_time, monthly, quarterly, semi_annual, annual, custom",
			"prices[0].price.item_id: is required",
			"prices[0].price.name: is required",
			"net_terms: must be a whole number from 0 to 365",
			"currency: is required",
			"name: is required"),
		Entry("a union whose chooser is missing", "/v1/plans", planWith(`{"name":"A","item_id":"i","cadence":"monthly"}`),
			"prices[0].price.model_type: is required"),
		Entry("a union whose chooser chooses nothing", "/v1/plans", planWith(`{"model_type":"free","colour":1}`),
			"prices[0].price.model_type: must be one of the 35 values that the contract lists, such as bulk, bulk_with_filters"),
		Entry("a union whose chooser is no text", "/v1/plans", planWith(`{"model_type":null}`),
			"prices[0].price.model_type: must be one of the 35 values that the contract lists"),
		Entry("a union that is no object", "/v1/plans", planWith(`"unit"`), "prices[0].price: must be an object"),
		Entry("a member that only another variant knows", "/v1/plans",
			planWith(`{"model_type":"unit","name":"A","item_id":"i","cadence":"monthly","unit_config":{"unit_amount":"1"},"bulk_config":{}}`),
			"prices[0].price.bulk_config: is not a field of this request"),
		Entry("a decimal with an exponent", "/v1/plans",
			planWith(`{"model_type":"unit","name":"A","item_id":"i","cadence":"monthly","unit_config":{"unit_amount":"1e3"}}`),
			"prices[0].price.unit_config.unit_amount: must be a decimal string"),
		Entry("too few entries", "/v1/plans",
			planWith(`{"model_type":"tiered","name":"A","item_id":"i","cadence":"monthly","tiered_config":{"tiers":[]}}`),
			"prices[0].price.tiered_config.tiers: must not be empty"),
		Entry("too many entries", "/v1/plans",
			planWith(`{"model_type":"matrix","name":"A","item_id":"i","cadence":"monthly","matrix_config":{"default_unit_amount":"1","dimensions":["a","b","c"],"matrix_values":[{"dimension_values":["x"],"unit_amount":"1"}]}}`),
			"prices[0].price.matrix_config.dimensions: must have from 1 to 2 entries"),
		Entry("an entry kind that cannot be added", "/v1/customers/c/credits/ledger_entry", `{"entry_type":"expiry","amount":1}`,
			"entry_type: must be one of"),
		Entry("an unknown member of a ledger entry", "/v1/customers/c/credits/ledger_entry", `{"entry_type":"increment","amount":1,"price":2}`,
			"price: is not a field of this request"),
		Entry("an address with a member too many", "/v1/customers", `{"name":"A","email":"a@b","billing_address":{"city":"X","planet":"Y"}}`,
			"billing_address.planet: is not a field of this request"),
		Entry("something that is no email address", "/v1/customers", `{"name":"A","email":"nobody"}`, "email: must be an email address"),
	)

	DescribeTable("is refused when the body is not one JSON value",
		func(body string, violations ...string) {
			api.post("/v1/items", body).invalid(violations...)
		},
		Entry("nothing at all", "", "body: is required"),
		Entry("no JSON", "name=A", "body: is not JSON in UTF-8: see byte 1"),
		Entry("half of it", `{"name":"A"`, "body: ends too early"),
		Entry("something after it", `{"name":"A"}{}`, "body: must be one JSON value"),
		Entry("a member twice", `{"name":"A","name":"A"}`, "name: is given more than once"),
		Entry("a member twice, further in", `{"name":"A","metadata":{"a":"1","a":"1"}}`, "metadata.a: is given more than once"),
		Entry("a null character", `{"name":"A\u0000"}`, `name: must not contain the character U+0000`),
		Entry("a null character in a name", `{"name":"A","metadata":{"a\u0000":"1"}}`, `metadata: has a member with the character U+0000`),
		Entry("half a surrogate pair", `{"name":"\ud800"}`, "body: is not JSON in UTF-8"),
		Entry("broken UTF-8", "{\"name\":\"\xff\"}", "body: is not JSON in UTF-8"),
		Entry("a number of any size", `{"name":1e400000}`, "name: must be a number below 1e30"),
		Entry("too many digits", `{"name":`+strings.Repeat("1", 39)+`}`, "name: must be a number below 1e30"),
		Entry("deep nesting", strings.Repeat("[", 100000), "body: must not be nested more than 64 deep"),
		Entry("all that is wrong inside it", `{"name":"\u0000","a":1e99,"a":2}`, "name: must not contain", "a: must be a number", "a: is given more than once"),
	)

	It("never repeats what was sent", func() {
		problem := api.post("/v1/items", `{"name":{"hidden":"secret"}}`).invalid("name: must be a string", "name.hidden: is not")
		Expect(problem.text("detail")).NotTo(ContainSubstring("secret"))
	})

	It("cuts long names that the client made up", func() {
		api.post("/v1/items", object{"name": "A", strings.Repeat("x", 5000): 1}).invalid(strings.Repeat("x", 100) + "…: is not a field")
	})

	It("needs the content type of JSON with a body", func() {
		api.post("/v1/items", `{"name":"A"}`, header{"Content-Type", "text/plain"}).invalid("Content-Type: must be application/json")
		api.post("/v1/items", `{"name":"A"}`, header{"Content-Type", ""}).invalid("Content-Type: must be application/json")
		api.post("/v1/ingest", `{"events":[]}`, header{"Content-Type", "text/csv"}).invalid("Content-Type: must be application/json")
		api.post("/v1/items", `{}`, header{"Content-Type", "application/json; charset=utf-8"}).invalid("name: is required")
	})

	It("has a bound of 10 MiB for a body, as it is and unpacked", func() {
		large := `{"name":"` + strings.Repeat("x", 10<<20) + `"}`
		api.post("/v1/items", large).refuse(http.StatusRequestEntityTooLarge, "413-request-too-large")
		packed := zipped(large)
		Expect(len(packed)).To(BeNumerically("<", 1<<20))
		api.post("/v1/items", packed, header{"Content-Encoding", "gzip"}).refuse(http.StatusRequestEntityTooLarge, "413-request-too-large")
	})

	It("reads packed bodies", func() {
		api.post("/v1/items", zipped(`{}`), header{"Content-Encoding", "gzip"}).invalid("name: is required")
		api.post("/v1/items", `{}`, header{"Content-Encoding", "gzip"}).invalid("body: cannot be decompressed")
		api.post("/v1/items", zipped(`{}`)[:20], header{"Content-Encoding", "gzip"}).invalid("body: ends too early")
		api.post("/v1/items", `{}`, header{"Content-Encoding", "br"}).invalid("Content-Encoding: must be gzip or absent")
	})

	It("is refused when its chunks are none, and is no failure of the server", func() {
		for _, path := range []string{"/v1/items", "/v1/ingest"} {
			conn, err := net.Dial("tcp", strings.TrimPrefix(api.url, "http://"))
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = conn.Close() }()
			_, err = fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: spec\r\nAuthorization: Bearer %s\r\n"+
				"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nno size\r\n", path, api.key)
			Expect(err).NotTo(HaveOccurred())
			response, err := http.ReadResponse(bufio.NewReader(conn), nil)
			Expect(err).NotTo(HaveOccurred())
			Expect(response.StatusCode).To(Equal(http.StatusBadRequest))
			Expect(io.ReadAll(response.Body)).To(ContainSubstring("body: did not arrive whole"))
		}
	})

	DescribeTable("is refused when a parameter is wrong",
		func(path string, violations ...string) {
			api.get(path).invalid(violations...)
		},
		Entry("a limit below 1 (ER-7)", "/v1/items?limit=0", "limit: must be from 1 to 100"),
		Entry("a limit above 100 (ER-7)", "/v1/customers/c/credits/ledger?limit=101", "limit: must be from 1 to 100"),
		Entry("a limit that is no number (ER-7)", "/v1/plans?limit=abc", "limit: must be a whole number from 1 to 100"),
		Entry("a limit that is huge", "/v1/plans?limit=99999999999999999999", "limit: must be a whole number from 1 to 100"),
		Entry("one value given twice", "/v1/plans?limit=1&limit=2", "limit: must be given only once"),
		Entry("a value that is not listed", "/v1/plans?status=new", "status: must be one of active, archived, draft"),
		Entry("a value of several that is not listed", "/v1/subscriptions?status%5B%5D=active&status[]=new", "status[]: must be one of"),
		Entry("a parameter that is required", "/v1/invoices/upcoming", "subscription_id: is required"),
		Entry("a parameter that is required and empty", "/v1/invoices/upcoming?subscription_id=", "subscription_id: is required"),
		Entry("a boolean that is none", "/v1/customers/c/credits?include_all_blocks=yes", "include_all_blocks: must be true or false"),
		Entry("an amount that is none", "/v1/customers/c/credits/ledger?minimum_amount=1e3", "minimum_amount: must be a decimal string"),
		Entry("a window of its own form", "/v1/invoices?due_date_window=7", "due_date_window: must be a number and d"),
		Entry("several", "/v1/plans?status=new&limit=0", "limit: must be from 1 to 100", "status: must be one of"),
		Entry("a query that is not encoded", "/v1/plans?limit=%zz", "query: is not encoded"),
	)

	It("is refused when its cursor is of another list", func() {
		api.item("A")
		api.item("B")
		cursor := api.get("/v1/items?limit=1").expect(200).text("pagination_metadata.next_cursor")
		api.get("/v1/items?limit=1&cursor=" + cursor).expect(200)
		for _, other := range []string{"metrics", "plans", "customers", "subscriptions", "invoices", "invoices/summary"} {
			api.get("/v1/" + other + "?cursor=" + cursor).invalid("cursor: is not one that this list returned")
		}
	})

	It("tells of parameters before it tells of the body", func() {
		api.post("/v1/items", `{}`, header{"Idempotency-Key", strings.Repeat("k", 65)}).
			invalid("Idempotency-Key: must have at most 64 characters", "name: is required")
	})

	It("has the message of every pattern beside it in the contract", func() {
		text, err := document().MarshalJSON()
		Expect(err).NotTo(HaveOccurred())
		patterns := 0
		eachObject(decoded("the contract", string(text)).json, func(o object) {
			if pattern, ok := o["pattern"].(string); ok {
				patterns++
				Expect(o["x-message"]).To(HavePrefix("must be "), pattern)
			}
		})
		Expect(patterns).To(BeNumerically(">=", 5))
	})
})

// eachObject calls do with each object in a JSON value, at every depth.
func eachObject(v any, do func(object)) {
	switch v := v.(type) {
	case object:
		do(v)
		for _, member := range v {
			eachObject(member, do)
		}
	case list:
		for _, entry := range v {
			eachObject(entry, do)
		}
	}
}

func planWith(price string) string {
	return `{"name":"P","currency":"USD","prices":[{"price":` + price + `}]}`
}

func zipped(text string) []byte {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err := w.Write([]byte(text))
	Expect(err).NotTo(HaveOccurred())
	Expect(w.Close()).To(Succeed())
	return packed.Bytes()
}
