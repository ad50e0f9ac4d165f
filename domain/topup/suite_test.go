package topup_test

import (
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/topup"
	"tollkeeper/store"
)

func TestTopUp(t *testing.T) { domaintest.RunSuite(t, "top-ups", 30) }

// buyer is a customer of an account of its own.
type buyer struct {
	domaintest.Account
	customer.Customer
}

// open makes a customer in a time zone. The clock is set to that instant.
func open(now, zone string) buyer {
	GinkgoHelper()
	a := domaintest.Open(now)
	return buyer{a, a.CustomerIn(zone)}
}

// asked is the top-up of TU-1, changed.
func asked(change func(*topup.NewTopUp)) topup.NewTopUp {
	in := topup.NewTopUp{Currency: money.Credits, Threshold: "20", Amount: "100", PerUnitCostBasis: "0.10"}
	if change != nil {
		change(&in)
	}
	return in
}

// agree makes a top-up, which may be refused.
func (b buyer) agree(change func(*topup.NewTopUp)) (made topup.TopUp, err error) {
	err = b.Try(func(tx *store.Tx) (err error) {
		made, err = topup.Create(tx, b.ID, asked(change))
		return err
	})
	return made, err
}

// agreed is agree for what must succeed.
func (b buyer) agreed(change func(*topup.NewTopUp)) topup.TopUp {
	GinkgoHelper()
	made, err := b.agree(change)
	Expect(err).NotTo(HaveOccurred())
	return made
}

// look notes that the balance of a top-up was looked at, as it is now.
func (b buyer) look(t topup.TopUp) {
	GinkgoHelper()
	b.Do(func(tx *store.Tx) error {
		ledger, err := credit.Lock(tx, t.CustomerID, t.Currency)
		if err != nil {
			return err
		}
		return t.Look(tx, ledger.Changes)
	})
}

// add gives the customer credits.
func (b buyer) add(amount int64) {
	GinkgoHelper()
	b.Do(func(tx *store.Tx) error {
		_, err := credit.Add(tx, b.Customer, credit.Grant{Currency: money.Credits, Amount: money.FromInt(amount)})
		return err
	})
}

// thresholds are those of the top-ups that the customer has, newest first.
func (b buyer) thresholds() []string {
	GinkgoHelper()
	texts := []string{}
	b.Do(func(tx *store.Tx) error {
		all, _, err := topup.List(tx, b.ID, store.Page{Limit: 100})
		for _, t := range all {
			texts = append(texts, t.Threshold+" "+string(t.Currency))
		}
		return err
	})
	return texts
}

var instant = domaintest.Instant

func ref[T any](v T) *T { return &v }
