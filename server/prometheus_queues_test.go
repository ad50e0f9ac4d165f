package server_test

import (
	"net/http"
	"sync"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"tollkeeper/store"
)

// shown returns the values of one series of /metrics, by the values of its labels.
func (a *api) shown(name string) map[string]int {
	GinkgoHelper()
	response, err := http.Get(a.url + "/metrics")
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = response.Body.Close() }()
	reader := expfmt.NewTextParser(model.LegacyValidation)
	families, err := reader.TextToMetricFamilies(response.Body)
	Expect(err).NotTo(HaveOccurred())
	values := map[string]int{}
	for _, metric := range families[name].GetMetric() {
		label := ""
		for _, l := range metric.GetLabel() {
			label += l.GetValue()
		}
		values[label] = int(metric.GetGauge().GetValue() + metric.GetCounter().GetValue())
	}
	return values
}

var _ = Describe("/metrics", func() {
	It("counts events by what became of them", func() {
		api := startAlone()
		api.clock("2025-03-31T12:00:00Z")
		sent := func(key, at string) object {
			return object{"idempotency_key": key, "external_customer_id": "acme", "event_name": "call", "timestamp": at, "properties": object{}}
		}
		const now, old = "2025-03-31T12:00:00Z", "2020-01-01T00:00:00Z"
		api.post("/v1/ingest", object{"events": list{sent("a", now), sent("b", now)}}).expect(200)
		api.post("/v1/ingest", object{"events": list{sent("a", now), sent("c", now)}}).expect(200)
		api.post("/v1/ingest", object{"events": list{sent("d", old)}}).expect(400)
		Expect(api.shown("tollkeeper_events_total")).To(Equal(map[string]int{"stored": 3, "duplicate": 1, "refused": 1}))
		Expect(api.shown("tollkeeper_ingest_waiting_events")).To(Equal(map[string]int{"": 0}))
		Expect(api.shown("tollkeeper_usage_lag_seconds")).To(Equal(map[string]int{"": 0}))
	})

	It("shows connections that are used and waited for, by use", func() {
		api := startAlone()
		finish := make(chan struct{})
		var transactions, begun sync.WaitGroup
		most := api.store.MostAtOnce(store.Requests)
		for range most {
			begun.Add(1)
			transactions.Go(func() {
				defer GinkgoRecover()
				api.tx(func(*store.Tx) error {
					begun.Done()
					<-finish
					return nil
				})
			})
		}
		begun.Wait()
		transactions.Go(func() {
			defer GinkgoRecover()
			api.tx(func(*store.Tx) error { return nil })
		})
		Eventually(func() map[string]int { return api.shown("tollkeeper_connections_waiting") }).
			Should(Equal(map[string]int{"requests": 1, "ingest": 0, "background": 0}))
		Expect(api.shown("tollkeeper_connections_used")).To(HaveKeyWithValue("requests", most))
		close(finish)
		transactions.Wait()
		Expect(api.shown("tollkeeper_connection_waits_total")).To(HaveKeyWithValue("requests", 1))
		Expect(api.shown("tollkeeper_connection_refusals_total")).To(HaveKeyWithValue("requests", 0))
	})

	It("shows webhooks that are still to be sent, and counts attempts by their result", func() {
		p := newWebhookFixtureOn(startAlone())
		refusing, taking := receive(always(500)), receive(nil)
		p.endpoint(refusing, nil)
		p.endpoint(taking, nil)
		p.happens(2)
		p.deliveries.Count(p.ctx)
		Expect(p.shown("tollkeeper_webhooks_waiting")).To(Equal(map[string]int{"": 4}))
		p.pass(0)
		Expect(p.shown("tollkeeper_webhook_attempts_total")).To(Equal(map[string]int{"delivered": 2, "retried": 2, "failed": 0}))
		p.deliveries.Count(p.ctx)
		Expect(p.shown("tollkeeper_webhooks_waiting")).To(Equal(map[string]int{"": 2}))
		Expect(p.shown("tollkeeper_webhook_lag_seconds")).To(Equal(map[string]int{"": 0}), "the next attempts are to come")
		for range 20 {
			p.pass(24 * time.Hour)
		}
		attempts := p.shown("tollkeeper_webhook_attempts_total")
		Expect(attempts).To(HaveKeyWithValue("failed", 2))
		p.deliveries.Count(p.ctx)
		Expect(p.shown("tollkeeper_webhooks_waiting")).To(Equal(map[string]int{"": 0}))
	})
})
