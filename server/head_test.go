package server_test

import (
	"io"
	"net/http"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// asked sends a request with a key, follows no redirect, and returns the answer and its body.
func (a *api) asked(method, path, accept string) (*http.Response, string) {
	GinkgoHelper()
	request, err := http.NewRequest(method, a.url+path, nil)
	Expect(err).NotTo(HaveOccurred())
	request.Header.Set("Authorization", "Bearer "+a.key)
	request.Header.Set("Accept", accept)
	response, err := http.DefaultTransport.RoundTrip(request)
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	Expect(err).NotTo(HaveOccurred())
	return response, string(text)
}

var _ = Describe("HEAD", func() {
	It("is answered as GET is, without the body", func() {
		api := start()
		for _, path := range []string{"/healthz", "/readyz", "/docs", "/openapi.yaml", "/v1/ping", "/v1/items", "/v1/items/none", "/v1/ingest"} {
			get, text := api.asked(http.MethodGet, path, "*/*")
			head, none := api.asked(http.MethodHead, path, "*/*")
			Expect(head.StatusCode).To(Equal(get.StatusCode), path)
			Expect(head.Header.Get("Content-Type")).To(Equal(get.Header.Get("Content-Type")), path)
			Expect(text).NotTo(BeEmpty(), path)
			Expect(none).To(BeEmpty(), path)
		}
	})
})

var _ = Describe("The root", func() {
	It("leads a browser to the documentation, and tells a program that nothing is there", func() {
		api := start()
		page, _ := api.asked(http.MethodGet, "/", "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8")
		Expect(page.StatusCode).To(Equal(http.StatusFound))
		Expect(page.Header.Get("Location")).To(Equal("/docs"))
		program, _ := api.asked(http.MethodGet, "/", "application/json")
		Expect(program.StatusCode).To(Equal(http.StatusNotFound))
	})
})
