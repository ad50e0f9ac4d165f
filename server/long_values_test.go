package server_test

import (
	"fmt"
	"math/rand/v2"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

var _ = Describe("A property with a value of thousands of random letters", func() {
	letters := func(n int) string {
		text := make([]byte, n)
		for k := range text {
			text[k] = byte('a' + rand.IntN(26))
		}
		return string(text)
	}

	It("is counted once, is a group of its own, and stops nothing", func() {
		s := newFixture("2025-03-10T09:00:00Z")
		buyer := s.buyer(nil)
		distinct := s.api.metric("SELECT COUNT(DISTINCT who) FROM events WHERE event_name = 'call'")
		sub := s.subscribe(buyer, nil,
			with(s.calls("10"), object{"name": "Distinct", "billable_metric_id": distinct}),
			with(s.calls("1"), object{"name": "Grouped", "invoice_grouping_key": "who"}),
			with(s.calls("10"), object{"name": "Distinct by group", "billable_metric_id": distinct, "model_type": "matrix", "unit_config": absent, "matrix_config": object{
				"dimensions": list{"who"}, "default_unit_amount": "10", "matrix_values": list{object{"dimension_values": list{"someone"}, "unit_amount": "1"}},
			}})).text("id")
		ingest := func(key, at, who string) {
			s.post("/v1/ingest", fmt.Sprintf(`{"events":[{"idempotency_key":%q,"event_name":"call","customer_id":%q,"timestamp":%q,"properties":{"n":3,"who":%q}}]}`, key, buyer, at, who)).expect(200)
		}
		long, longer := letters(3500), letters(9000)
		ingest("a", "2025-03-10T07:00:00Z", long)
		ingest("b", "2025-03-10T08:00:00Z", long)
		ingest("c", "2025-03-10T08:30:00Z", longer)
		s.settle()
		s.clock("2025-03-20T09:00:00Z")
		ingest("d", "2025-03-20T08:30:00Z", longer[1:])
		s.settle()
		s.tx(func(tx *store.Tx) error {
			var failed, values int
			Expect(tx.Raw("SELECT count(*) FROM usage_series WHERE failed_at IS NOT NULL").Scan(&failed).Error).To(Succeed())
			Expect(tx.Raw("SELECT count(*) FROM usage_values").Scan(&values).Error).To(Succeed())
			Expect(failed).To(BeZero())
			Expect(values).To(BeNumerically(">", 0), "buckets were made")
			return nil
		})
		s.clock("2025-04-02T00:00:00Z")
		Expect(lines(s.invoices(sub).entry("data", 1))).To(Equal([]string{
			"Distinct 2025-03-10 to 2025-04-01: 30.00", "Grouped 2025-03-10 to 2025-04-01: 12.00", "Distinct by group 2025-03-10 to 2025-04-01: 30.00",
		}))
		Expect(s.invoices(sub).entry("data", 1).entry("line_items", 1).list("sub_line_items")).To(HaveLen(3))
	})
})
