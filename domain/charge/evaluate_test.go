package charge_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// evaluate asks about prices in January.
func (a testAccount) evaluate(customerID string, events []event.Inline, asked ...charge.PriceEvaluation) (evaluated []charge.Evaluated) {
	GinkgoHelper()
	Expect(a.Store.View(a.Ctx, func(tx *store.Tx) (err error) {
		evaluated, err = charge.Evaluate(tx, charge.Evaluation{CustomerID: &customerID, Timeframe: domaintest.January, Prices: asked, Events: events})
		return err
	})).To(Succeed())
	return evaluated
}

// groups writes the groups of an evaluated price as "values: quantity for amount".
func groups(e charge.Evaluated) (texts []string) {
	for _, g := range e.Groups {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s: %s for %s", strings.Join(g.Values, " "), g.Quantity, g.Amount)))
	}
	return texts
}

var _ = Describe("Evaluating prices", func() {
	It("gives the same for a price saved or not, and events stored or not; a group is what its filter gives alone", func() {
		a := open("2025-01-01")
		prices := a.SamplePrices()
		rapid.Check(GinkgoT(), func(r *rapid.T) {
			a.Clock("2025-01-01")
			id := a.Customer()
			t := a.Subscribe(id, "2025-01-01", prices...)
			events := domaintest.GenerateCalls(r)
			a.Clock("2025-02-01")
			a.RecordInline(id, events)

			var saved, unsaved []charge.PriceEvaluation
			for k, i := range t.Intervals {
				price := prices[k]
				price.Currency = "USD"
				saved = append(saved, charge.PriceEvaluation{PriceID: &i.Price.ID})
				unsaved = append(unsaved, charge.PriceEvaluation{Price: &price})
			}
			want := a.evaluate(id, nil, saved...)
			for way, others := range map[string][]charge.Evaluated{
				"unsaved prices": a.evaluate(id, nil, unsaved...),
				"given events":   a.evaluate(id, append([]event.Inline{}, events...), saved...),
				"both":           a.evaluate(id, append([]event.Inline{}, events...), unsaved...),
			} {
				for i := range want {
					if !slices.Equal(groups(want[i]), groups(others[i])) {
						r.Fatalf("%s: %s gives %s instead of %s", way, prices[i].ModelType, groups(others[i]), groups(want[i]))
					}
				}
			}

			for k := range saved {
				if t.Intervals[k].Price.Fixed() {
					continue
				}
				byRegion := saved[k]
				byRegion.GroupingKeys = []string{"region"}
				for _, group := range a.evaluate(id, nil, byRegion)[0].Groups {
					alone, filter := saved[k], "region = "+strings.ReplaceAll(group.Values[0], `"`, "'")
					alone.Filter = &filter
					want := a.evaluate(id, nil, alone)[0].Groups[0]
					if !want.Amount.Equal(group.Amount) || !want.Quantity.Equal(group.Quantity) {
						r.Fatalf("%s: group %s has %s, alone %s", prices[k].ModelType, group.Values[0], group.Amount, want.Amount)
					}
				}
			}
		})
	})

	It("counts only the events that have the dimensions of the price", func() {
		a := open("2025-01-01")
		id := a.Customer()
		price := a.Calls("unit", `{"unit_amount": "2"}`)
		price.Currency = "USD"
		a.Do(func(tx *store.Tx) error {
			group, err := catalog.CreateDimensionalPriceGroup(tx, catalog.NewDimensionalPriceGroup{Name: "Calls", MetricID: a.Metric, Dimensions: []string{"region", "size"}})
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
		Expect(groups(a.evaluate(id, events, asked)[0])).To(Equal([]string{": 3 for 6"}))
		asked.GroupingKeys = []string{"size", "region"}
		Expect(groups(a.evaluate(id, events, asked)[0])).To(Equal([]string{`"2" "eu": 2 for 4`, `2 "eu": 1 for 2`}))
	})

	It("refuses what a stored price cannot be asked as what the present state forbids", func() {
		a := open("2025-01-01")
		id := a.Customer()
		t := a.Subscribe(id, "2025-01-01", a.Fee("10"),
			catalog.NewPrice{Name: "Least", ItemID: a.Item, Cadence: period.CadenceMonthly, ModelType: "minimum_composite", Config: json.RawMessage(`{"minimum_amount": "5"}`)})
		fee, composite, filter := t.Intervals[0].Price.ID, t.Intervals[1].Price.ID, "n > 1"
		for _, p := range []charge.PriceEvaluation{
			{PriceID: &composite}, {PriceID: &fee, Filter: &filter}, {PriceID: &fee, GroupingKeys: []string{"n"}},
		} {
			err := a.Store.View(a.Ctx, func(tx *store.Tx) error {
				_, err := charge.Evaluate(tx, charge.Evaluation{CustomerID: &id, Timeframe: domaintest.January, Prices: []charge.PriceEvaluation{p}})
				return err
			})
			Expect(fault.Is(err, fault.KindRefused)).To(BeTrue(), "%v", err)
		}
	})
})
