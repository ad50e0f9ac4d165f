package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
)

var _ = DescribeTable("The log warns of a proxy that is not trusted",
	func(name, value string, proxies []netip.Prefix, address string, warnings int) {
		log := new(bytes.Buffer)
		handler := server.New(server.Config{Store: start().store, Logger: slog.New(slog.NewTextHandler(log, nil)), TrustedProxies: proxies}).Handler()
		for range 3 {
			request := httptest.NewRequest("GET", "/healthz", http.NoBody)
			request.RemoteAddr = address
			if name != "" {
				request.Header.Set(name, value)
			}
			handler.ServeHTTP(httptest.NewRecorder(), request)
		}
		Expect(strings.Count(log.String(), "TOLLKEEPER_TRUSTED_PROXIES")).To(Equal(warnings), log.String())
		if warnings > 0 {
			Expect(log.String()).To(And(ContainSubstring("level=WARN"), ContainSubstring(name), ContainSubstring(address)))
			Expect(log.String()).NotTo(ContainSubstring(value), "what a client wrote is not in it")
		}
	},
	Entry("once, by X-Forwarded-For", "X-Forwarded-For", "203.0.113.7", nil, "10.0.0.1:999", 1),
	Entry("once, by Forwarded", "Forwarded", "for=203.0.113.7", nil, "10.0.0.1:999", 1),
	Entry("once, by X-Forwarded-Proto", "X-Forwarded-Proto", "https", nil, "[2001:db8::1]:999", 1),
	Entry("where another is trusted", "X-Forwarded-For", "203.0.113.7", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}, "10.0.1.1:999", 1),
	Entry("but not of one that is", "X-Forwarded-For", "203.0.113.7", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/24")}, "10.0.0.1:999", 0),
	Entry("nor of clients that come directly", "", "", nil, "10.0.0.1:999", 0),
)
