package server_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// calls are so many events of one request, with keys that begin alike.
func calls(key string, events int) string {
	var body strings.Builder
	body.WriteString(`{"events": [`)
	for i := range events {
		if i > 0 {
			body.WriteByte(',')
		}
		fmt.Fprintf(&body, `{"idempotency_key": "%s-%05d", "event_name": "api_call", "external_customer_id": "acme", "timestamp": "2025-05-10T12:00:00Z"}`, key, i)
	}
	return body.String() + "]}"
}

// stored counts the account's events by the beginning of their keys.
func (a *api) stored() map[string]int {
	GinkgoHelper()
	found := map[string]int{}
	a.tx(func(tx *store.Tx) error {
		rows, err := tx.Conn().QueryContext(tx.Context(),
			"SELECT split_part(idempotency_key, '-', 1), count(*) FROM events WHERE account_id = $1 GROUP BY 1", tx.AccountID)
		if err != nil {
			return err
		}
		defer func() { _ = rows.Close() }()
		for rows.Next() {
			var key string
			var n int
			if err := rows.Scan(&key, &n); err != nil {
				return err
			}
			found[key] = n
		}
		return rows.Err()
	})
	return found
}

var _ = Describe("more events than the server can store", func() {
	It("are refused with a 503 until there is room, and what was accepted is stored and nothing else", func() {
		const clients, size, room = 9, 10_000, 7 // two requests are being stored, and five wait
		a := startAlone()
		a.clock("2025-05-10T12:00:00Z")

		// The tables are locked, so nothing gets on and the queue fills.
		ctx := context.Background()
		blocker, err := pgx.Connect(ctx, storetest.URL(a.store))
		Expect(err).NotTo(HaveOccurred())
		defer func() { _ = blocker.Close(ctx) }()
		_, err = blocker.Exec(ctx, "BEGIN; LOCK TABLE events IN ACCESS EXCLUSIVE MODE")
		Expect(err).NotTo(HaveOccurred())

		bodies := make([]string, clients)
		answers := make(chan int, clients) // which was answered
		status, told := make([]int, clients), make([]*answer, clients)
		for c := range clients {
			bodies[c] = calls(fmt.Sprint(c), size)
			go func() {
				defer GinkgoRecover()
				told[c] = a.post("/v1/ingest", bodies[c])
				status[c] = told[c].status
				answers <- c
			}()
		}
		answered := 0
		for ; answered < clients-room; answered++ { // while nothing can be stored
			var c int
			Eventually(answers, "8s").Should(Receive(&c))
			told[c].refuse(http.StatusServiceUnavailable, "500-internal-server-error", "send the same request again")
			Expect(told[c].header.Get("Retry-After")).To(Equal("1"))
		}
		_, err = blocker.Exec(ctx, "ROLLBACK")
		Expect(err).NotTo(HaveOccurred())
		for ; answered < clients; answered++ {
			Eventually(answers, "20s").Should(Receive())
		}

		accepted := map[string]int{}
		for c := range clients {
			if status[c] == http.StatusOK {
				accepted[fmt.Sprint(c)] = size
			} else {
				Expect(status[c]).To(Equal(http.StatusServiceUnavailable))
			}
		}
		Expect(accepted).NotTo(BeEmpty())
		Expect(a.stored()).To(Equal(accepted))
		for c := range clients {
			if status[c] != http.StatusOK {
				a.post("/v1/ingest", bodies[c]).expect(http.StatusOK)
				break
			}
		}
		Expect(a.stored()).To(HaveLen(len(accepted) + 1))
	})
})

var _ = Describe("a request of many events", func() {
	It("is stored like several smaller ones, packed or not", func() {
		a := start()
		a.clock("2025-05-10T12:00:00Z")
		body := calls("many", 11_000)
		a.post("/v1/ingest", zipped(body), header{"Content-Encoding", "gzip"}).expect(http.StatusOK)
		again := a.post("/v1/ingest?debug=true", body).expect(http.StatusOK)
		Expect(again.list("debug.duplicate")).To(HaveLen(11_000))
		Expect(a.stored()).To(Equal(map[string]int{"many": 11_000}))
	})

	It("is refused, with nothing stored, when the answer could not list all that failed", func() {
		a := start()
		a.clock("2025-05-10T12:00:00Z")
		wrong := strings.ReplaceAll(calls("many", 20_000), `"api_call"`, `{"`+strings.Repeat("colour", 30)+`": 1}, "`+strings.Repeat("x", 400)+`": 1`)
		a.post("/v1/ingest", wrong).refuse(http.StatusRequestEntityTooLarge, "413-request-too-large", "smaller requests")
		Expect(a.stored()).To(BeEmpty())
	})
})
