package server_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strconv"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/account"
	"tollkeeper/server"
	"tollkeeper/store"
)

const tooMany = "429-too-many-requests"

// limit sets a rate limit of the account, as the command does.
func (a *api) limit(setting, value string) {
	GinkgoHelper()
	_, err := account.Set(a.ctx, a.store, store.AccountID(a.ctx), setting, value)
	Expect(err).NotTo(HaveOccurred())
}

// untilRefused sends a request until it is beyond a limit, and returns the refusal.
func untilRefused(send func() *answer) (refused *answer) {
	GinkgoHelper()
	Eventually(func() int {
		refused = send()
		return refused.status
	}).WithTimeout(20 * time.Second).WithPolling(time.Millisecond).Should(Equal(http.StatusTooManyRequests))
	return refused
}

var _ = Describe("The rate limit of an account (semantics 14.5)", func() {
	ping := func(a *api) func() *answer { return func() *answer { return a.get("/v1/ping") } }

	It("refuses what is beyond it, tells when to come again, and is lifted by the command", func() {
		a := start()
		a.get("/v1/ping").expect(http.StatusOK)
		a.limit("requests_per_second", "2")
		refused := untilRefused(ping(a))
		refused.refuse(http.StatusTooManyRequests, tooMany, "Retry-After")
		Expect(refused.header.Get("Retry-After")).To(Equal("1"))
		Expect(refused.header.Get("X-Should-Retry")).To(BeEmpty(), "clients repeat it by themselves")
		time.Sleep(time.Second) // what the header asks for
		a.get("/v1/ping").expect(http.StatusOK)

		a.limit("requests_per_second", "none")
		time.Sleep(time.Second) // for which the server remembers the account
		for range 30 {
			a.get("/v1/ping").expect(http.StatusOK)
		}
	})

	It("counts each key, and no other account", func() {
		a, other := start(), start()
		second := *a
		made := a.post("/v1/api_keys", object{"name": "Second"}).expect(http.StatusCreated)
		second.key = made.text("api_key")
		a.limit("requests_per_second", "1")
		untilRefused(ping(a))
		second.get("/v1/ping").expect(http.StatusOK)
		for range 30 {
			other.get("/v1/ping").expect(http.StatusOK)
		}
	})

	It("counts ingestion apart, which has no limit by itself", func() {
		a := start()
		a.limit("requests_per_second", "1")
		untilRefused(ping(a))
		ingest := func() *answer { return a.post("/v1/ingest", `{"events":[]}`) }
		for range 20 {
			ingest().expect(http.StatusOK)
		}
		a.limit("ingest_requests_per_second", "1")
		a.limit("requests_per_second", "none")
		untilRefused(ingest).refuse(http.StatusTooManyRequests, tooMany)
		a.get("/v1/ping").expect(http.StatusOK)
	})

	It("lets a refused request take effect once it is sent again under its key", func() {
		a := start()
		a.limit("requests_per_second", "1")
		untilRefused(ping(a))
		create := func() *answer {
			return a.post("/v1/items", object{"name": "Calls"}, header{"Idempotency-Key", "once"})
		}
		Eventually(func() int { return create().status }).WithTimeout(20 * time.Second).Should(Equal(http.StatusCreated))
		Expect(untilRefused(create).header.Get("Idempotent-Replayed")).To(BeEmpty())
		a.limit("requests_per_second", "none")
		Eventually(func() string { return create().header.Get("Idempotent-Replayed") }).WithTimeout(20 * time.Second).Should(Equal("true"))
		Expect(a.get("/v1/items").expect(http.StatusOK).list("data")).To(HaveLen(1))
	})
})

var _ = Describe("Requests without a good key", func() {
	// limited is a server of its own that lets an address send one of them a second, and believes
	// what a proxy says of addresses.
	limited := func() *api {
		GinkgoHelper()
		a := *start()
		s := server.New(server.Config{
			Store: a.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)),
			StrangersPerSecond: 1, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		})
		listener := httptest.NewServer(s.Handler())
		DeferCleanup(listener.Close)
		a.url = listener.URL
		return &a
	}
	from := func(address string) header { return header{"X-Forwarded-For", address} }
	guess := header{"Authorization", "Bearer tk_test_guess"}

	It("are limited by their address, and hold up neither good keys there nor other addresses", func() {
		a := limited()
		a.get("/v1/ping", from("203.0.113.7")).expect(http.StatusOK)
		refused := untilRefused(func() *answer { return a.send(http.MethodGet, "/v1/items", nil, guess, from("203.0.113.7")) })
		refused.refuse(http.StatusTooManyRequests, tooMany)
		seconds, err := strconv.Atoi(refused.header.Get("Retry-After"))
		Expect(err).NotTo(HaveOccurred())
		Expect(seconds).To(BeNumerically("~", 1, 1))
		untilRefused(func() *answer {
			return a.send(http.MethodGet, "/v1/nope", nil, header{"Authorization", ""}, from("203.0.113.7"))
		})
		for range 20 {
			a.get("/v1/ping", from("203.0.113.7")).expect(http.StatusOK)
		}
		a.send(http.MethodGet, "/v1/items", nil, guess, from("203.0.113.8")).refuse(http.StatusUnauthorized, "401-authentication-error")
	})

	It("count for the network of an address of version 6", func() {
		a := limited()
		n := 0
		untilRefused(func() *answer {
			n++
			return a.send(http.MethodGet, "/v1/items", nil, guess, from("2001:db8::"+strconv.FormatInt(int64(n), 16)))
		})
		a.send(http.MethodGet, "/v1/items", nil, guess, from("2001:db8:0:1::1")).refuse(http.StatusUnauthorized, "401-authentication-error")
	})

	It("are counted where a key was revoked", func() {
		a := limited()
		made := a.post("/v1/api_keys", object{"name": "Second"}).expect(http.StatusCreated)
		second := *a
		second.key = made.text("api_key")
		second.get("/v1/ping").expect(http.StatusOK)
		a.post("/v1/api_keys/"+made.text("id")+"/revoke", nil).expect(http.StatusOK)
		untilRefused(func() *answer { return second.get("/v1/ping") })
	})

	It("leave the paths without a key alone", func() {
		a := limited()
		untilRefused(func() *answer { return a.send(http.MethodGet, "/v1/items", nil, guess) })
		for _, path := range strings.Fields("/healthz /readyz /metrics /openapi.yaml") {
			a.send(http.MethodGet, path, nil, header{"Authorization", ""}).expectPlain(http.StatusOK)
		}
	})
})

// expectPlain fails the spec unless the answer, which is no JSON, has that status.
func (r *answer) expectPlain(status int) {
	GinkgoHelper()
	Expect(r.status).To(Equal(status), r.asked)
}
