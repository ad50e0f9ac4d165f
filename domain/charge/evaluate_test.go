package charge_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/event"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// evaluate asks about prices in January.
func (o office) evaluate(customerID string, events []event.Inline, asked ...charge.PriceEvaluation) (evaluated []charge.Evaluated) {
	GinkgoHelper()
	Expect(o.Store.View(o.Ctx, func(tx *store.Tx) (err error) {
		evaluated, err = charge.Evaluate(tx, charge.Evaluation{CustomerID: &customerID, Timeframe: january, Prices: asked, Events: events})
		return err
	})).To(Succeed())
	return evaluated
}

var january = period.Period{
	Start: time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2025, time.February, 1, 0, 0, 0, 0, time.UTC),
}

// worth writes what a price comes to, as "values: quantity for amount".
func worth(e charge.Evaluated) (texts []string) {
	for _, g := range e.Groups {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s: %s for %s", strings.Join(g.Values, " "), g.Quantity, g.Amount)))
	}
	return texts
}

var _ = Describe("Evaluating prices", func() {
	It("counts only the events that have the dimensions of the price", func() {
		o := open("2025-01-01")
		id := o.Customer()
		price := o.Calls("unit", `{"unit_amount": "2"}`)
		price.Currency = "USD"
		o.Do(func(tx *store.Tx) error {
			group, err := catalog.CreateDimensionalPriceGroup(tx, catalog.NewDimensionalPriceGroup{Name: "Calls", MetricID: o.Metric, Dimensions: []string{"region", "size"}})
			price.Dimensions = &catalog.NewDimensions{GroupID: &group.ID, Values: []string{"eu", "2"}}
			return err
		})
		sampled := func(properties string) event.Inline {
			return event.Inline{Name: "call", Timestamp: "2025-01-05T00:00:00Z", Properties: json.RawMessage(properties)}
		}
		events := []event.Inline{
			sampled(`{"n": 1, "region": "eu", "size": 2}`), sampled(`{"n": 2, "region": "eu", "size": "2"}`), sampled(`{"n": 4, "region": "eu", "size": 3}`),
			sampled(`{"n": 8, "region": "us", "size": 2}`), sampled(`{"n": 16, "size": 2}`),
		}
		asked := charge.PriceEvaluation{Price: &price}
		Expect(worth(o.evaluate(id, events, asked)[0])).To(Equal([]string{": 3 for 6"}))
		asked.GroupingKeys = []string{"size", "region"}
		Expect(worth(o.evaluate(id, events, asked)[0])).To(Equal([]string{`"2" "eu": 2 for 4`, `2 "eu": 1 for 2`}))
	})

	It("refuses what a stored price cannot be asked as what the present state forbids", func() {
		o := open("2025-01-01")
		id := o.Customer()
		t := o.Subscribe(id, "2025-01-01", o.Fee("10"),
			catalog.NewPrice{Name: "Least", ItemID: o.Item, Cadence: period.CadenceMonthly, ModelType: "minimum_composite", Config: json.RawMessage(`{"minimum_amount": "5"}`)})
		fee, composite, filter := t.Intervals[0].Price.ID, t.Intervals[1].Price.ID, "n > 1"
		for _, p := range []charge.PriceEvaluation{
			{PriceID: &composite}, {PriceID: &fee, Filter: &filter}, {PriceID: &fee, GroupingKeys: []string{"n"}},
		} {
			err := o.Store.View(o.Ctx, func(tx *store.Tx) error {
				_, err := charge.Evaluate(tx, charge.Evaluation{CustomerID: &id, Timeframe: january, Prices: []charge.PriceEvaluation{p}})
				return err
			})
			Expect(fault.Is(err, fault.KindRefused)).To(BeTrue(), "%v", err)
		}
	})
})
