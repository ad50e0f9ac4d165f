package server_test

import (
	"net/http"

	"github.com/getkin/kin-openapi/openapi3"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("the contract that is served", func() {
	DescribeTable("is a valid document without a key, and is sent once to a client that keeps it",
		func(path, kind string) {
			api := start()
			first := api.send(http.MethodGet, path, nil, header{"Authorization", ""})
			Expect(first.status).To(Equal(http.StatusOK))
			Expect(first.header.Get("Content-Type")).To(Equal(kind))
			served, err := openapi3.NewLoader().LoadFromData(first.text)
			Expect(err).NotTo(HaveOccurred())
			Expect(served.Paths.Len()).To(Equal(document().Paths.Len()))

			tag := first.header.Get("ETag")
			Expect(tag).NotTo(BeEmpty())
			again := api.send(http.MethodGet, path, nil, header{"Authorization", ""}, header{"If-None-Match", tag})
			Expect(again.status).To(Equal(http.StatusNotModified))
			Expect(again.text).To(BeEmpty())
			Expect(api.send(http.MethodGet, path, nil, header{"If-None-Match", `"other"`}).status).To(Equal(http.StatusOK))
		},
		Entry("as YAML", "/openapi.yaml", "application/yaml"),
		Entry("as JSON", "/openapi.json", "application/json"),
	)
})
