package main

import (
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("the proxy in front of the servers", func() {
	It("passes on what a change is to be, and who asks for it once", func(ctx SpecContext) {
		var got http.Header
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header }))
		defer server.Close()
		asked := httptest.NewRequest(http.MethodPost, "/v1/subscriptions/a/cancel", nil)
		for _, name := range []string{"Authorization", "Content-Type", "Idempotency-Key", "Create-Pending-Subscription-Change"} {
			asked.Header.Set(name, "of "+name)
		}
		_, err := attempt(ctx, server.URL, asked, nil)
		Expect(err).NotTo(HaveOccurred())
		for name := range asked.Header {
			Expect(got.Get(name)).To(Equal("of " + name))
		}
	})
})
