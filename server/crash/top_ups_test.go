package crash_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Kills between usage and the credits that it makes a customer buy", func() {
	It("leave each fall of the balance topped up once", func() {
		const rounds, now = 8, "2025-01-10T09:00:00Z"
		m := boot()
		c := m.client(firstKey)
		c.must(http.MethodPost, "/v1/test_clock/advance", object{"now": now}, "")
		item := c.must(http.MethodPost, "/v1/items", object{"name": "Calls"}, "")
		metric := c.must(http.MethodPost, "/v1/metrics", object{"name": "Calls", "description": nil, "item_id": item, "sql": "SELECT SUM(n) FROM events"}, "")
		plan := c.must(http.MethodPost, "/v1/plans", object{"name": "Calls", "currency": "USD", "prices": []object{{"price": object{
			"name": "Calls", "item_id": item, "billable_metric_id": metric, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "1"},
			"currency": "credits", "conversion_rate": 1,
		}}}}, "")
		buyer := c.must(http.MethodPost, "/v1/customers", object{"name": "Acme", "email": "a@acme.test", "external_customer_id": "acme"}, "")
		c.must(http.MethodPost, "/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01"}, "")
		credits := "/v1/customers/" + buyer + "/credits"
		c.must(http.MethodPost, credits+"/ledger_entry", object{"entry_type": "increment", "amount": 15}, "")
		c.must(http.MethodPost, credits+"/top_ups", object{
			"currency": "credits", "threshold": "5", "amount": "10", "per_unit_cost_basis": "1",
			"invoice_settings": object{"auto_collection": false, "net_terms": 0},
		}, "")
		sold := func() int { return len(c.page("/v1/invoices?is_recurring=false&limit=100&customer_id=" + buyer)) }
		for n := range rounds {
			c.must(http.MethodPost, "/v1/ingest", object{"events": []object{{
				"idempotency_key": fmt.Sprint("call ", n), "event_name": "call", "external_customer_id": "acme", "timestamp": now, "properties": object{"n": 10},
			}}}, "")
			<-time.After(time.Duration(rand.IntN(200)) * time.Millisecond)
			m.killServer()
			m.startServer()
			Eventually(sold).WithTimeout(time.Minute).Should(Equal(n + 1))
		}
		newest := c.page(credits + "/ledger?limit=1")[0]
		Expect(newest["ending_balance"]).To(Equal(json.Number("15")))
		Expect(sold()).To(Equal(rounds))
	})
})

// page is what a list has on its first page.
func (c client) page(path string) []object {
	var page struct{ Data []object }
	Expect(c.Get(context.Background(), path, &page)).To(Succeed())
	return page.Data
}
