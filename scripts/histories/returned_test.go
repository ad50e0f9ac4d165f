package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/scripts/rig"
)

// semantics 8.1.15.
var _ = Describe("blocks that a void invoice makes, in the model", func() {
	// learn has 8.72 to come back while the server has a block of 5.90.
	learn := func(why string) error {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = fmt.Fprint(w, `{"data":[{"id":"block_2","effective_date":"2025-10-23T00:00:00+00:00","expiry_date":"2025-10-27T00:00:00+00:00",
				"maximum_initial_balance":5.9}],"pagination_metadata":{"has_more":false,"next_cursor":null}}`)
		}))
		defer server.Close()
		r := newRun(&client{Client: rig.Client{URL: server.URL}})
		s, _ := monthly("2025-09-14", priceSpec{Name: "Calls", Model: "unit", Metric: "count", Amount: "2.10"})
		r.w.subs[s.name] = s
		r.w.plans[s.plan], r.w.vague[s.customer] = &plan{}, why
		l := s.customer.ledger("USD")
		l.blocks = []*block{{name: "again", from: parseDay("2025-10-23"), to: parseDay("2025-10-27"), initial: rat("8.72"), basis: rat("1"), revived: true}}
		return r.learnBlocks(context.Background(), s.customer, "USD", l)
	}

	It("hold what the old ones paid", func() {
		Expect(learn("")).To(MatchError(ContainSubstring("has no block of 8.72 USD")))
	})

	It("are left open where deductions in their currency are not decided", func() {
		Expect(learn("a line that is not decided")).To(Succeed())
	})
})
