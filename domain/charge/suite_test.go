package charge_test

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

func TestCharge(t *testing.T) { domaintest.RunSuite(t, "charge", 15) }

// testAccount is an account whose customers subscribe, and have no invoices.
type testAccount struct{ domaintest.Account }

// open makes an account whose clock is set to that instant.
func open(now string) testAccount {
	GinkgoHelper()
	return testAccount{domaintest.Open(now)}
}

// costs reads the costs of a subscription.
func (a testAccount) costs(t subscription.Terms, q charge.CostQuery) (all []charge.Cost) {
	GinkgoHelper()
	a.Do(func(tx *store.Tx) (err error) {
		q.InvoicesOf = func(*store.Tx, subscription.Terms) (charge.Invoices, error) { return charge.Invoices{}, nil } // there are none
		all, err = charge.Costs(tx, t, q)
		return err
	})
	return all
}

// days writes costs as "first to end: total".
func days(costs []charge.Cost) []string {
	texts := []string{}
	for _, c := range costs {
		texts = append(texts, fmt.Sprintf("%s to %s: %s", c.Window.Start.Format("01-02"), c.Window.End.Format("01-02"), c.Currency.Format(c.Total)))
	}
	return texts
}

// amounts writes costs as "first to end: quantity, subtotal, total".
func amounts(costs []charge.Cost) []string {
	texts := []string{}
	for _, c := range costs {
		texts = append(texts, fmt.Sprintf("%s to %s: %s, %s, %s", c.Window.Start.Format("01-02"), c.Window.End.Format("01-02"),
			c.Prices[0].Quantity, c.Currency.Format(c.Subtotal), c.Currency.Format(c.Total)))
	}
	return texts
}

func at(text string) *time.Time {
	t := domaintest.Instant(text)
	return &t
}
