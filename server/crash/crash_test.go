package crash_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Events are stamped with the instant at which the clock of their account
// stands; the other account's clock moves on all the time.
const (
	stamp   = "2025-01-01T00:00:00Z"
	buyers  = 3
	writers = 4
)

var _ = Describe("Kills of the server and of the database", Ordered, func() {
	var m *machine
	var counting, billing client // two accounts: events in one, invoices in the other
	var account string           // of the invoices
	var past metered             // a third
	told := &history{}

	BeforeAll(func() {
		m = boot()
		counting = m.client(firstKey)
		made := m.testAccount("Billing")
		account, billing = made.ID, m.client(made.Key)
		counting.must(http.MethodPost, "/v1/test_clock/advance", object{"now": stamp}, "")
		billing.must(http.MethodPost, "/v1/test_clock/advance", object{"now": stamp}, "")
		plan := weekly(billing)
		past = m.openMetered()
		work := newCrowd()
		for n := range writers {
			work.add(func(home <-chan struct{}) { counting.ingest(fmt.Sprint("writer", n), stamp, told, home) })
			work.add(func(home <-chan struct{}) { past.resend(told, home) })
		}
		work.add(func(home <-chan struct{}) { past.correct(told, home) })
		work.add(func(home <-chan struct{}) { past.rewrite(told, home) })
		for n := range buyers {
			buyer := billing.must(http.MethodPost, "/v1/customers", object{"name": "Acme", "email": "a@acme.test"}, "")
			order := object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01"}
			billing.must(http.MethodPost, "/v1/subscriptions", order, "")
			told.tell(func(h *history) { h.subs++ })
			if n == 0 {
				work.add(func(home <-chan struct{}) { billing.subscribe(order, told, home) })
			}
		}
		from, err := time.Parse(time.RFC3339, stamp)
		Expect(err).NotTo(HaveOccurred())
		work.add(func(home <-chan struct{}) { billing.advance(from, told, home) })
		m.suffer(kills(), past.equal)
		// A slow machine gets less done between two kills: the work goes on until a month has ended.
		Eventually(func() string { return told.soFar().clock }, "2m").Should(MatchRegexp("^2025-(0[2-9]|1)"))
		work.sendHome()
		AddReportEntry("work done", fmt.Sprintf("%d kills, %d events, %d subscriptions, clock at %s; %d events of the past, %d corrections, %d backfills",
			kills(), len(told.events), told.subs, told.clock, told.sent, told.corrections, told.rewritten))
	})

	findings := func(changes ...string) []string {
		GinkgoHelper()
		return m.findings(told, account, changes...)
	}

	It("lose no answered event, count none twice, and invoice each period once", func() {
		Expect(told.events).NotTo(BeEmpty())
		Expect(findings()).To(BeEmpty())
	})

	It("leave costs that are what was answered", func() {
		buyer := counting.must(http.MethodPost, "/v1/customers", object{"name": "Acme", "email": "a@acme.test", "external_customer_id": "acme"}, "")
		item := counting.must(http.MethodPost, "/v1/items", object{"name": "Calls"}, "")
		metric := counting.must(http.MethodPost, "/v1/metrics", object{"name": "Calls", "description": nil, "item_id": item, "sql": "SELECT SUM(n) FROM events"}, "")
		plan := counting.must(http.MethodPost, "/v1/plans", object{"name": "Calls", "currency": "USD", "prices": []object{{"price": object{
			"name": "Calls", "item_id": item, "billable_metric_id": metric, "cadence": "monthly", "model_type": "unit", "unit_config": object{"unit_amount": "1"},
		}}}}, "")
		sub := counting.must(http.MethodPost, "/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "start_date": "2025-01-01"}, "")
		_, answer := counting.ask(http.MethodGet, "/v1/subscriptions/"+sub+"/costs", nil, "")
		Expect(string(answer)).To(ContainSubstring(fmt.Sprintf(`"total":"%d.00"`, len(told.events))))
	})

	It("leave buckets that say what events say, also when all is in them", func() {
		Expect(told.corrections).To(BeNumerically(">", 0))
		Expect(told.rewritten).To(BeNumerically(">", 0))
		past.equal()
		Eventually(past.settled).WithTimeout(time.Minute).Should(BeTrue())
		past.equal()
	})

	DescribeTable("would be found out by their buckets",
		func(change string) {
			Eventually(past.settled).WithTimeout(time.Minute).Should(BeTrue())
			Expect(past.differencesAfter(change)).NotTo(BeEmpty())
		},
		Entry("had they lost an hour", `WITH q AS (DELETE FROM usage_buckets_6h WHERE hour = (SELECT min(hour) FROM usage_buckets_6h))
			DELETE FROM usage_buckets WHERE hour = (SELECT min(hour) FROM usage_buckets)`),
		Entry("had they counted wrong", `WITH q AS (UPDATE usage_buckets_6h SET totals = ARRAY(SELECT total + 1 FROM unnest(totals) AS total))
			UPDATE usage_buckets SET totals = ARRAY(SELECT total + 1 FROM unnest(totals) AS total)`),
		Entry("had they forgotten who was there", "DELETE FROM usage_values"),
		Entry("had they put events in twice", "WITH s AS (UPDATE usage_series SET mark = 0) UPDATE usage_progress SET mark = 0"),
		Entry("had they not noticed that events are out of the count", "UPDATE events SET deprecated = true"),
	)

	// Changes of which none could come about by itself.
	const free = "SET LOCAL session_replication_role = replica" // without triggers
	DescribeTable("would be found out",
		func(rule string, changes ...string) { Expect(findings(changes...)).To(ContainElement(rule)) },
		Entry("had they lost one event", "an answered event is lost",
			"DELETE FROM events WHERE idempotency_key = (SELECT min(idempotency_key) FROM events)"),
		Entry("had they lost one event with its key", "an answered event is lost",
			"DELETE FROM events WHERE idempotency_key = 'writer0-00000000'", "DELETE FROM event_keys WHERE idempotency_key = 'writer0-00000000'"),
		Entry("had they kept the key of an event alone", "a key does not lead to its event",
			"DELETE FROM events WHERE idempotency_key = 'writer0-00000000'"),
		Entry("did the key of an event lead elsewhere", "a key does not lead to its event",
			"UPDATE event_keys SET seq = seq + 1 WHERE idempotency_key = 'writer0-00000000'"),
		Entry("did they count one event twice", "an event is there twice",
			"INSERT INTO events SELECT * FROM events WHERE idempotency_key = 'writer0-00000000'"),
		Entry("did they make up an event", "an event is there that nobody was told of",
			"UPDATE events SET idempotency_key = 'made up' WHERE idempotency_key = 'writer0-00000000'"),
		Entry("had they missed a period", "a period is not invoiced", free,
			"DELETE FROM invoices WHERE number LIKE '%-00003'"),
		Entry("had they left an invoice a draft", "a period is not invoiced", free,
			"UPDATE invoices SET status = 'draft', issued_at = NULL, number = NULL WHERE number LIKE '%-00003'"),
		Entry("did they invoice a period twice", "a period is invoiced twice", "DROP INDEX invoices_once",
			`INSERT INTO invoices (account_id, id, created_at, customer_id, subscription_id, plan_id, source, status, currency, invoice_date, has_usage)
			SELECT account_id, 'inv_copy', created_at, customer_id, subscription_id, plan_id, source, 'draft', currency, invoice_date, has_usage
			FROM invoices WHERE number LIKE '%-00003' LIMIT 1`),
		Entry("did they invoice what is not due", "an invoice is issued for no period", free,
			"UPDATE invoices SET invoice_date = invoice_date + interval '1 day' WHERE number LIKE '%-00003'"),
		Entry("had they skipped a number", "numbers have a hole or repeat", free,
			"UPDATE invoices SET number = left(number, 7) || '99999' WHERE number LIKE '%-00003'"),
		Entry("had they lost a line", "an issued invoice has not its one line of 10.00", free,
			"DELETE FROM invoice_lines WHERE id = (SELECT min(id) FROM invoice_lines)"),
		Entry("had they lost a draft", "a subscription has not its one draft", "DELETE FROM invoices WHERE status = 'draft'"),
		Entry("did they subscribe twice", "a subscription is missing or one too many", free,
			"INSERT INTO subscriptions (account_id, id, created_at, customer_id, plan_id, plan_version, name, currency, start_at, anchor_day, current_plan_interval_id)"+
				" SELECT account_id, 'sub_copy', created_at, customer_id, plan_id, plan_version, name, currency, start_at, anchor_day, current_plan_interval_id FROM subscriptions"+
				" WHERE account_id = (SELECT account_id FROM invoices WHERE number LIKE '%-00003' LIMIT 1) ORDER BY seq LIMIT 1"),
	)
})

var _ = It("A database that does not wait for its disk loses events, and that is found out", func() {
	m := boot()
	c, told := m.client(firstKey), &history{}
	c.must(http.MethodPost, "/v1/test_clock/advance", object{"now": stamp}, "")
	// The server refuses to start on such a database, so it is changed behind its
	// back; the connections that it makes after the first kill are concerned.
	m.execute("ALTER DATABASE " + database + " SET synchronous_commit = off")
	work := newCrowd()
	for n := range writers {
		work.add(func(home <-chan struct{}) { c.ingest(fmt.Sprint("writer", n), stamp, told, home) })
	}
	lost := func() []string {
		<-time.After(time.Second)
		m.killDatabase()
		m.startDatabase()
		return m.findings(told, "")
	}
	Eventually(lost).WithTimeout(time.Minute).Should(ContainElement("an answered event is lost"))
	work.sendHome()
})

// weekly makes a plan with a fee of 10.00 every seven days.
func weekly(c client) (plan string) {
	GinkgoHelper()
	item := c.must(http.MethodPost, "/v1/items", object{"name": "Seat"}, "")
	return c.must(http.MethodPost, "/v1/plans", object{"name": "Weekly", "currency": "USD", "prices": []object{{"price": object{
		"name": "Seat", "item_id": item, "cadence": "custom", "billing_cycle_configuration": object{"duration": 7, "duration_unit": "day"},
		"model_type": "unit", "unit_config": object{"unit_amount": "10"},
	}}}}, "")
}

// suffer kills the server, the database or both, n times, each after a while of
// work, and lets somebody look after each.
func (m *machine) suffer(n int, look func()) {
	GinkgoHelper()
	for range n {
		<-time.After(time.Duration(50+rand.IntN(1500)) * time.Millisecond)
		server, database := rand.IntN(2) == 0, rand.IntN(2) == 0
		if server || !database {
			m.killServer()
		}
		if database {
			m.killDatabase()
			m.startDatabase()
		}
		if server || !database {
			m.startServer()
		}
		look()
	}
}
