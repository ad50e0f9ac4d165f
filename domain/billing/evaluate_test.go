package billing_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/charge"
	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// evaluate asks about prices in January.
func (o office) evaluate(customerID string, events []event.Inline, asked ...charge.PriceEvaluation) (evaluated []charge.Evaluated) {
	GinkgoHelper()
	Expect(o.store.View(o.ctx, func(tx *store.Tx) (err error) {
		evaluated, err = charge.Evaluate(tx, charge.Evaluation{CustomerID: &customerID, Timeframe: january, Prices: asked, Events: events})
		return err
	})).To(Succeed())
	return evaluated
}

var january = period.Period{
	Start: time.Date(2025, time.January, 1, 0, 0, 0, 0, time.UTC), End: time.Date(2025, time.February, 1, 0, 0, 0, 0, time.UTC),
}

// keep stores events of a customer, as they would be sampled.
func (o office) keep(customerID string, events []event.Inline) {
	GinkgoHelper()
	var stored []event.Event
	for k, e := range events {
		stored = append(stored, event.Event{
			Key: fmt.Sprint(customerID, " ", k), Name: e.Name, Subject: event.Subjects(customerID, nil)[0],
			Timestamp: instant(e.Timestamp), Properties: string(e.Properties),
		})
	}
	o.setting("grace_period_seconds", 100*24*60*60)
	_, err := event.NewRecorder(o.store).Record(o.ctx, stored)
	Expect(err).NotTo(HaveOccurred())
}

// worth writes what a price comes to, as "values: quantity for amount".
func worth(e charge.Evaluated) (texts []string) {
	for _, g := range e.Groups {
		texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s: %s for %s", strings.Join(g.Values, " "), g.Quantity, g.Amount)))
	}
	return texts
}

var _ = Describe("Evaluating prices", func() {
	It("comes to what an invoice charges, be a price saved or not, and the events stored or not", func() {
		o := open("2025-01-01")
		key := "region"
		grouped := o.calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 5, "unit_amount": "0.335"}, {"first_unit": 5, "last_unit": null, "unit_amount": "0.0007"}]}`)
		grouped.InvoiceGroupingKey = &key
		prices := []catalog.NewPrice{
			o.fee("9.99"),
			o.calls("unit", `{"unit_amount": "0.0335"}`),
			o.calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 3, "unit_amount": "0.335"}, {"first_unit": 3, "last_unit": null, "unit_amount": "0.0007"}]}`),
			o.calls("package", `{"package_amount": "1.5", "package_size": 7}`),
			o.calls("matrix", `{"default_unit_amount": "0.1", "dimensions": ["region", "size"], "matrix_values": [{"dimension_values": ["eu", "1"], "unit_amount": "0.25"}]}`),
			o.calls("bulk_with_filters", `{"filters": [{"property_key": "region", "property_value": "eu"}], "tiers": [{"tier_lower_bound": null, "unit_amount": "1"}, {"tier_lower_bound": "4", "unit_amount": "0.5"}]}`),
			o.calls("event_output", `{"unit_rating_key": "size", "default_unit_rate": "0.5", "grouping_key": "region"}`),
			grouped,
		}
		rapid.Check(GinkgoT(), func(r *rapid.T) {
			o.clock("2025-01-01")
			id := o.customer()
			t, _ := o.subscribe(id, "2025-01-01", prices...)
			var events []event.Inline
			for range rapid.IntRange(0, 12).Draw(r, "events") {
				hour := rapid.IntRange(0, 31*24).Draw(r, "hour") // the last one is in February
				properties := fmt.Sprintf(`{"n": %de-3`, rapid.IntRange(-500, 5000).Draw(r, "thousandths"))
				for name, values := range map[string][]string{"region": {`"eu"`, `"us"`, "7", ""}, "size": {"1", `"1"`, "2.50", "true", ""}} {
					if value := rapid.SampledFrom(values).Draw(r, name); value != "" {
						properties += fmt.Sprintf(`, %q: %s`, name, value)
					}
				}
				events = append(events, event.Inline{
					Name: "call", Timestamp: january.Start.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339), Properties: json.RawMessage(properties + "}"),
				})
			}
			o.clock("2025-02-01")
			o.keep(id, events)

			var saved, brought []charge.PriceEvaluation
			for k, i := range t.Intervals {
				price := prices[k]
				price.Currency = "USD"
				saved = append(saved, charge.PriceEvaluation{PriceID: &i.Price.ID})
				brought = append(brought, charge.PriceEvaluation{Price: &price})
			}
			of := o.evaluate(id, nil, saved...)
			for k, others := range [][]charge.Evaluated{
				o.evaluate(id, nil, brought...),
				o.evaluate(id, append([]event.Inline{}, events...), saved...),
				o.evaluate(id, append([]event.Inline{}, events...), brought...),
			} {
				for i := range of {
					if !slices.Equal(worth(of[i]), worth(others[i])) {
						r.Fatalf("way %d: %s comes to %s instead of %s", k, prices[i].ModelType, worth(others[i]), worth(of[i]))
					}
				}
			}
			o.issueAll()
			for k, i := range t.Intervals {
				for _, s := range t.ServicePeriods(january) {
					if s.Interval.ID != i.ID {
						continue
					}
					line, group := o.line(t, s), of[k].Groups[0]
					if !line.Exact.WithoutTail().Equal(group.Amount) || !line.Quantity.Equal(group.Quantity) {
						r.Fatalf("%s comes to %s instead of %s for %s", prices[k].ModelType, worth(of[k]), line.Quantity, line.Exact)
					}
				}
			}

			for k := range saved {
				if t.Intervals[k].Price.Fixed() {
					continue
				}
				byRegion := saved[k]
				byRegion.GroupingKeys = []string{"region"}
				for _, group := range o.evaluate(id, nil, byRegion)[0].Groups {
					alone, filter := saved[k], "region = "+strings.ReplaceAll(group.Values[0], `"`, "'")
					alone.Filter = &filter
					want := o.evaluate(id, nil, alone)[0].Groups[0]
					if !want.Amount.Equal(group.Amount) || !want.Quantity.Equal(group.Quantity) {
						r.Fatalf("%s: group %s comes to %s, alone to %s", prices[k].ModelType, group.Values[0], group.Amount, want.Amount)
					}
				}
			}
		})
	})
})
