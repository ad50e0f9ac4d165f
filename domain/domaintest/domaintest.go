// Package domaintest makes test accounts for the specs of the packages above subscription and
// event: an account with an item and a metric, whose customers subscribe to plans and send
// events. It makes no invoices.
//
// Each account is one of its own on the database that all specs of a process share, so no spec
// sees what another did. Its clock is where the spec sets it, and nothing that falls due is
// done by itself.
package domaintest

import (
	"context"
	"encoding/json"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

// Account is a test account with an item and a metric that sums the property n of events "call".
type Account struct {
	Store  *store.Store
	Ctx    context.Context // transactions of the account
	Item   string
	Metric string
}

// Open makes an account whose clock is set to an instant, which is in UTC unless it says else.
func Open(now string) Account {
	GinkgoHelper()
	return OpenOn(storetest.Shared(), now)
}

// OpenOn is Open on a database of the spec's own.
func OpenOn(st *store.Store, now string) Account {
	GinkgoHelper()
	a := Account{Store: st}
	a.Ctx = storetest.Account(a.Store, "test")
	a.Clock(now)
	a.Do(func(tx *store.Tx) error {
		item, err := catalog.CreateItem(tx, catalog.NewItem{Name: "Calls"})
		if err != nil {
			return err
		}
		metric, err := catalog.CreateMetric(tx, catalog.NewMetric{
			Name: "Calls", ItemID: item.ID, SQL: "SELECT SUM(n) FROM events WHERE event_name = 'call'",
		})
		a.Item, a.Metric = item.ID, metric.ID
		return err
	})
	return a
}

// Clock sets the clock, without doing what falls due.
func (a Account) Clock(now string) {
	GinkgoHelper()
	storetest.SetClock(a.Store, a.Ctx, Instant(now))
}

// Try runs fn in a transaction and returns its error.
func (a Account) Try(fn func(tx *store.Tx) error) error { return a.Store.Update(a.Ctx, fn) }

// Do is Try for what must succeed.
func (a Account) Do(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(a.Try(fn)).To(Succeed())
}

// All does units of due work until none is left, and returns how many there were.
func (a Account) All(job func(tx *store.Tx) (more bool, err error)) (done int) {
	GinkgoHelper()
	for more := true; more; done++ {
		a.Do(func(tx *store.Tx) (err error) {
			more, err = job(tx)
			return err
		})
	}
	return done - 1
}

// Next asks a job when its next unit is due, at or before an instant. It is "" when none is, else
// the instant in UTC without seconds.
func (a Account) Next(find func(*store.Tx, time.Time) (time.Time, bool, error), by string) (at string) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) error {
		found, ok, err := find(tx, Instant(by))
		if ok {
			at = found.UTC().Format("2006-01-02T15:04")
		}
		return err
	})
	return at
}

// Setting changes a setting of the account.
func (a Account) Setting(name string, value any) {
	GinkgoHelper()
	Expect(a.Store.AsOwner(a.Ctx, func(db *gorm.DB) error {
		return db.Exec("UPDATE accounts SET "+name+" = ? WHERE id = ?", value, store.AccountID(a.Ctx)).Error
	})).To(Succeed())
}

// Fee is a monthly fixed fee in advance.
func (a Account) Fee(amount string) catalog.NewPrice {
	return catalog.NewPrice{
		Name: "Fee", ItemID: a.Item, Cadence: period.CadenceMonthly,
		ModelType: "unit", Config: json.RawMessage(`{"unit_amount": "` + amount + `"}`),
	}
}

// Calls is a monthly usage price.
func (a Account) Calls(model, config string) catalog.NewPrice {
	return catalog.NewPrice{
		Name: "Calls", ItemID: a.Item, MetricID: &a.Metric, Cadence: period.CadenceMonthly,
		ModelType: model, Config: json.RawMessage(config),
	}
}

// Grants is a price that grants so many credits each month, which expire at its end.
func (a Account) Grants(amount, costBasis string) catalog.NewPrice {
	expires := true
	return catalog.NewPrice{Allocation: &catalog.NewAllocation{
		Amount: money.Must(amount), Currency: money.Credits, Cadence: period.CadenceMonthly,
		ExpiresAtEndOfCadence: &expires, PerUnitCostBasis: costBasis,
	}}
}

// Customer makes a customer in UTC.
func (a Account) Customer() string {
	GinkgoHelper()
	return a.CustomerIn("UTC").ID
}

// CustomerIn makes a customer in a time zone, who pays in dollars.
func (a Account) CustomerIn(zone string) (made customer.Customer) {
	GinkgoHelper()
	dollars := money.Currency("USD")
	a.Do(func(tx *store.Tx) (err error) {
		made, err = customer.Create(tx, customer.NewCustomer{Name: "Acme", Email: "bills@acme.test", Timezone: &zone, Currency: &dollars})
		return err
	})
	return made
}

// Plan makes a plan in dollars. What is left empty is filled in.
func (a Account) Plan(plan catalog.NewPlan) (made catalog.Plan) {
	GinkgoHelper()
	plan.Name, plan.Currency, plan.Status = "Plan", "USD", catalog.PlanActive
	a.Do(func(tx *store.Tx) (err error) {
		made, err = catalog.CreatePlan(tx, plan)
		return err
	})
	return made
}

// Sell subscribes a customer to a new plan from a date on.
func (a Account) Sell(customerID, start string, plan catalog.NewPlan) (terms subscription.Terms) {
	GinkgoHelper()
	return a.SellPlan(customerID, start, a.Plan(plan).ID)
}

// SellPlan subscribes a customer to a plan from a date on.
func (a Account) SellPlan(customerID, start, planID string) (terms subscription.Terms) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) (err error) {
		terms, err = subscription.Create(tx, subscription.NewSubscription{CustomerID: &customerID, PlanID: &planID, StartDate: &start})
		return err
	})
	return terms
}

// Subscribe subscribes a customer to a new plan of those prices.
func (a Account) Subscribe(customerID, start string, prices ...catalog.NewPrice) subscription.Terms {
	GinkgoHelper()
	return a.Sell(customerID, start, catalog.NewPlan{Prices: Listed(prices...)})
}

// Listed are the entries of a plan without phases.
func Listed(prices ...catalog.NewPrice) (entries []catalog.PlanPrice) {
	for _, price := range prices {
		entries = append(entries, catalog.PlanPrice{Price: price})
	}
	return entries
}

// Record records an event of a customer for each number, at an instant, where the clock stands
// afterwards.
func (a Account) Record(customerID, when string, numbers ...string) {
	GinkgoHelper()
	a.Clock(when)
	a.RecordLate(customerID, when, numbers...)
}

// RecordLate is Record without moving the clock.
func (a Account) RecordLate(customerID, when string, numbers ...string) {
	GinkgoHelper()
	var events []event.Event
	for _, n := range numbers {
		events = append(events, event.Event{
			Key: store.NewID("event"), Name: "call",
			Subject: event.Subjects(customerID, nil)[0], Timestamp: Instant(when), Properties: `{"n": ` + n + `}`,
		})
	}
	outcome, err := event.NewRecorder(a.Store).Record(a.Ctx, events)
	Expect(err).NotTo(HaveOccurred())
	Expect(outcome.Ingested).To(HaveLen(len(numbers)))
}

// Instant reads an instant or a date, which are in UTC unless they say else.
func Instant(text string) time.Time {
	at, err := period.ParseInstant(text, time.UTC)
	if err != nil {
		panic(text + ": " + err.Error())
	}
	return at
}
