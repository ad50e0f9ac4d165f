package server_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/user"
	"tollkeeper/server"
	"tollkeeper/store"
	"tollkeeper/store/tempfile"
)

// startBounded is startAlone with a place for temporary files.
func startBounded(place *tempfile.Place) *api {
	GinkgoHelper()
	a := startAlone()
	s := server.New(server.Config{Store: a.store, Logger: slog.New(slog.NewTextHandler(GinkgoWriter, nil)), Temp: place, StrangersPerSecond: -1, ProbesEvery: time.Nanosecond})
	listener := httptest.NewUnstartedServer(nil)
	listener.Config = server.NewHTTPServer("", s.Handler())
	listener.Start()
	DeferCleanup(listener.Close)
	a.server, a.url = s, listener.URL
	return a
}

// manyEvents is a request with so many events.
func manyEvents(n int) string {
	var body strings.Builder
	body.WriteString(`{"events":[`)
	for i := range n {
		if i > 0 {
			body.WriteByte(',')
		}
		_, _ = fmt.Fprintf(&body, `{"event_name":"call","external_customer_id":"acme","idempotency_key":"k%06d","timestamp":"2025-05-10T12:00:00Z","properties":{"n":%d}}`, i, i)
	}
	return body.String() + `]}`
}

// eventsStored is how many events the account has.
func (a *api) eventsStored() (n int) {
	GinkgoHelper()
	a.tx(func(tx *store.Tx) error {
		return tx.Raw("SELECT count(*) FROM events WHERE account_id = ?", tx.AccountID).Scan(&n).Error
	})
	return n
}

var _ = Describe("Temporary files", func() {
	const many, few = 60_000, 10_000

	// filled takes all but a kilobyte of a place, until it is emptied.
	filled := func(place *tempfile.Place) (empty func()) {
		GinkgoHelper()
		use := place.Use()
		Expect(use.Dir().Reserve(place.Bound() - place.Used() - 1<<10)).To(Succeed())
		return use.Close
	}
	// customers makes more of them than a workbook holds in memory.
	customers := func(a *api) {
		GinkgoHelper()
		first := a.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.example"}).expect(201).text("id")
		a.tx(func(tx *store.Tx) error {
			return tx.Exec(`INSERT INTO customers (account_id, id, created_at, name, email, timezone, auto_collection, email_delivery, invoice_prefix)
				SELECT account_id, id || g, created_at, repeat('long name ', 50), email, timezone, auto_collection, email_delivery,
					translate(lpad(g::text, 6, '0'), '0123456789', 'ABCDEFGHIJ')
				FROM customers, generate_series(1, 40000) AS g WHERE id = ?`, first).Error
		})
	}
	const workbook, csv = "/console/exports/file?report=customers&format=xlsx", "/console/exports/file?report=customers&format=csv"

	It("are refused for good where a request alone is larger than their place", func() {
		place := tempfile.New(GinkgoT().TempDir(), 2<<20) // an account has half
		a := startBounded(place)
		a.clock("2025-05-10T12:00:00Z")
		for range 2 {
			refused := a.post("/v1/ingest", manyEvents(many))
			problem := refused.refuse(http.StatusRequestEntityTooLarge, "413-request-too-large", "needs more than the 1 MB that this server has for temporary files of one account", "send it in parts")
			Expect(problem.at("title")).To(Equal("The request is too large."))
			Expect(refused.header.Get("Retry-After")).To(BeEmpty())
		}
		Expect(a.eventsStored()).To(BeZero())
		Expect(place.Used()).To(BeZero())
		a.post("/v1/ingest", manyEvents(few)).expect(http.StatusOK)
		Expect(a.eventsStored()).To(Equal(few))

		customers(a)
		d := a.desk(user.RoleOwner)
		page := d.send(http.MethodGet, workbook, nil)
		Expect(page.status).To(Equal(http.StatusBadRequest))
		Expect(page.html).To(ContainSubstring("needs more than the 1 MB that there are for temporary files; export as csv or ndjson"))
		Expect(page.header).NotTo(HaveKey("Content-Disposition"))
		Expect(d.send(http.MethodGet, csv, nil).status).To(Equal(http.StatusOK))
		Expect(a.shown("tollkeeper_temp_refusals_total")).To(Equal(map[string]int{"too_large": 3, "full": 0, "unusable": 0}))
		Expect(a.shown("tollkeeper_temp_bound_bytes")).To(HaveKeyWithValue("", 2<<20))
	})

	It("are refused for now while others fill their place, and all else goes on", func() {
		place := tempfile.New(GinkgoT().TempDir(), 256<<20)
		a := startBounded(place)
		a.clock("2025-05-10T12:00:00Z")
		customers(a)
		d := a.desk(user.RoleOwner)
		empty := filled(place)
		Expect(a.shown("tollkeeper_temp_bytes")).To(HaveKeyWithValue("", 256<<20-1<<10))

		refused := a.post("/v1/ingest", manyEvents(many))
		problem := refused.refuse(http.StatusServiceUnavailable, "500-internal-server-error", "has no room for temporary files now; send the same request again, or parts of at most 10,000 events")
		Expect(problem.at("title")).To(Equal("There is no room for temporary files."))
		Expect(refused.header.Get("Retry-After")).To(Equal("5"))
		Expect(a.eventsStored()).To(BeZero())
		page := d.send(http.MethodGet, workbook, nil)
		Expect(page.status).To(Equal(http.StatusServiceUnavailable))
		Expect(page.html).To(ContainSubstring("no room for temporary files now. Try again later, or export as CSV"))
		Expect(page.header.Get("Retry-After")).To(Equal("5"))
		Expect(page.header).NotTo(HaveKey("Content-Disposition"))
		Expect(a.shown("tollkeeper_temp_refusals_total")).To(Equal(map[string]int{"too_large": 0, "full": 2, "unusable": 0}))

		a.post("/v1/ingest", manyEvents(few)).expect(http.StatusOK)
		a.get("/v1/customers").expect(http.StatusOK)
		Expect(d.send(http.MethodGet, csv, nil).status).To(Equal(http.StatusOK))
		Expect(d.send(http.MethodGet, "/console/exports/file?report=events&format=xlsx", nil).html).To(HavePrefix("PK"), "a small workbook is made in memory")
		Expect(d.send(http.MethodGet, "/console/settings/letterhead/sample.pdf", nil).html).To(HavePrefix("%PDF-"))

		empty()
		a.post("/v1/ingest", manyEvents(many)).expect(http.StatusOK)
		Expect(a.eventsStored()).To(Equal(many))
		Expect(d.send(http.MethodGet, workbook, nil).html).To(HavePrefix("PK"))
		Expect(a.shown("tollkeeper_temp_bytes")).To(HaveKeyWithValue("", 0))
	})

	It("of one account leave half of their place to another", func() {
		const some = 20_000
		place := tempfile.New(GinkgoT().TempDir(), 16<<20)
		worst := startBounded(place)
		innocent := worst.account("test")
		worst.clock("2025-05-10T12:00:00Z")
		innocent.clock("2025-05-10T12:00:00Z")

		from, to := io.Pipe() // a body that does not end, whose events stay on disk
		ctx, leave := context.WithCancel(worst.ctx)
		defer leave()
		request, err := http.NewRequestWithContext(ctx, http.MethodPost, worst.url+"/v1/ingest", from)
		Expect(err).NotTo(HaveOccurred())
		request.Header.Set("Authorization", "Bearer "+worst.key)
		request.Header.Set("Content-Type", "application/json")
		go func() {
			response, err := http.DefaultClient.Do(request)
			if err == nil {
				_ = response.Body.Close()
			}
		}()
		_, err = io.WriteString(to, strings.TrimSuffix(manyEvents(many), "]}"))
		Expect(err).NotTo(HaveOccurred())
		Eventually(place.Used, onBusyMachine).Should(BeNumerically(">", 1<<20))

		leave()
		Eventually(place.Used, onBusyMachine).Should(BeZero(), "a request that is given up gives back what it took")

		share := place.Of(store.AccountID(worst.ctx))
		use := share.Use()
		defer use.Close()
		Expect(use.Dir().Reserve(share.Bound() - 1<<10)).To(Succeed())
		refused := worst.post("/v1/ingest", manyEvents(some))
		refused.refuse(http.StatusServiceUnavailable, "500-internal-server-error", "has no room for temporary files now")
		Expect(refused.header.Get("Retry-After")).To(Equal("5"))
		innocent.post("/v1/ingest", zipped(manyEvents(some)), header{"Content-Encoding", "gzip"}).expect(http.StatusOK)
		Expect(innocent.eventsStored()).To(Equal(some))
	})
})
