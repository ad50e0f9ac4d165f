package main

import (
	"bytes"
	"context"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// collector takes spans as OTLP over HTTP sends them.
type collector struct {
	mu  sync.Mutex
	all bytes.Buffer
}

func (c *collector) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, _ = io.Copy(&c.all, r.Body)
}

func (c *collector) taken() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.all.Bytes())
}

var _ = Describe("Traces", func() {
	var spans *collector
	var listener *httptest.Server
	// traced serves, makes a request in a trace of the client, and stops.
	traced := func() {
		GinkgoHelper()
		s := serveDatabase(owner(roleCluster(18), "traced", "CREATEROLE"), drillKey)
		request, err := http.NewRequest(http.MethodGet, s.address+"/customers/external_customer_id/nobody", nil)
		Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Authorization", "Bearer "+s.key)
		request.Header.Set("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
		response, err := http.DefaultClient.Do(request)
		Expect(err).NotTo(HaveOccurred())
		Expect(response.Body.Close()).To(Succeed())
		Expect(response.StatusCode).To(Equal(http.StatusNotFound))
		s.stop()
	}
	BeforeEach(func() {
		spans = &collector{}
		listener = httptest.NewServer(spans)
		DeferCleanup(listener.Close)
	})

	It("have a span for each request and each statement, without keys and arguments", func() {
		set("OTEL_EXPORTER_OTLP_ENDPOINT", listener.URL)
		traced()
		trace, err := hex.DecodeString("0af7651916cd43dd8448eb211c80319c")
		Expect(err).NotTo(HaveOccurred())
		got := spans.taken()
		for _, part := range []string{"GET /v1/customers/external_customer_id/:external_customer_id", "SELECT begin_account($1)", "service.name", "tollkeeper", string(trace)} {
			Expect(bytes.Contains(got, []byte(part))).To(BeTrue(), "%q", part)
		}
		for _, secret := range []string{drillKey, "acct_"} {
			Expect(bytes.Contains(got, []byte(secret))).To(BeFalse(), secret)
		}
	})

	It("are off unless they are asked for", func() {
		set("OTEL_EXPORTER_OTLP_ENDPOINT", listener.URL)
		set("OTEL_SDK_DISABLED", "true")
		traced()
		Expect(spans.taken()).To(BeEmpty())
		set("OTEL_SDK_DISABLED", "")
		set("OTEL_EXPORTER_OTLP_ENDPOINT", "")
		provider, _, err := tracing(context.Background())
		Expect(err).NotTo(HaveOccurred())
		Expect(provider).To(BeNil())
	})

	It("are refused where there is no such exporter", func() {
		set("OTEL_TRACES_EXPORTER", "zipkin")
		_, _, err := tracing(context.Background())
		Expect(err).To(MatchError("OTEL_TRACES_EXPORTER: must be otlp, console or none"))
		set("OTEL_TRACES_EXPORTER", "otlp")
		set("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
		_, _, err = tracing(context.Background())
		Expect(err).To(MatchError("OTEL_EXPORTER_OTLP_PROTOCOL: must be http/protobuf"))
	})
})
