package rig

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// asked is a request as it came.
type asked struct {
	method, target, body string
	header               http.Header
}

// answering serves the answers in turn, the last one again and again, and keeps what it was asked. 0 breaks the connection off.
func answering(statuses ...int) (url string, got *[]asked) {
	GinkgoHelper()
	got = &[]asked{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(err)
		}
		*got = append(*got, asked{r.Method, r.URL.RequestURI(), string(body), r.Header})
		status := statuses[min(len(*got), len(statuses))-1]
		if status == 0 {
			panic(http.ErrAbortHandler)
		}
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, `{"id": "made_%d", "n": 1.50}`, len(*got)) // a client that is gone needs none
	}))
	DeferCleanup(server.Close)
	return server.URL, got
}

var _ = Describe("A client", func() {
	It("says who it is and what it sends", func(ctx SpecContext) {
		url, got := answering(http.StatusOK)
		c := Client{URL: url, Key: "key"}
		Expect(c.Ask(ctx, Request{Method: http.MethodPut, Path: "/v1/a?b=c", Body: Object{"d": 1}, IdempotencyKey: "once"}, nil)).To(Succeed())
		Expect(c.Get(ctx, "/v1/a", nil)).To(Succeed())
		first, second := (*got)[0], (*got)[1]
		Expect([]string{first.method, first.target, first.body}).To(Equal([]string{"PUT", "/v1/a?b=c", `{"d":1}`}))
		Expect([]string{first.header.Get("Authorization"), first.header.Get("Content-Type"), first.header.Get("Idempotency-Key")}).To(Equal([]string{"Bearer key", "application/json", "once"}))
		Expect(second.body).To(BeEmpty())
		Expect(second.header).NotTo(Or(HaveKey("Content-Type"), HaveKey("Idempotency-Key")))
	})

	It("sends bytes as they are, and headers in place of its own", func(ctx SpecContext) {
		url, got := answering(http.StatusOK)
		_, err := Client{URL: url}.Send(ctx, Request{Method: http.MethodPost, Path: "/", Body: []byte("a=b"), Header: http.Header{"Content-Type": {"text/plain"}}})
		Expect(err).NotTo(HaveOccurred())
		Expect((*got)[0].body).To(Equal("a=b"))
		Expect((*got)[0].header.Get("Content-Type")).To(Equal("text/plain"))
		Expect((*got)[0].header).NotTo(HaveKey("Authorization"))
	})

	It("reads what was made, and numbers as they are written", func(ctx SpecContext) {
		url, _ := answering(http.StatusCreated)
		Expect(Client{URL: url}.Create(ctx, "/v1/items", Object{})).To(Equal("made_1"))
		var answer Object
		Expect(Client{URL: url}.Get(ctx, "/", &answer)).To(Succeed())
		Expect(answer["n"]).To(Equal(json.Number("1.50")))
	})

	DescribeTable("takes for a refusal", func(ctx SpecContext, status int) {
		url, got := answering(status)
		_, err := Client{URL: url}.Do(ctx, Request{Method: http.MethodGet, Path: "/v1/a"})
		Expect(err).To(MatchError(fmt.Sprintf(`GET /v1/a: %d {"id": "made_1", "n": 1.50}`, status)))
		Expect(*got).To(HaveLen(1))
		answer, err := Client{URL: url}.Send(ctx, Request{Method: http.MethodGet, Path: "/v1/a"})
		Expect(err).NotTo(HaveOccurred())
		Expect(answer.Status).To(Equal(status))
	},
		Entry("a request that is wrong", http.StatusBadRequest),
		Entry("another one at work", http.StatusConflict),
		Entry("a failure", http.StatusInternalServerError),
	)

	It("sends a request again, as it was, until an outage is over", func(ctx SpecContext) {
		url, got := answering(http.StatusServiceUnavailable, 0, http.StatusConflict, http.StatusNotFound)
		c := Client{URL: url, Key: "key", Again: time.Millisecond}
		answer, err := c.Send(ctx, Request{Method: http.MethodPost, Path: "/v1/a", Body: Object{"b": 1}, IdempotencyKey: "once"})
		Expect(err).NotTo(HaveOccurred())
		Expect(answer.Status).To(Equal(http.StatusNotFound))
		Expect(*got).To(HaveLen(4))
		for _, one := range *got {
			Expect([]string{one.body, one.header.Get("Idempotency-Key")}).To(Equal([]string{`{"b":1}`, "once"}))
		}
	})

	It("reports an outage at once otherwise, or when the context ends", func(ctx SpecContext) {
		url, got := answering(0)
		_, err := Client{URL: url}.Send(ctx, Request{Method: http.MethodPost, Path: "/"})
		Expect(err).To(HaveOccurred())
		Expect(*got).To(HaveLen(1))
		short, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		defer stop()
		_, err = Client{URL: url, Again: time.Millisecond}.Send(short, Request{Method: http.MethodPost, Path: "/"})
		Expect(err).To(HaveOccurred())
		Expect(len(*got)).To(BeNumerically(">", 2))
	})

	It("gives up an attempt after the time that it is given", func(ctx SpecContext) {
		server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
		DeferCleanup(server.Close)
		_, err := Client{URL: server.URL, Within: 20 * time.Millisecond}.Send(ctx, Request{Method: http.MethodGet, Path: "/"})
		Expect(err).To(MatchError(context.DeadlineExceeded))
	})
})

var _ = Describe("A list", func() {
	It("is read page by page", func(ctx SpecContext) {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			switch r.URL.RawQuery {
			case "a=b&limit=100":
				_, _ = io.WriteString(w, `{"data": ["one", "two"], "pagination_metadata": {"next_cursor": "next"}}`)
			case "a=b&limit=100&cursor=next":
				_, _ = io.WriteString(w, `{"data": ["three"], "pagination_metadata": {"next_cursor": null}}`)
			default:
				w.WriteHeader(http.StatusBadRequest)
			}
		}))
		DeferCleanup(server.Close)
		c := Client{URL: server.URL}
		Expect(List[string](ctx, c, "/v1/things?a=b")).To(Equal([]string{"one", "two", "three"}))
		_, err := List[string](ctx, c, "/v1/things")
		Expect(err).To(MatchError(ContainSubstring("400")))
	})
})
