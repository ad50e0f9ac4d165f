package catalog_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"gorm.io/gorm/logger"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
	"tollkeeper/store/storetest"
)

func TestCatalog(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "catalog")
}

// fixture is an account of its own, with an item and a metric.
type fixture struct {
	store  *store.Store
	ctx    context.Context
	item   catalog.Item
	metric catalog.Metric
}

func open() *fixture {
	GinkgoHelper()
	st := storetest.Shared()
	s := &fixture{store: st, ctx: storetest.Account(st, "test")}
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
func (s *fixture) try(fn func(tx *store.Tx) error) error { return s.store.Update(s.ctx, fn) }

// update is try for what must succeed.
func (s *fixture) update(fn func(tx *store.Tx) error) {
	GinkgoHelper()
	Expect(s.try(fn)).To(Succeed())
}

// measure is a metric of that SQL.
func (s *fixture) measure(sql string) (m catalog.Metric) {
	GinkgoHelper()
	s.update(func(tx *store.Tx) (err error) {
		m, err = catalog.CreateMetric(tx, catalog.NewMetric{Name: sql, ItemID: s.item.ID, SQL: sql})
		return err
	})
	return m
}

// group partitions the fixture's metric.
func (s *fixture) group(alias string, dimensions ...string) (group catalog.DimensionalPriceGroup) {
	GinkgoHelper()
	s.update(func(tx *store.Tx) (err error) {
		group, err = catalog.CreateDimensionalPriceGroup(tx, catalog.NewDimensionalPriceGroup{
			Name: alias, ExternalDimensionalPriceGroupID: &alias, MetricID: s.metric.ID, Dimensions: dimensions,
		})
		return err
	})
	return group
}

// fee is a fixed fee of 10 a month; change makes it another price.
func (s *fixture) fee(change func(*catalog.NewPrice)) catalog.NewPrice {
	p := catalog.NewPrice{
		Name: "Fee", ItemID: s.item.ID, Cadence: period.CadenceMonthly, Currency: "USD",
		ModelType: "unit", Config: json.RawMessage(`{"unit_amount": "10.00"}`),
	}
	if change != nil {
		change(&p)
	}
	return p
}

// named is a fee with that name, in the plan's currency.
func (s *fixture) named(name string) catalog.NewPrice {
	return s.fee(func(p *catalog.NewPrice) { p.Name, p.Currency = name, "" })
}

// plan is one in dollars with those prices.
func (s *fixture) plan(alias string, prices ...catalog.NewPrice) (plan catalog.Plan) {
	GinkgoHelper()
	s.update(func(tx *store.Tx) (err error) {
		plan, err = catalog.CreatePlan(tx, catalog.NewPlan{
			Name: "Pro", ExternalPlanID: &alias, Currency: "USD", Status: catalog.PlanActive, Prices: placed(prices...),
		})
		return err
	})
	return plan
}

// version loads a version of a plan.
func (s *fixture) version(plan catalog.Plan, number int) (version catalog.PlanVersion) {
	GinkgoHelper()
	s.update(func(tx *store.Tx) (err error) {
		version, err = catalog.FindVersion(tx, plan.ID, number)
		return err
	})
	return version
}

// change makes a version of a plan.
func (s *fixture) change(plan catalog.Plan, in catalog.NewVersion) (made catalog.PlanVersion) {
	GinkgoHelper()
	s.update(func(tx *store.Tx) (err error) {
		made, err = catalog.CreateVersion(tx, plan.ID, in)
		return err
	})
	return made
}

// refuse is change for what must fail.
func (s *fixture) refuse(plan catalog.Plan, in catalog.NewVersion) error {
	GinkgoHelper()
	err := s.try(func(tx *store.Tx) error {
		_, err := catalog.CreateVersion(tx, plan.ID, in)
		return err
	})
	Expect(err).To(HaveOccurred())
	return err
}

// half is a discount of half of everything.
func half() catalog.NewAdjustment {
	return catalog.NewAdjustment{Kind: rating.PercentageDiscount, Value: money.Must("0.5"), InvoiceLevel: true}
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

// counter counts the statements of a transaction.
type counter struct {
	logger.Interface
	statements *int
}

// Trace is called after each statement.
func (c counter) Trace(context.Context, time.Time, func() (string, int64), error) { *c.statements++ }
