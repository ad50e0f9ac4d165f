package console_test

import (
	"io"
	"net/http"
	"net/url"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A client chooses the Host header. Nothing that the console answers depends on it, so nobody can be
// led or mailed to another server by it.
var _ = Describe("A hostile Host header", func() {
	It("is in no page, no redirect and no cookie", func() {
		s := newSite()
		mira := s.setUp()
		cookies := mira.client.Jar.Cookies(must(url.Parse(s.url + "/console")))
		for _, host := range []string{"evil.example", "evil.example:443", "127.0.0.1.evil.example", "xn--evil-9za.example", "[::1]:80"} {
			for _, path := range []string{"/console", "/console/customers", "/console/login?next=/console/you", "/console/nothing", "/console/setup", "/console/you"} {
				for _, signedIn := range []bool{true, false} {
					for _, more := range []string{"", "X-Forwarded-Host", "Forwarded"} {
						request := must(http.NewRequest(http.MethodGet, s.url+path, nil))
						request.Host = host
						if more != "" {
							request.Header.Set(more, "host="+host)
						}
						if signedIn {
							for _, c := range cookies {
								request.AddCookie(c)
							}
						}
						answer := must(mira.client.Do(request))
						text := must(io.ReadAll(answer.Body))
						Expect(answer.Body.Close()).To(Succeed())
						Expect(string(text)).NotTo(ContainSubstring("evil"), path)
						for name, values := range answer.Header {
							Expect(strings.Join(values, " ")).NotTo(ContainSubstring("evil"), "%s of %s", name, path)
						}
						if to := answer.Header.Get("Location"); to != "" {
							Expect(to).To(HavePrefix("/console"))
						}
					}
				}
			}
		}
	})
})
