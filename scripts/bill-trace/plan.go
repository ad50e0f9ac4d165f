package main

import (
	"context"
	"net/http"

	"tollkeeper/gen"
	"tollkeeper/scripts/rig"
)

// planID is the alias of the plan that all traces are billed by.
const planID = "bill-trace"

// Lines of the invoice that a trace accounts for.
const (
	inputLine  = "Input tokens"
	outputLine = "Output tokens"
)

// Names in the events of a trace.
const (
	eventName       = "completion"
	contextProperty = "context_tokens"
	outputProperty  = "generated_tokens"
)

// plan finds the plan, or makes it with its item and metrics.
func (b *biller) plan(ctx context.Context) error {
	if _, err := get[gen.Plan](ctx, b, "/plans/external_plan_id/"+planID, nil); status(err) != http.StatusNotFound {
		return err
	}
	item, err := b.item(ctx)
	if err != nil {
		return err
	}
	input, err := b.metric(ctx, item, inputLine, contextProperty)
	if err != nil {
		return err
	}
	output, err := b.metric(ctx, item, outputLine, outputProperty)
	if err != nil {
		return err
	}
	_, err = post[gen.Plan](ctx, b, "/plans", "", object{
		"name": "Language model", "external_plan_id": planID, "currency": "USD", "prices": prices(item, input, output),
	})
	return err
}

// Creations carry an idempotency key, so that a run that was cut short and one
// that goes on from there make one item and one metric of a kind.
func (b *biller) item(ctx context.Context) (id string, err error) {
	made, err := post[gen.Item](ctx, b, "/items", "bill-trace item", gen.ItemCreate{Name: "Language model"})
	return made.ID, err
}

func (b *biller) metric(ctx context.Context, item, name, property string) (id string, err error) {
	made, err := post[gen.BillableMetric](ctx, b, "/metrics", "bill-trace metric "+property+" of "+item,
		gen.MetricCreate{Name: name, ItemID: item, SQL: "SELECT SUM(" + property + ") FROM events WHERE event_name = '" + eventName + "'"})
	return made.ID, err
}

type object = rig.Object

// prices are those of the plan: tokens in by tiers, tokens out by the unit, and
// a fee for the platform at the start of each month.
func prices(item, input, output string) (entries []object) {
	for _, price := range []object{
		{"name": inputLine, "billable_metric_id": input, "model_type": "tiered", "tiered_config": object{"tiers": []object{
			{"first_unit": 0, "last_unit": 5_000_000, "unit_amount": "0.0000025"},
			{"first_unit": 5_000_000, "last_unit": 15_000_000, "unit_amount": "0.000002"},
			{"first_unit": 15_000_000, "last_unit": nil, "unit_amount": "0.0000015"},
		}}},
		{"name": outputLine, "billable_metric_id": output, "model_type": "unit", "unit_config": object{"unit_amount": "0.00001"}},
		{"name": "Platform", "fixed_price_quantity": 1, "billed_in_advance": true, "model_type": "unit", "unit_config": object{"unit_amount": "20.00"}},
	} {
		price["item_id"], price["cadence"] = item, "monthly"
		entries = append(entries, object{"price": price})
	}
	return entries
}
