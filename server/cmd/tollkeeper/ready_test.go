package main

import (
	"context"
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

var _ = Describe("Asking a server whether it is ready", func() {
	status, said := http.StatusOK, "ready\n"
	answer := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/readyz" {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(said))
		}
	})
	ask := func(env environment) (string, error) {
		out := gbytes.NewBuffer()
		err := ready{}.Run(context.Background(), env, out)
		return string(out.Contents()), err
	}

	It("tells what it answers, over TLS too, and fails when it is not ready", func() {
		plain, secured := httptest.NewServer(answer), httptest.NewTLSServer(answer)
		DeferCleanup(plain.Close)
		DeferCleanup(secured.Close)
		Expect(ask(environment{Addr: plain.Listener.Addr().String()})).To(Equal("ready\n"))
		Expect(ask(environment{Addr: secured.Listener.Addr().String(), TLSCert: "cert.pem"})).To(Equal("ready\n"))

		status, said = http.StatusServiceUnavailable, "the database does not answer\n"
		_, err := ask(environment{Addr: plain.Listener.Addr().String()})
		Expect(err).To(MatchError("the database does not answer"))
	})

	It("fails where no server is", func() {
		_, err := ask(environment{Addr: "127.0.0.1:1"})
		Expect(err).To(MatchError(ContainSubstring("refused")))
		_, err = ask(environment{Addr: "8080"})
		Expect(err).To(MatchError(HavePrefix("TOLLKEEPER_ADDR: ")))
	})
})
