package catalog_test

import (
	"context"
	"encoding/json"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestCatalog(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "catalog")
}

// shop is an account on a database of its own, with an item and a metric.
type shop struct {
	store  *store.Store
	ctx    context.Context
	item   catalog.Item
	metric catalog.Metric
}

func open() *shop {
	GinkgoHelper()
	st := storetest.New()
	s := &shop{store: st, ctx: storetest.Account(st, "test")}
	s.update(func(tx *store.Tx) (err error) {
		if s.item, err = catalog.CreateItem(tx, catalog.NewItem{Name: "Calls"}); err != nil {
			return err
		}
		s.metric, err = catalog.CreateMetric(tx, catalog.NewMetric{Name: "Calls", ItemID: s.item.ID, SQL: "SELECT COUNT(*) FROM events"})
		return err
	})
	return s
}

// try runs fn in a transaction and returns its error.
func (s *shop) try(fn func(tx *store.Tx) error) error { return s.store.Update(s.ctx, fn) }

// update is try for what must succeed.
func (s *shop) update(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(s.try(fn)).To(Succeed())
}

// fee is a fixed fee of 10 a month; change makes it another price.
func (s *shop) fee(change func(*catalog.NewPrice)) catalog.NewPrice {
	p := catalog.NewPrice{
		Name: "Fee", ItemID: s.item.ID, Cadence: period.CadenceMonthly, Currency: "USD",
		ModelType: "unit", Config: json.RawMessage(`{"unit_amount": "10.00"}`),
	}
	if change != nil {
		change(&p)
	}
	return p
}

// plan is one in dollars with those prices.
func (s *shop) plan(alias string, prices ...catalog.NewPrice) (plan catalog.Plan) {
	GinkgoHelper()
	s.update(func(tx *store.Tx) (err error) {
		plan, err = catalog.CreatePlan(tx, catalog.NewPlan{
			Name: "Pro", ExternalPlanID: &alias, Currency: "USD", Status: catalog.PlanActive, Prices: placed(prices...),
		})
		return err
	})
	return plan
}

// placed are the entries of prices that have nothing beside them.
func placed(prices ...catalog.NewPrice) []catalog.PlanPrice {
	entries := make([]catalog.PlanPrice, len(prices))
	for i, price := range prices {
		entries[i].Price = price
	}
	return entries
}

func ref[T any](v T) *T { return &v }

var two = money.FromInt(2)
