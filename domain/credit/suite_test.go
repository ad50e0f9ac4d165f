package credit_test

import (
	"context"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestCredit(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "credit")
}

// fixture is an account on a database of its own, with an item and a customer in
// Los Angeles who pays in dollars. It is 10 March 2025, 09:00 UTC, 02:00 there.
type fixture struct {
	store *store.Store
	ctx   context.Context
	item  catalog.Item
	buyer customer.Customer
}

func open() *fixture {
	GinkgoHelper()
	st := storetest.Shared()
	s := &fixture{store: st, ctx: storetest.Account(st, "test")}
	s.clock("2025-03-10T09:00:00Z")
	dollars, zone := money.Currency("USD"), "America/Los_Angeles"
	s.update(func(tx *store.Tx) (err error) {
		if s.item, err = catalog.CreateItem(tx, catalog.NewItem{Name: "Calls"}); err != nil {
			return err
		}
		s.buyer, err = customer.Create(tx, customer.NewCustomer{Name: "Ada", Email: "ada@example.com", Currency: &dollars, Timezone: &zone})
		return err
	})
	return s
}

func (s *fixture) clock(now string) {
	GinkgoHelper()
	storetest.SetClock(s.store, s.ctx, instant(now))
}

// try runs fn in a transaction and returns its error.
func (s *fixture) try(fn func(tx *store.Tx) error) error { return s.store.Update(s.ctx, fn) }

// update is try for what must succeed.
func (s *fixture) update(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(s.try(fn)).To(Succeed())
}

// add gives the customer credits; change makes it another grant than of 100.
func (s *fixture) add(change func(*credit.Grant)) (entry credit.Entry, err error) {
	grant := credit.Grant{Currency: money.Credits, Amount: money.FromInt(100)}
	if change != nil {
		change(&grant)
	}
	err = s.try(func(tx *store.Tx) (err error) {
		entry, err = credit.Add(tx, s.buyer, grant)
		return err
	})
	return entry, err
}

// added is add for what must succeed.
func (s *fixture) added(change func(*credit.Grant)) credit.Entry {
	GinkgoHelper()
	entry, err := s.add(change)
	Expect(err).NotTo(HaveOccurred())
	return entry
}

// balance is what there is once the ledger is brought up to date.
func (s *fixture) balance() (text string) {
	GinkgoHelper()
	s.update(func(tx *store.Tx) error {
		ledger, err := credit.Lock(tx, s.buyer.ID, money.Credits)
		if err != nil {
			return err
		}
		if err := credit.Deduct(tx, ledger, nil, s.calendar(), false); err != nil {
			return err
		}
		balance, err := credit.Balance(tx, s.buyer.ID, money.Credits)
		text = balance.String()
		return err
	})
	return text
}

func (s *fixture) calendar() credit.Calendar {
	return credit.Calendar{Location: s.buyer.Location(), Grace: 12 * time.Hour}
}

func instant(text string) time.Time {
	GinkgoHelper()
	at, err := time.Parse(time.RFC3339, text)
	Expect(err).NotTo(HaveOccurred())
	return at.UTC()
}

// midnight is when a day begins for the customer.
func midnight(date string) *time.Time {
	GinkgoHelper()
	loc, err := time.LoadLocation("America/Los_Angeles")
	Expect(err).NotTo(HaveOccurred())
	at, err := credit.Midnight("date", date, loc)
	Expect(err).NotTo(HaveOccurred())
	return &at
}

func ref[T any](v T) *T { return &v }
