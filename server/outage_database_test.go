package server_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// record keeps what a logger writes.
type record struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (r *record) Write(b []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text.Write(b)
}

func (r *record) count(word string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Count(r.text.String(), word)
}

var _ = Describe("a request that cannot be served now", func() {
	// unserved checks the answer to a client that may try again.
	unserved := func(r *answer, word string) {
		GinkgoHelper()
		r.refuse(http.StatusServiceUnavailable, "500-internal-server-error", word, "send the same request again")
		Expect(r.header.Get("Retry-After")).To(MatchRegexp(`^[12]$`))
		Expect(r.header.Get("Transient-Error")).To(Equal("true"))
	}

	It("is answered 503 while the database is away, and logged once a second", func() {
		a := startAlone()
		flaky := storetest.NewFlakyConn(a.store)
		log := &record{}
		s := server.New(server.Config{Store: flaky.Store, Logger: slog.New(slog.NewTextHandler(log, nil))})
		listener := httptest.NewUnstartedServer(nil)
		listener.Config = server.NewHTTPServer("", s.Handler())
		listener.Start()
		DeferCleanup(listener.Close)
		behind := *a
		behind.url = listener.URL
		behind.get("/v1/ping").expect(http.StatusOK)

		flaky.Away(true)
		event := object{"events": list{object{"event_name": "call", "external_customer_id": "a", "idempotency_key": "k",
			"timestamp": "2025-03-01T00:00:00Z", "properties": object{}}}}
		const rounds = 20
		for range rounds {
			unserved(behind.get("/v1/customers"), "database")
			unserved(behind.post("/v1/items", object{"name": "Seat"}), "database")
			unserved(behind.post("/v1/ingest", event), "database")
			Expect(behind.get("/readyz").status).To(Equal(http.StatusServiceUnavailable))
		}
		page := behind.open("/i/i_" + strings.TrimPrefix(store.AccountID(a.ctx), "acct_") + strings.Repeat("a", 47)) // semantics 20.2.5
		Expect(page.status).To(Equal(http.StatusServiceUnavailable))
		Expect(page.text).To(ContainSubstring("</html>"))
		Expect(log.count("level=ERROR")).To(And(BeNumerically(">=", 1), BeNumerically("<", rounds)))
		Expect(log.count("status=503")).To(BeZero())

		flaky.Away(false)
		behind.get("/v1/customers").expect(http.StatusOK)
		behind.post("/v1/items", object{"name": "Seat"}).expect(http.StatusCreated)
	})

	It("is answered 503 where another has the lock for too long, and another account is served", func() {
		a := startAlone()
		innocent := a.account("test")
		buyer := a.post("/v1/customers", object{"name": "Acme", "email": "a@b.test"}).expect(http.StatusCreated).text("id")
		locked, finish := make(chan struct{}), make(chan struct{})
		var holding sync.WaitGroup
		holding.Go(func() {
			defer GinkgoRecover()
			a.tx(func(tx *store.Tx) error {
				if err := tx.Exec("SELECT FROM customers WHERE account_id = ? AND id = ? FOR UPDATE", tx.AccountID, buyer).Error; err != nil {
					return err
				}
				close(locked)
				for { // the connection is not idle, or it would be ended
					select {
					case <-finish:
						return nil
					default:
						if err := tx.Exec("SELECT pg_sleep_for('200 ms')").Error; err != nil {
							return err
						}
					}
				}
			})
		})
		<-locked
		var waiting sync.WaitGroup
		waiting.Go(func() {
			defer GinkgoRecover()
			unserved(a.put("/v1/customers/"+buyer, object{"name": "Other"}), "busy")
		})
		innocent.get("/v1/customers").expect(http.StatusOK)
		waiting.Wait()
		close(finish)
		holding.Wait()
		Expect(a.put("/v1/customers/"+buyer, object{"name": "Other"}).expect(http.StatusOK).at("name")).To(Equal("Other"))
	})
})
