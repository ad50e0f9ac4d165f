package server_test

import (
	"compress/gzip"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
	"tollkeeper/store/storetest"
)

var _ = Describe("Probes", func() {
	serveProbes := func(cfg server.Config) (s *server.Server, public, admin string) {
		GinkgoHelper()
		cfg.Store, cfg.Logger = storetest.New(), slog.New(slog.NewTextHandler(GinkgoWriter, nil))
		s = server.New(cfg)
		at := func(handler http.Handler) string {
			front := httptest.NewServer(handler)
			DeferCleanup(front.Close)
			return front.URL
		}
		return s, at(s.Handler()), at(s.AdminHandler())
	}
	ask := func(url string, more ...header) (status int, text string) {
		GinkgoHelper()
		request, err := http.NewRequest(http.MethodGet, url, nil)
		Expect(err).NotTo(HaveOccurred())
		for _, h := range more {
			request.Header.Set(h.name, h.value)
		}
		response, err := http.DefaultClient.Do(request)
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = response.Body.Close() }()
		body := io.Reader(response.Body)
		if response.Header.Get("Content-Encoding") == "gzip" { // only where it was asked for by hand
			body, err = gzip.NewReader(body)
			Expect(err).NotTo(HaveOccurred())
		}
		all, err := io.ReadAll(body)
		Expect(err).NotTo(HaveOccurred())
		return response.StatusCode, string(all)
	}
	// together asks a hundred times at once.
	together := func(url string) {
		var asked sync.WaitGroup
		for range 100 {
			asked.Go(func() {
				defer GinkgoRecover()
				status, _ := ask(url)
				Expect(status).To(Equal(http.StatusOK))
			})
		}
		asked.Wait()
	}

	It("cost one computation, however many ask at once and after one another", func() {
		s, public, admin := serveProbes(server.Config{ProbesEvery: time.Hour})
		scrapes, pings := s.CountScrapes(), s.CountPings()
		for _, url := range []string{public, admin} {
			together(url + "/metrics")
			together(url + "/readyz?deep")
			together(url + "/readyz")
		}
		Expect(scrapes()).To(Equal(int64(1)))
		Expect(pings()).To(Equal(int64(1)))
	})

	It("are computed for each who asks, where that is not bounded, as the count shows", func() {
		s, public, _ := serveProbes(server.Config{ProbesEvery: time.Nanosecond})
		scrapes, pings := s.CountScrapes(), s.CountPings()
		together(public + "/metrics")
		together(public + "/readyz?deep")
		Expect(scrapes()).To(Equal(int64(100)))
		Expect(pings()).To(Equal(int64(100)))
	})

	It("show what is true a second later", func() {
		_, public, _ := serveProbes(server.Config{})
		ask(public + "/v1/ping")
		_, before := ask(public + "/metrics")
		Expect(before).To(ContainSubstring(`tollkeeper_request_seconds_count{operation="ping",status="401"} 1`))
		ask(public + "/v1/ping")
		Eventually(func() string {
			_, text := ask(public + "/metrics")
			return text
		}, onBusyMachine).Should(ContainSubstring(`tollkeeper_request_seconds_count{operation="ping",status="401"} 2`))
	})

	It("are the same, packed or not", func() {
		_, public, _ := serveProbes(server.Config{ProbesEvery: time.Hour})
		_, plain := ask(public+"/metrics", header{"Accept-Encoding", "identity"})
		_, zipped := ask(public+"/metrics", header{"Accept-Encoding", "deflate, gzip"})
		Expect(zipped).To(Equal(plain))
		Expect(plain).To(ContainSubstring("# TYPE go_goroutines gauge"))
	})

	It("say at both addresses that the server is stopping", func() {
		s, public, admin := serveProbes(server.Config{AdminApart: true})
		ask(public + "/readyz")
		s.BeginShutdown()
		for _, url := range []string{public, admin} {
			status, text := ask(url + "/readyz")
			Expect(status).To(Equal(503))
			Expect(text).To(HavePrefix("the server is stopping"))
		}
		status, _ := ask(public + "/v1/ping")
		Expect(status).To(Equal(401), "requests are answered as before")
	})

	It("have an address of their own where that is set, and are not at the public one", func() {
		_, public, admin := serveProbes(server.Config{AdminApart: true})
		expected := map[string][2]int{ // public, admin
			"/healthz":        {200, 200},
			"/readyz":         {200, 200},
			"/readyz?deep":    {404, 200},
			"/readyz?deep=no": {404, 200},
			"/metrics":        {404, 200},
			"/v1/ping":        {401, 404},
			"/openapi.yaml":   {200, 404},
			"/docs":           {200, 404},
			"/":               {404, 404},
		}
		for path, statuses := range expected {
			for k, url := range []string{public, admin} {
				status, text := ask(url + path)
				Expect(status).To(Equal(statuses[k]), "%s: %s", path, text)
			}
		}
		Eventually(func() string {
			_, text := ask(admin + "/metrics")
			return text
		}, onBusyMachine).Should(ContainSubstring(`tollkeeper_request_seconds_count{operation="ping",status="401"} 1`), "requests at both are counted together")
	})
})
