package importaccount_test

import (
	"context"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/cmd/tollkeeper/importaccount"
)

var _ = Describe("The events of an account that is moved", func() {
	var m move

	// Two events: of 20 May, and of the morning of 27 May.
	BeforeEach(func() {
		s := newSite()
		s.clock("2025-05-01T00:00:00Z")
		item := s.post("/items", object{"name": "Calls"})["id"]
		metric := s.post("/metrics", object{"name": "Calls", "description": nil, "item_id": item, "sql": "SELECT COUNT(*) FROM events"})["id"]
		plan := s.post("/plans", object{"name": "Calls", "currency": "USD", "prices": list{object{"price": object{"name": "Calls", "item_id": item,
			"billable_metric_id": metric, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "1.00"}}}}})["id"]
		customer := s.post("/customers", object{"name": "C", "email": "bills@example.com", "external_customer_id": "c"})["id"]
		s.post("/subscriptions", object{"customer_id": customer, "plan_id": plan})
		for k, at := range []string{"2025-05-20T00:00:00Z", "2025-05-27T08:00:00Z"} {
			s.clock(at)
			s.post("/ingest", object{"events": list{object{"idempotency_key": fmt.Sprint("event-", k), "event_name": "call", "external_customer_id": "c",
				"timestamp": at, "properties": object{}}}})
		}
		m = newMove(s, account(s), []string{"event-0", "event-1"})
	})

	It("arrive once where the process is killed before it knows the backfill that it made", func() {
		m.source.clock("2025-05-27T09:00:00Z")
		m.target.clock("2025-05-27T09:00:00Z")
		ctx, cancel := context.WithCancel(m.source.ctx)
		defer cancel()
		target := m.target.client()
		target.Through(&killer{path: "/v1/events/backfills", after: true, cancel: cancel})
		_, err := importaccount.Run(ctx, m.options(target))
		Expect(err).To(MatchError(context.Canceled))
		Expect(m.target.count("/events/backfills?limit=100")).To(Equal(1))

		Expect(m.run().Created).To(HaveKeyWithValue("event", 2))
		Expect(m.target.count("/events/backfills?limit=100")).To(Equal(1))
		different, compared := m.differences()
		Expect(compared).To(Equal(1))
		Expect(different).To(BeEmpty())
	})

	It("are left where the target refuses them, and moved when it no longer does", func() {
		m.source.clock("2025-05-27T09:00:00Z")
		m.target.clock("2025-05-25T00:00:00Z") // the second event is in the future there
		first := m.run()
		Expect(first.Created).To(HaveKeyWithValue("event", 1))
		Expect(first.Left).To(ContainElement(And(HaveField("Kind", "event"), HaveField("ID", "event-1"), HaveField("Reason", HavePrefix("the target refuses it: ")))))

		m.target.clock("2025-05-27T09:00:00Z")
		second := m.run()
		Expect(second.Created).To(Equal(map[string]int{"event": 1}))
		Expect(second.Kept).To(HaveKeyWithValue("event", 1))
		different, _ := m.differences()
		Expect(different).To(BeEmpty())
	})
})
