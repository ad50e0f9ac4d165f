package server_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/store"
)

var _ = Describe("Guessed sessions of the console", func() {
	It("are limited by their address, and hold up neither a person there, nor strangers without one, nor other addresses", func() {
		a := start()
		one := server.New(server.Config{
			Store: a.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)),
			StrangersPerSecond: 1, TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		})
		listener := httptest.NewServer(one.Handler())
		DeferCleanup(listener.Close)
		person := a.desk(user.RoleReader)
		get := func(path, address, cookie string) *http.Response {
			GinkgoHelper()
			request, err := http.NewRequest(http.MethodGet, listener.URL+path, nil)
			Expect(err).NotTo(HaveOccurred())
			request.Header.Set("X-Forwarded-For", address)
			if cookie != "" {
				request.Header.Set("Cookie", cookie)
			}
			response, err := person.client.Do(request)
			Expect(err).NotTo(HaveOccurred())
			Expect(response.Body.Close()).To(Succeed())
			return response
		}
		const here, there = "192.0.2.1", "192.0.2.2"
		guess := func(address string) *http.Response {
			return get("/console", address, "tollkeeper_session="+store.Random(43))
		}
		Expect(get("/console", here, person.cookie).StatusCode).To(Equal(http.StatusOK))
		Expect(guess(here).StatusCode).To(Equal(http.StatusSeeOther))
		var refused *http.Response
		Eventually(func() int {
			refused = guess(here)
			return refused.StatusCode
		}).WithTimeout(20 * time.Second).WithPolling(time.Millisecond).Should(Equal(http.StatusTooManyRequests))
		Expect(refused.Header.Get("Retry-After")).To(Equal("1"))
		Expect(get("/console/login", here, "tollkeeper_session="+store.Random(43)).StatusCode).To(Equal(http.StatusTooManyRequests))

		Expect(get("/console", here, person.cookie).StatusCode).To(Equal(http.StatusOK))
		Expect(get("/console/login", here, "").StatusCode).To(Equal(http.StatusOK))
		Expect(guess(there).StatusCode).To(Equal(http.StatusSeeOther))
	})
})
