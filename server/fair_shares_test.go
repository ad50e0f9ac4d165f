package server_test

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// holding runs statements in a transaction as the owner of the database, which ends when the spec does.
func (s fixture) holding(statements ...string) {
	GinkgoHelper()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, storetest.URL(s.store))
	Expect(err).NotTo(HaveOccurred())
	DeferCleanup(func() { _ = conn.Close(ctx) })
	for _, statement := range append([]string{"BEGIN"}, statements...) {
		_, err = conn.Exec(ctx, statement)
		Expect(err).NotTo(HaveOccurred())
	}
}

// stalls makes each change of an account's row in a table wait for an advisory lock, which the spec holds.
func (s fixture) stalls(table string) {
	GinkgoHelper()
	const lock = "pg_advisory_xact_lock(4711)"
	s.owner(`CREATE FUNCTION stall() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM ` + lock + `; RETURN NEW; END $$`)
	s.owner("CREATE TRIGGER stall BEFORE UPDATE ON " + table + " FOR EACH ROW WHEN (NEW.account_id = '" + store.AccountID(s.ctx) + "') EXECUTE FUNCTION stall()")
	s.holding("SELECT " + lock)
}

var _ = Describe("An account that does its worst", func() {
	// busy sends so many requests at a time until the spec ends, and waits for them to have all connections
	// that they get.
	busy := func(s fixture, requests int, path string) {
		GinkgoHelper()
		var sent sync.WaitGroup
		ctx, leave := context.WithCancel(s.ctx)
		for k := range requests {
			sent.Go(func() {
				defer GinkgoRecover()
				for ctx.Err() == nil {
					request, err := http.NewRequestWithContext(ctx, http.MethodPut, s.url+path, encoded(object{"name": fmt.Sprint("Acme ", k)}))
					Expect(err).NotTo(HaveOccurred())
					request.Header.Set("Authorization", "Bearer "+s.key)
					request.Header.Set("Content-Type", "application/json")
					if response, err := http.DefaultClient.Do(request); err == nil {
						_ = response.Body.Close()
					}
				}
			})
		}
		DeferCleanup(func() { // nobody waits for the answers
			leave()
			sent.Wait()
		})
		Eventually(func() (stuck int) {
			conn, err := pgx.Connect(s.ctx, storetest.URL(s.store))
			Expect(err).NotTo(HaveOccurred())
			defer func() { _ = conn.Close(context.Background()) }()
			Expect(conn.QueryRow(s.ctx, `SELECT count(*) FROM pg_stat_activity
				WHERE datname = current_database() AND state = 'active' AND application_name = 'tollkeeper' AND wait_event_type IN ('Lock', 'Timeout')`).Scan(&stuck)).To(Succeed())
			return stuck
		}, onBusyMachine).Should(BeNumerically(">=", s.store.MostAtOnce(store.Requests)))
	}

	DescribeTable("leaves the reads and the backfill of another alone",
		func(_ SpecContext, requests int, spoil func(s fixture, customer string)) {
			worst := startAlone().newFixture("2025-03-01T00:00:00Z")
			innocent := worst.account("test").newUsageFixture(object{"start_date": "2025-06-01"})
			customer := worst.buyer(nil)
			spoil(worst, customer)
			busy(worst, requests, "/v1/customers/"+customer)

			for range 20 { // each would wait for up to ten seconds
				innocent.get("/v1/customers/" + innocent.acme).expect(200)
			}
			id := innocent.open(nil)
			innocent.send(id, innocent.event("2025-07-03 5")).expect(200)
			innocent.close(id).expect(200)
			Eventually(func() any { return innocent.fetch(id).at("status") }, onBusyMachine).Should(Equal("reflected"))
		},
		Entry("with 24 changes of one locked row", SpecTimeout(10*time.Minute), 24, func(s fixture, customer string) {
			s.holding("SELECT FROM customers WHERE id = '" + customer + "' FOR UPDATE")
		}),
		Entry("with 64 slow requests", SpecTimeout(10*time.Minute), 64, func(s fixture, customer string) {
			s.owner(`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5); RETURN NEW; END $$`)
			s.owner("CREATE TRIGGER dawdle BEFORE UPDATE ON customers FOR EACH ROW WHEN (NEW.id = '" + customer + "') EXECUTE FUNCTION dawdle()")
		}),
	)

	// waiting makes a live fixture with so many subscriptions that have two invoices to be issued at once.
	waiting := func(a *api, subscriptions int) (s fixture, subs []string) {
		GinkgoHelper()
		s = fixture{a, a.item("Calls"), "", new(int)}
		plan := s.plan(object{}, s.fee("10")).text("id")
		for range subscriptions {
			subs = append(subs, s.post("/v1/subscriptions", object{
				"customer_id": s.buyer(nil), "plan_id": plan, "start_date": "2025-01-01", "end_date": "2025-03-01", "auto_issuance": false,
			}).expect(201).text("id"))
		}
		s.tx(func(tx *store.Tx) error { return tx.Exec("UPDATE subscriptions SET auto_issuance = true").Error })
		return s, subs
	}
	issued := []string{"2025-01-01 issued 10.00", "2025-02-01 issued 10.00"}

	It("with locked rows and units that fail leaves the invoices of another on time", func() {
		one := startAlone()
		const units = 30
		worst, _ := waiting(one.account("live"), units) // each unit of which waits for ten seconds, and fails
		innocent, subs := waiting(one.account("live"), 3)
		worst.stalls("invoices")
		one.process(func(ctx context.Context, s *server.Server) { _ = s.Worker().Run(ctx) })
		for _, sub := range subs {
			Eventually(func() []string { return innocent.bills(sub) }, onBusyMachine).Should(Equal(issued))
		}
		var tried int
		worst.tx(func(tx *store.Tx) error {
			return tx.Raw("SELECT count(*) FROM parked_units WHERE account_id = ?", tx.AccountID).Scan(&tried).Error
		})
		Expect(tried).To(BeNumerically("<", units), "most units of the other one have not had their first try, however slow the machine is")
	})

	It("with usage that is locked leaves the buckets and threshold invoices of another alone", func() {
		one := startAlone()
		fixtures, subs := []fixture{}, []string{}
		for range 2 {
			s := one.account("test").newFixture("2025-03-10T09:00:00Z")
			buyer := s.buyer(nil)
			subs = append(subs, s.subscribe(buyer, object{"invoicing_threshold": "5.00"}, s.calls("1.00")).text("id"))
			s.use(buyer, "2025-03-10T09:00:00Z", "10")
			fixtures = append(fixtures, s)
		}
		fixtures[0].holding("SELECT FROM subscriptions WHERE id = '" + subs[0] + "' FOR UPDATE") // until the spec ends
		one.process(func(ctx context.Context, s *server.Server) { s.Worker().AggregateUsage(ctx) })
		Eventually(func() []string { return fixtures[1].bills(subs[1]) }, onBusyMachine).Should(ContainElement("2025-03-10 issued 10.00"))
	})
})
