package domaintest

import (
	"encoding/json"
	"fmt"
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/event"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
)

// January is the month in which specs evaluate prices, in UTC.
var January = period.Period{Start: Instant("2025-01-01"), End: Instant("2025-02-01")}

// SellNew subscribes a new customer to a new plan from a date on.
func (a Account) SellNew(start string, plan catalog.NewPlan) (customerID string, terms subscription.Terms) {
	GinkgoHelper()
	customerID = a.Customer()
	return customerID, a.Sell(customerID, start, plan)
}

// Adjustment is an adjustment on all prices of a plan.
func (a Account) Adjustment(kind rating.AdjustmentKind, value string) catalog.PlanAdjustment {
	in := catalog.NewAdjustment{Kind: kind, Value: money.Must(value)}
	if kind == rating.Minimum {
		in.ItemID = &a.Item
	}
	return catalog.PlanAdjustment{Adjustment: in}
}

// SamplePrices are a fee and usage prices of the kinds of models: for the quantity, by tiers, by
// packages, by properties of the events, by single events, and by groups of events.
func (a Account) SamplePrices() []catalog.NewPrice {
	region := "region"
	grouped := a.Calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 5, "unit_amount": "0.335"}, {"first_unit": 5, "last_unit": null, "unit_amount": "0.0007"}]}`)
	grouped.InvoiceGroupingKey = &region
	return []catalog.NewPrice{
		a.Fee("9.99"),
		a.Calls("unit", `{"unit_amount": "0.0335"}`),
		a.Calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 3, "unit_amount": "0.335"}, {"first_unit": 3, "last_unit": null, "unit_amount": "0.0007"}]}`),
		a.Calls("package", `{"package_amount": "1.5", "package_size": 7}`),
		a.Calls("matrix", `{"default_unit_amount": "0.1", "dimensions": ["region", "size"], "matrix_values": [{"dimension_values": ["eu", "1"], "unit_amount": "0.25"}]}`),
		a.Calls("bulk_with_filters", `{"filters": [{"property_key": "region", "property_value": "eu"}], "tiers": [{"tier_lower_bound": null, "unit_amount": "1"}, {"tier_lower_bound": "4", "unit_amount": "0.5"}]}`),
		a.Calls("event_output", `{"unit_rating_key": "size", "default_unit_rate": "0.5", "grouping_key": "region"}`),
		grouped,
	}
}

// GenerateCalls generates up to twelve events of January, and of the first instant of February,
// with properties of several types that [Account.SamplePrices] read.
func GenerateCalls(r *rapid.T) (events []event.Inline) {
	for range rapid.IntRange(0, 12).Draw(r, "events") {
		hour := rapid.IntRange(0, 31*24).Draw(r, "hour") // the last one is in February
		properties := fmt.Sprintf(`{"n": %de-3`, rapid.IntRange(-500, 5000).Draw(r, "thousandths"))
		for name, values := range map[string][]string{"region": {`"eu"`, `"us"`, "7", ""}, "size": {"1", `"1"`, "2.50", "true", ""}} {
			if value := rapid.SampledFrom(values).Draw(r, name); value != "" {
				properties += fmt.Sprintf(`, %q: %s`, name, value)
			}
		}
		events = append(events, event.Inline{
			Name: "call", Timestamp: January.Start.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339), Properties: json.RawMessage(properties + "}"),
		})
	}
	return events
}

// RecordInline records events of a customer that a price evaluation could be given, however long
// ago they were.
func (a Account) RecordInline(customerID string, events []event.Inline) {
	GinkgoHelper()
	var stored []event.Event
	for k, e := range events {
		stored = append(stored, event.Event{
			Key: fmt.Sprint(customerID, " ", k), Name: e.Name, Subject: event.Subjects(customerID, nil)[0],
			Timestamp: Instant(e.Timestamp), Properties: string(e.Properties),
		})
	}
	a.Setting("grace_period_seconds", 100*24*60*60)
	_, err := event.NewRecorder(a.Store).Record(a.Ctx, stored)
	Expect(err).NotTo(HaveOccurred())
}

// CallsInCredits is a monthly usage price of half a credit a call, which converts to money by tiers: the
// first 50 credits at 0.10, others at 0.08.
func (a Account) CallsInCredits() catalog.NewPrice {
	price := a.Calls("unit", `{"unit_amount": "0.5"}`)
	price.Currency = money.Credits
	price.ConversionRateConfig = json.RawMessage(`{"conversion_rate_type": "tiered", "tiered_config": {"tiers": [
		{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"}, {"first_unit": 50, "last_unit": null, "unit_amount": "0.08"}]}}`)
	return price
}
