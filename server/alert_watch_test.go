package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/alert"
	"tollkeeper/server"
	"tollkeeper/store"
)

// watched is the account seen through another server on the same database, which watches.
func (a *api) watched() *api {
	GinkgoHelper()
	s := server.New(server.Config{Store: a.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil))})
	listener := httptest.NewServer(s.Handler())
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		s.Worker().EvaluateAlerts(ctx)
	}()
	DeferCleanup(func() {
		stop()
		<-done
		listener.Close()
	})
	other := *a
	other.url = listener.URL
	return &other
}

// insist sends a request again for as long as the server is too busy for it, as a client does. The request must count
// once, however often it is sent.
func (a *api) insist(path string, body object) {
	GinkgoHelper()
	var last *answer
	Eventually(func() int {
		last = a.post(path, body)
		return last.status
	}, onBusyMachine).ShouldNot(Or(Equal(http.StatusServiceUnavailable), Equal(http.StatusTooManyRequests)))
	last.expect(200)
}

var _ = Describe("A server that watches", func() {
	It("tells of a crossing soon after the request, also where the clock stands", func() {
		w := newAlertFixture(calls1)
		w.api = w.watched()
		w.usageAlert("100")
		for round, n := range []string{"100", "1000"} {
			w.use(w.buyer, "2025-03-10T08:00:00Z", n)
			Eventually(w.fired, onBusyMachine, "20ms").Should(HaveLen(round + 1))
			if round == 0 {
				w.put("/v1/alerts/"+w.fired()[0].AlertID, object{"thresholds": thresholds("100", "1000")}).expect(200)
			}
		}
	})

	It("looks at what was left by a server that ended", func() {
		w := newAlertFixture(calls1)
		w.usageAlert("100")
		w.use(w.buyer, "2025-03-10T08:00:00Z", "100")
		Expect(w.fired()).To(BeEmpty())
		w.watched()
		Eventually(w.fired, onBusyMachine, "20ms").Should(HaveLen(1))
	})

	It("tells each threshold once, whoever sends events at once and however many servers watch", func() {
		const clients, batches = 16, 25
		w := newAlertFixture(calls1)
		numbers := []json.Number{}
		for n := range 8 {
			numbers = append(numbers, json.Number(fmt.Sprint((n+1)*clients*batches/8)))
		}
		w.usageAlert(numbers...)
		servers := []*api{w.watched(), w.watched()}
		var sending sync.WaitGroup
		for client := range clients {
			sending.Go(func() {
				defer GinkgoRecover()
				for n := range batches {
					servers[n%len(servers)].insist("/v1/ingest", object{"events": list{object{
						"idempotency_key": fmt.Sprint(client, "-", n), "event_name": "call", "customer_id": w.buyer, "timestamp": "2025-03-10T08:00:00Z",
						"properties": object{"n": 1},
					}}})
				}
			})
		}
		sending.Wait()
		Eventually(w.fired, onBusyMachine, "50ms").Should(HaveLen(len(numbers)))
		var last int64
		for _, message := range w.warned() {
			threshold, err := message.at("properties.quantity_threshold").(json.Number).Int64()
			Expect(err).NotTo(HaveOccurred())
			Expect(threshold).To(BeNumerically(">", last)) // so none twice
			last = threshold
		}
		Expect(last).To(BeEquivalentTo(clients * batches))
		Expect(w.fired()).To(HaveLen(len(numbers)))
	})
})

// fired are the thresholds that were reached, as they are kept.
func (w alertFixture) fired() (firings []alert.Firing) {
	GinkgoHelper()
	w.tx(func(tx *store.Tx) error { return tx.Order("seq").Find(&firings).Error })
	return firings
}
