package billing_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestInvoice(t *testing.T) {
	if err := flag.Set("rapid.checks", "15"); err != nil { // each is a dozen transactions
		t.Fatal(err)
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "invoice")
}

// office is a test account with an item and a metric that sums a property n.
type office struct {
	store  *store.Store
	ctx    context.Context
	item   string
	metric string
}

// open makes an office whose clock stands at that instant.
func open(now string) office {
	GinkgoHelper()
	o := office{store: storetest.Shared()}
	o.ctx = storetest.Account(o.store, "test")
	o.clock(now)
	o.do(func(tx *store.Tx) error {
		item, err := catalog.CreateItem(tx, catalog.NewItem{Name: "Calls"})
		if err != nil {
			return err
		}
		metric, err := catalog.CreateMetric(tx, catalog.NewMetric{
			Name: "Calls", ItemID: item.ID, SQL: "SELECT SUM(n) FROM events WHERE event_name = 'call'",
		})
		o.item, o.metric = item.ID, metric.ID
		return err
	})
	return o
}

// clock sets the clock, without doing what falls due.
func (o office) clock(now string) {
	GinkgoHelper()
	storetest.SetClock(o.store, o.ctx, instant(now))
}

// do runs fn in a transaction.
func (o office) do(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(o.store.Update(o.ctx, fn)).To(Succeed())
}

// setting changes one of the account's settings.
func (o office) setting(name string, value any) {
	GinkgoHelper()
	Expect(o.store.Shared(o.ctx, func(db *gorm.DB) error {
		return db.Exec("UPDATE accounts SET "+name+" = ? WHERE id = ?", value, store.AccountID(o.ctx)).Error
	})).To(Succeed())
}

// fee is a monthly fixed fee in advance.
func (o office) fee(amount string) catalog.NewPrice {
	return catalog.NewPrice{
		Name: "Fee", ItemID: o.item, Cadence: period.CadenceMonthly,
		ModelType: "unit", Config: json.RawMessage(`{"unit_amount": "` + amount + `"}`),
	}
}

// calls is a monthly usage price.
func (o office) calls(model, config string) catalog.NewPrice {
	return catalog.NewPrice{
		Name: "Calls", ItemID: o.item, MetricID: &o.metric, Cadence: period.CadenceMonthly,
		ModelType: model, Config: json.RawMessage(config),
	}
}

// customer makes a customer in UTC.
func (o office) customer() (id string) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) error {
		c, err := customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "bills@acme.test"})
		id = c.ID
		return err
	})
	return id
}

// subscribe makes a plan of the prices and subscribes the customer to it from
// a date on. It returns the subscription and what was invoiced at once.
func (o office) subscribe(customerID, start string, prices ...catalog.NewPrice) (subscription.Terms, []invoice.View) {
	GinkgoHelper()
	var terms subscription.Terms
	var created []invoice.View
	placed := make([]catalog.PlanPrice, len(prices))
	for k, price := range prices {
		placed[k].Price = price
	}
	o.do(func(tx *store.Tx) error {
		plan, err := catalog.CreatePlan(tx, catalog.NewPlan{
			Name: "Plan", Currency: "USD", Status: catalog.PlanActive, Prices: placed,
		})
		if err != nil {
			return err
		}
		terms, created, err = billing.Subscribe(tx, subscription.NewSubscription{
			CustomerID: &customerID, PlanID: &plan.ID, StartDate: &start,
		})
		return err
	})
	return terms, created
}

// listed are the entries of a plan without phases.
func listed(prices []catalog.NewPrice) (entries []catalog.PlanPrice) {
	for _, price := range prices {
		entries = append(entries, catalog.PlanPrice{Price: price})
	}
	return entries
}

// call records events of the customer with those numbers, at an instant, where
// the clock stands afterwards.
func (o office) call(customerID, when string, numbers ...string) {
	GinkgoHelper()
	o.clock(when)
	var events []event.Event
	for k, n := range numbers {
		events = append(events, event.Event{
			Key: fmt.Sprintf("%s %s %d", customerID, when, k), Name: "call",
			Subject: event.Subjects(customerID, nil)[0], Timestamp: instant(when), Properties: `{"n": ` + n + `}`,
		})
	}
	outcome, err := event.NewRecorder(o.store).Record(o.ctx, events)
	Expect(err).NotTo(HaveOccurred())
	Expect(outcome.Ingested).To(HaveLen(len(numbers)))
}

// find reads an invoice.
func (o office) find(id string) (v invoice.View) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) (err error) {
		v, err = invoice.Find(tx, id)
		return err
	})
	return v
}

// of reads the invoices of a subscription by date.
func (o office) of(t subscription.Terms) (all []invoice.View) {
	GinkgoHelper()
	o.do(func(tx *store.Tx) (err error) {
		all, err = invoice.OfSubscription(tx, t.ID)
		return err
	})
	return all
}

// charged is what a subscription's issued invoices come to, less their credit notes.
func (o office) charged(t subscription.Terms) (net money.Decimal) {
	GinkgoHelper()
	for _, v := range o.of(t) {
		if v.Status == invoice.StatusDraft || v.Status == invoice.StatusVoid {
			continue
		}
		net = net.Add(v.Total)
		for _, note := range v.CreditNotes {
			net = net.Sub(note.Total)
		}
	}
	return net
}

// issueAll opens and issues what is due by the clock.
func (o office) issueAll() {
	GinkgoHelper()
	for _, job := range []func(*store.Tx) (bool, error){billing.OpenNext, billing.IssueNext} {
		for more := true; more; {
			o.do(func(tx *store.Tx) (err error) {
				more, err = job(tx)
				return err
			})
		}
	}
}

func instant(text string) time.Time {
	GinkgoHelper()
	at, err := period.ParseInstant(text, time.UTC)
	Expect(err).NotTo(HaveOccurred())
	return at
}

// told writes invoices as "date status: total".
func told(views []invoice.View) []string {
	texts := []string{}
	for _, v := range views {
		texts = append(texts, fmt.Sprintf("%s %s: %s", v.InvoiceDate.Format(time.DateOnly), v.Status, v.Currency.Format(v.Total)))
	}
	return texts
}
