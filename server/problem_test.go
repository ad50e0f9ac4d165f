package server_test

import (
	"net/http"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("a key", func() {
	var api *api
	BeforeEach(func() { api = start() })

	DescribeTable("is needed before anything else is looked at (ER-1)",
		func(authorization string) {
			for _, path := range []string{"/v1/plans", "/v1/nope", "/v1", "/v1/plans?limit=0"} {
				api.get(path, header{"Authorization", authorization}).refuse(http.StatusUnauthorized, "401-authentication-error")
			}
			api.post("/v1/items", "{", header{"Authorization", authorization}, header{"Content-Encoding", "gzip"}).
				refuse(http.StatusUnauthorized, "401-authentication-error")
		},
		Entry("no header", ""),
		Entry("another scheme", "Token x"),
		Entry("a scheme alone", "Bearer"),
		Entry("a key that nobody has", "Bearer tk_test_nobody"),
		Entry("a key that no text column could hold", "Bearer \xff"),
	)

	It("is given by one header only, so that a proxy and the server cannot take different ones", func() {
		for _, keys := range [][]string{{api.key, "tk_test_nobody"}, {"tk_test_nobody", api.key}, {api.key, api.key}} {
			for path, body := range map[string]string{"/v1/ping": "", "/v1/items": `{"name":"Widget"}`, "/v1/ingest": `{"events":[]}`} {
				method := http.MethodGet
				if body != "" {
					method = http.MethodPost
				}
				request, err := http.NewRequest(method, api.url+path, strings.NewReader(body))
				Expect(err).NotTo(HaveOccurred())
				request.Header.Set("Content-Type", "application/json")
				for _, key := range keys {
					request.Header.Add("Authorization", "Bearer "+key)
				}
				api.ask(request).invalid("Authorization: must be given only once")
			}
		}
		Expect(api.get("/v1/items").expect(http.StatusOK).list("data")).To(BeEmpty())
	})

	It("works whatever the case of its scheme", func() {
		api.get("/v1/ping", header{"Authorization", "bEARER " + api.key}).expect(http.StatusOK)
		Expect(api.get("/v1/ping").expect(http.StatusOK).at("response")).To(Equal("pong"))
	})
})

var _ = Describe("a path", func() {
	DescribeTable("that nothing is known by is a 404",
		func(method, path string) {
			api := start()
			api.send(method, path, nil).refuse(http.StatusNotFound, "404-url-not-found")
		},
		Entry("an unknown one", "GET", "/v1/nope"),
		Entry("a known one by another method", "DELETE", "/v1/items"),
		Entry("a known one asked for its options", "OPTIONS", "/v1/items"),
		Entry("a slash too many", "GET", "/v1/items/"),
		Entry("one with an encoded prefix", "GET", "/v1/%69tems/x/y"),
	)
})

var _ = Describe("the id of a request", func() {
	DescribeTable("is the client's own if it is plain, and new otherwise",
		func(id string, kept bool) {
			r := start().get("/v1/nope", header{"X-Request-Id", id})
			given := r.header.Get("X-Request-Id")
			Expect(given == id).To(Equal(kept))
			Expect(r.body().at("request_id")).To(Equal(given))
		},
		Entry("letters, digits, - and _ are plain", "abc_DEF-123", true),
		Entry("none at all", "", false),
		Entry("a blank is not plain", "a b", false),
		Entry("64 characters are enough", strings.Repeat("a", 65), false),
	)
})

var _ = Describe("what needs no key", func() {
	It("is health, readiness, metrics, the contract and its page", func() {
		api := start()
		keyless := header{"Authorization", ""}
		for path, word := range map[string]string{
			"/healthz":      "ok",
			"/readyz":       "ready",
			"/openapi.yaml": "operationId: createItem",
			"/docs":         "docs/scalar.js",
		} {
			r := api.get(path, keyless)
			Expect(r.status).To(Equal(http.StatusOK), path)
			Expect(string(r.text)).To(ContainSubstring(word), path)
		}
		api.get("/v1/ping")
		Expect(string(api.get("/metrics", keyless).text)).To(ContainSubstring(`tollkeeper_request_seconds_count{operation="ping",status="200"}`))
	})

	It("is not ready without a database", func() {
		api := startAlone()
		Expect(api.store.Close()).To(Succeed())
		Expect(api.get("/readyz").status).To(Equal(http.StatusServiceUnavailable))
		Expect(api.get("/healthz").status).To(Equal(http.StatusOK))
	})
})

var _ = Describe("an outage", func() {
	It("is a bare 500 that says nothing of its cause", func() {
		api := startAlone()
		Expect(api.store.Close()).To(Succeed())
		problem := api.get("/v1/ping").refuse(http.StatusInternalServerError, "500-internal-server-error")
		Expect(problem.text("detail")).NotTo(ContainSubstring("sql"))
	})
})
