package server_test

import (
	"log/slog"
	"net/http/httptest"
	"net/netip"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
)

var _ = Describe("The headers of an answer", func() {
	It("keep answers of the API out of caches and of guesses about their kind, whatever the answer is", func() {
		api := start()
		stranger := *api
		stranger.key = "tk_test_nobody"
		for _, a := range []*answer{
			api.get("/v1/items"), api.post("/v1/items", object{"name": "Tiles"}), api.get("/v1/items/none"), api.get("/v1/nothing"),
			api.post("/v1/items", object{}), stranger.get("/v1/items"),
		} {
			Expect(a.header.Get("X-Content-Type-Options")).To(Equal("nosniff"))
			Expect(a.header.Get("Cache-Control")).To(Equal("no-store"))
			Expect(a.header.Get("Strict-Transport-Security")).To(BeEmpty(), "it came without TLS")
		}
	})

	It("hold browsers to TLS where they came by it, to a proxy that is trusted", func() {
		api := start()
		byTLS := header{"X-Forwarded-Proto", "https"}
		Expect(api.get("/v1/items", byTLS).header.Get("Strict-Transport-Security")).To(BeEmpty(), "no proxy is trusted")
		s := server.New(server.Config{Store: api.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)),
			TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
		listener := httptest.NewServer(s.Handler())
		DeferCleanup(listener.Close)
		behind := *api
		behind.url = listener.URL
		for _, path := range []string{"/v1/items", "/console/login", "/i/none", "/docs"} {
			Expect(behind.get(path, byTLS).header.Get("Strict-Transport-Security")).To(Equal("max-age=31536000"), path)
			Expect(behind.get(path).header.Get("Strict-Transport-Security")).To(BeEmpty(), path)
		}
	})
})
