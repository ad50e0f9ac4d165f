package crash_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// ears are an endpoint of messages. They note the ids of those that told a threshold.
type ears struct {
	mu    sync.Mutex
	heard map[string]map[string]bool // ids by threshold
}

func (e *ears) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var message struct {
		ID         string
		Type       string
		Properties struct {
			Threshold json.Number `json:"quantity_threshold"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&message); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if message.Type == "subscription.usage_exceeded" {
		threshold := message.Properties.Threshold.String()
		if e.heard[threshold] == nil {
			e.heard[threshold] = map[string]bool{}
		}
		e.heard[threshold][message.ID] = true
	}
}

// told is how many different messages told each threshold.
func (e *ears) told() map[string]int {
	e.mu.Lock()
	defer e.mu.Unlock()
	counts := map[string]int{}
	for threshold, ids := range maps.All(e.heard) {
		counts[threshold] = len(ids)
	}
	return counts
}

var _ = Describe("Kills between the crossing of a threshold and its delivery", func() {
	It("leave each threshold told once, by one message", func() {
		const rounds, each = 8, 10
		m := boot()
		c := m.client(firstKey)
		heard := &ears{heard: map[string]map[string]bool{}}
		endpoint := httptest.NewServer(heard)
		DeferCleanup(endpoint.Close)
		c.must(http.MethodPost, "/v1/test_clock/advance", object{"now": stamp}, "")
		c.must(http.MethodPost, "/v1/webhook_endpoints", object{"url": endpoint.URL, "event_types": []string{"subscription.usage_exceeded"}}, "")
		item := c.must(http.MethodPost, "/v1/items", object{"name": "Calls"}, "")
		metric := c.must(http.MethodPost, "/v1/metrics", object{"name": "Calls", "description": nil, "item_id": item, "sql": "SELECT SUM(n) FROM events"}, "")
		plan := c.must(http.MethodPost, "/v1/plans", object{"name": "Calls", "currency": "USD", "prices": []object{{"price": object{
			"name": "Calls", "item_id": item, "billable_metric_id": metric, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "1"},
		}}}}, "")
		buyer := c.must(http.MethodPost, "/v1/customers", object{"name": "Acme", "email": "a@acme.test", "external_customer_id": "acme"}, "")
		sub := c.must(http.MethodPost, "/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01"}, "")
		var thresholds []object
		expected := map[string]int{}
		for n := range rounds {
			thresholds = append(thresholds, object{"value": (n + 1) * each})
			expected[fmt.Sprint((n+1)*each)] = 1
		}
		c.must(http.MethodPost, "/v1/alerts/subscription_id/"+sub, object{"type": "usage_exceeded", "metric_id": metric, "thresholds": thresholds}, "")
		for n := range rounds {
			c.must(http.MethodPost, "/v1/ingest", object{"events": []object{{
				"idempotency_key": fmt.Sprint("call ", n), "event_name": "call", "external_customer_id": "acme", "timestamp": stamp, "properties": object{"n": each},
			}}}, "")
			<-time.After(time.Duration(rand.IntN(40)) * time.Millisecond)
			m.killServer()
			m.startServer()
			Eventually(func() []string { return slices.Collect(maps.Keys(heard.told())) }).WithTimeout(time.Minute).Should(ContainElement(fmt.Sprint((n + 1) * each)))
		}
		Expect(heard.told()).To(Equal(expected))
	})
})
