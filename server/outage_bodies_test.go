package server_test

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// busyFor is the processor time of this process so far, of which the server is a part. Other
// processes of the machine do not change it.
func busyFor() time.Duration {
	GinkgoHelper()
	var usage syscall.Rusage
	Expect(syscall.Getrusage(syscall.RUSAGE_SELF, &usage)).To(Succeed())
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// tenMegabytes repeats part, with commas, to just below the largest body.
func tenMegabytes(before, part, after string) string {
	n := (10<<20 - len(before) - len(after)) / (len(part) + 1)
	return before + strings.Repeat(part+",", n-1) + part + after
}

var _ = Describe("outage D: a body with many mistakes", func() {
	const preview = "/v1/prices/evaluate_preview_events"
	DescribeTable("is refused in time and memory in proportion to its size, with a hundred of them",
		func(path string, body func() string) {
			a := shared.account("test")
			sent := body()
			Expect(len(sent)).To(And(BeNumerically("<=", 10<<20), BeNumerically(">", 10<<20-1000)))
			began := busyFor()
			refused := a.post(path, sent)
			took := busyFor() - began
			AddReportEntry("took", took.String())
			errors := refused.refuse(http.StatusBadRequest, "400-request-validation-errors").list("validation_errors")
			Expect(len(errors)).To(BeNumerically("<=", 101))
			if len(errors) == 101 {
				Expect(errors[100]).To(Equal("body: has more mistakes; these are 100 of them"))
			}
			Expect(took).To(BeNumerically("<", 5*time.Second))
		},
		Entry("empty events of a preview", preview, func() string {
			return tenMegabytes(`{"timeframe_start":"2025-01-01T00:00:00Z","timeframe_end":"2025-02-01T00:00:00Z","price_evaluations":[],"events":[`, "{}", "]}")
		}),
		Entry("events of a preview that are numbers", preview, func() string { return tenMegabytes(`{"events":[`, "1", "]}") }),
		Entry("empty prices of a plan", "/v1/plans", func() string { return tenMegabytes(`{"name":"Pro","currency":"USD","prices":[`, "{}", "]}") }),
		Entry("tiers of a price, in a union", "/v1/plans", func() string {
			return tenMegabytes(`{"name":"Pro","currency":"USD","prices":[{"price":{"name":"P","item_id":"i","cadence":"monthly","model_type":"tiered","tiered_config":{"tiers":[`, "{}", "]}}}]}")
		}),
		Entry("empty thresholds of an alert", "/v1/alerts/subscription_id/none", func() string { return tenMegabytes(`{"type":"usage_exceeded","thresholds":[`, "{}", "]}") }),
		Entry("unknown members", "/v1/items", func() string {
			var b strings.Builder
			b.WriteString(`{"name":"Widget"`)
			for i := 0; b.Len() < 10<<20-40; i++ {
				b.WriteString(`,"m` + strings.Repeat("x", i%7) + strconv.Itoa(i) + `":1`)
			}
			return b.String() + "}"
		}),
		Entry("members of metadata that are no strings", "/v1/items", func() string {
			var b strings.Builder
			b.WriteString(`{"name":"Widget","metadata":{"a":"b"`)
			for i := 0; b.Len() < 10<<20-40; i++ {
				b.WriteString(`,"m` + strconv.Itoa(i) + `":1`)
			}
			return b.String() + "}}"
		}),
		Entry("a member again and again", "/v1/items", func() string { return tenMegabytes(`{`, `"name":"W"`, "}") }),
		Entry("characters that are none", "/v1/items", func() string { return tenMegabytes(`{"name":["`, `\u0000","`, `"]}`) }),
		Entry("numbers with too many digits", preview, func() string { return tenMegabytes(`{"events":[`, strings.Repeat("9", 50), "]}") }),
		Entry("one number with too many digits", preview, func() string { return tenMegabytes(`{"events":`, strings.Repeat("9", 10<<20-500), "}") }),
	)

	It("is not read on when the client is gone", func() {
		a := shared.account("test")
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
		defer cancel()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url+preview, strings.NewReader(tenMegabytes(`{"events":[`, "{}", "]}")))
		Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Authorization", "Bearer "+a.key)
		request.Header.Set("Content-Type", "application/json")
		_, err = http.DefaultClient.Do(request)
		Expect(err).To(MatchError(context.DeadlineExceeded))
	})

	It("tells what is wrong in a long list where it stands", func() {
		a := shared.account("test")
		good := `{"event_name":"call","customer_id":"c","timestamp":"2025-01-01T00:00:00Z","properties":{}}`
		events := strings.Repeat(good+",", 200) + `{"event_name":"call","timestamp":1,"propertie":{}},` + strings.Repeat(good+",", 200) + `{}`
		a.post(preview, `{"timeframe_start":"2025-01-01T00:00:00Z","timeframe_end":"2025-02-01T00:00:00Z","price_evaluations":[{"price_id":"p"}],"events":[`+events+`]}`).
			invalid("events[200].timestamp: must be a string", "events[200].propertie: is not a field", "events[200].properties: is required",
				"events[401].event_name: is required", "events[401].properties: is required", "events[401].timestamp: is required")
	})
})
