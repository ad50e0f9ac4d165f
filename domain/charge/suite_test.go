package charge_test

import (
	"flag"
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

func TestCharge(t *testing.T) {
	if err := flag.Set("rapid.checks", "15"); err != nil { // each is a dozen transactions
		t.Fatal(err)
	}
	RegisterFailHandler(Fail)
	RunSpecs(t, "charge")
}

// office is a test account whose customers subscribe, and have no invoices.
type office struct{ domaintest.Account }

func open(now string) office {
	GinkgoHelper()
	return office{domaintest.Open(now)}
}

// sell subscribes a new customer to a plan.
func (o office) sell(start string, plan catalog.NewPlan) (id string, t subscription.Terms) {
	GinkgoHelper()
	id = o.Customer()
	return id, o.Sell(id, start, plan)
}

// costs reads the costs of a subscription.
func (o office) costs(t subscription.Terms, q charge.CostQuery) (all []charge.Cost) {
	GinkgoHelper()
	o.Do(func(tx *store.Tx) (err error) {
		q.InvoicesOf = func(*store.Tx, string) (charge.Invoices, error) { return charge.Invoices{}, nil } // there are none
		all, err = charge.Costs(tx, t, q)
		return err
	})
	return all
}

// adjusted is an adjustment on all prices of the plan.
func (o office) adjusted(kind rating.AdjustmentKind, value string) catalog.PlanAdjustment {
	a := catalog.NewAdjustment{Kind: kind, Value: money.Must(value)}
	if kind == rating.Minimum {
		a.ItemID = &o.Item
	}
	return catalog.PlanAdjustment{Adjustment: a}
}

// days writes costs as "first to end: total".
func days(costs []charge.Cost) []string {
	texts := []string{}
	for _, c := range costs {
		texts = append(texts, fmt.Sprintf("%s to %s: %s", c.Window.Start.Format("01-02"), c.Window.End.Format("01-02"), c.Currency.Format(c.Total)))
	}
	return texts
}

// worths writes costs as "first to end: quantity, subtotal, total".
func worths(costs []charge.Cost) []string {
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
