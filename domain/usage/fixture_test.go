package usage_test

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/storetest"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// noon is where the clock of the specs stands.
var noon = time.Date(2025, 5, 10, 12, 0, 0, 0, time.UTC)

// fixture is an account with a recorder, and customer cus_1 with the alias acme.
type fixture struct {
	store    *store.Store
	ctx      context.Context
	recorder *event.Recorder
}

func newFixture() fixture {
	GinkgoHelper()
	return newFixtureOn(storetest.Shared())
}

func newFixtureOn(st *store.Store) fixture {
	GinkgoHelper()
	d := fixture{store: st}
	d.ctx = storetest.Account(d.store, "test")
	storetest.SetClock(d.store, d.ctx, noon)
	d.recorder = event.NewRecorder(d.store)
	Expect(d.store.Update(d.ctx, func(tx *store.Tx) error {
		return tx.Exec(`
			INSERT INTO customers (account_id, id, created_at, external_customer_id, name, email, timezone,
				auto_collection, email_delivery, invoice_prefix)
			VALUES (?, 'cus_1', ?, 'acme', 'Acme', 'bills@acme.test', 'UTC', true, true, 'ACMEAC')`, tx.AccountID, tx.Now).Error
	})).To(Succeed())
	return d
}

// send takes events in as a request.
func (d fixture) send(events ...string) event.Outcome {
	GinkgoHelper()
	received, err := event.Receive(strings.NewReader(`{"events": [` + strings.Join(events, ", ") + `]}`))
	Expect(err).NotTo(HaveOccurred())
	defer received.Close()
	outcome, err := d.recorder.RecordBody(d.ctx, received, true)
	Expect(err).NotTo(HaveOccurred())
	return outcome
}

// count is how many events of acme the metric counts.
func (d fixture) count() string {
	GinkgoHelper()
	return d.ask("SELECT COUNT(*) FROM events WHERE event_name = 'api_call'", "e:acme", "c:cus_1")
}

// ask measures a metric over the days round noon.
func (d fixture) ask(sql string, subjects ...string) string {
	GinkgoHelper()
	readings := d.measure(usage.Request{
		Query: query(sql), Subjects: subjects, Cuts: []time.Time{noon.AddDate(0, 0, -30), noon.AddDate(0, 0, 30)},
	})
	Expect(readings).To(HaveLen(1))
	return readings[0].Total.String()
}

func (d fixture) measure(req usage.Request) (readings []usage.Reading) {
	GinkgoHelper()
	Expect(d.store.View(d.ctx, func(tx *store.Tx) (err error) {
		readings, err = usage.Measure(tx, req)
		return err
	})).To(Succeed())
	return readings
}

func query(sql string) *metric.Query {
	GinkgoHelper()
	q, err := metric.Parse(sql)
	Expect(err).NotTo(HaveOccurred(), sql)
	return q
}

// call is an event of acme at noon, unless more, which are members, say otherwise.
func call(key string, more ...string) string {
	members := []string{fmt.Sprintf(`"idempotency_key": %q`, key)}
	all := strings.Join(more, ", ")
	for name, value := range map[string]string{
		"event_name":           `"api_call"`,
		"external_customer_id": `"acme"`,
		"timestamp":            `"2025-05-10T12:00:00Z"`,
	} {
		if !strings.Contains(all, `"`+name+`"`) && !(name == "external_customer_id" && strings.Contains(all, `"customer_id"`)) {
			members = append(members, fmt.Sprintf("%q: %s", name, value))
		}
	}
	return "{" + strings.Join(append(members, more...), ", ") + "}"
}
