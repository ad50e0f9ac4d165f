package server_test

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// fixture sells calls: a test account with an item and a metric that sums the
// property n of events named call.
type fixture struct {
	*api
	item, metric string
	sent         *int // events so far, for their keys
}

// newFixture makes a fixture whose clock is set to that instant.
func newFixture(now string) fixture {
	GinkgoHelper()
	return start().newFixture(now)
}

func (a *api) newFixture(now string) fixture {
	GinkgoHelper()
	a.clock(now)
	return fixture{a, a.item("Calls"), a.metric("SELECT SUM(n) FROM events WHERE event_name = 'call'"), new(int)}
}

// fee is the body of a monthly fixed fee in advance.
func (s fixture) fee(amount string) object {
	return with(fee(s.item), object{"unit_config": object{"unit_amount": amount}})
}

// calls is the body of a monthly usage price.
func (s fixture) calls(amount string) object {
	return with(s.fee(amount), object{"name": "Calls", "billable_metric_id": s.metric})
}

// buyer makes a customer in UTC, or as change says, and returns its id.
func (s fixture) buyer(change object) string {
	GinkgoHelper()
	body := with(object{"name": "Acme", "email": "bills@acme.test"}, change)
	return s.post("/v1/customers", body).expect(201).text("id")
}

// subscribe makes a plan of the prices and subscribes the customer to it. The
// answer is the subscription, with what was invoiced at once.
func (s fixture) subscribe(customer string, change object, prices ...object) value {
	GinkgoHelper()
	plan := s.plan(object{}, prices...).text("id")
	return s.post("/v1/subscriptions", with(object{"customer_id": customer, "plan_id": plan}, change)).expect(201)
}

// use sends an event for each number, stamped at that instant, near the clock.
func (s fixture) use(customer, at string, numbers ...string) {
	GinkgoHelper()
	events := make([]string, len(numbers))
	for k, n := range numbers {
		*s.sent++
		events[k] = fmt.Sprintf(`{"idempotency_key":"e%06d","event_name":"call","customer_id":%q,"timestamp":%q,"properties":{"n":%s}}`, *s.sent, customer, at, n)
	}
	s.post("/v1/ingest", `{"events":[`+strings.Join(events, ",")+`]}`).expect(200)
}

// setting changes one of the account's settings.
func (a *api) setting(name string, to any) {
	GinkgoHelper()
	Expect(a.store.AsOwner(a.ctx, func(db *gorm.DB) error {
		return db.Exec("UPDATE accounts SET "+name+" = ? WHERE id = ?", to, store.AccountID(a.ctx)).Error
	})).To(Succeed())
}

// everyStatus asks for invoices in all states, newest date first.
const everyStatus = "date_type=invoice_date&status[]=draft&status[]=issued&status[]=paid"

// invoices lists those of a subscription, newest date first.
func (s fixture) invoices(subscription string) value {
	GinkgoHelper()
	return s.get("/v1/invoices?" + everyStatus + "&limit=100&subscription_id=" + subscription).expect(200)
}

// bills writes the invoices of a subscription, oldest first, as "date status total".
func (s fixture) bills(subscription string) []string {
	GinkgoHelper()
	texts := []string{}
	all := s.invoices(subscription)
	for k := range all.list("data") {
		v := value{all.asked, all.list("data")[k]}
		texts = append([]string{fmt.Sprint(v.text("invoice_date")[:10], " ", v.at("status"), " ", v.at("total"))}, texts...)
	}
	return texts
}

// lines writes the line items of an invoice as "name start to end: amount".
func lines(invoice value) []string {
	GinkgoHelper()
	texts := []string{}
	for _, each := range invoice.list("line_items") {
		l := value{invoice.asked, each}
		texts = append(texts, fmt.Sprintf("%s %s to %s: %s", l.at("name"), l.text("start_date")[:10], l.text("end_date")[:10], l.at("amount")))
	}
	return texts
}

// entry is the k-th entry of a list.
func (v value) entry(array string, k int) value {
	GinkgoHelper()
	entries := v.list(array)
	Expect(len(entries)).To(BeNumerically(">", k), v.asked)
	return value{v.asked, entries[k]}
}

// shows fails the spec unless each of those places has that value.
func (v value) shows(places object) {
	GinkgoHelper()
	for place, expected := range places {
		if expected == nil {
			Expect(v.at(place)).To(BeNil(), place)
		} else {
			Expect(v.at(place)).To(Equal(expected), place)
		}
	}
}

// owner runs a statement as the owner of the database.
func (s fixture) owner(statement string) {
	GinkgoHelper()
	conn, err := pgx.Connect(s.ctx, storetest.URL(s.store))
	Expect(err).NotTo(HaveOccurred())
	defer func() { _ = conn.Close(s.ctx) }()
	_, err = conn.Exec(s.ctx, statement)
	Expect(err).NotTo(HaveOccurred())
}
