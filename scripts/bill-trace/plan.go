package main

import (
	"context"
	"encoding/json"
	"net/http"

	"tollkeeper/gen"
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
	found, err := b.api.FetchPlanByExternalIDWithResponse(ctx, planID)
	if err != nil {
		return err
	}
	if _, err = granted(found.JSON200, found); status(err) != http.StatusNotFound {
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
	prices, err := prices(item, input, output)
	if err != nil {
		return err
	}
	made, err := b.api.CreatePlanWithResponse(ctx, nil, gen.PlanCreate{
		Name: "Language model", ExternalPlanID: pointer(planID), Currency: "USD", Prices: prices,
	})
	if err != nil {
		return err
	}
	_, err = granted(made.JSON201, made)
	return err
}

// Creations carry an idempotency key, so that a run that was cut short and one
// that goes on from there make one item and one metric of a kind.
func (b *biller) item(ctx context.Context) (id string, err error) {
	made, err := b.api.CreateItemWithResponse(ctx,
		&gen.CreateItemParams{IdempotencyKey: pointer("bill-trace item")}, gen.ItemCreate{Name: "Language model"})
	if err != nil {
		return "", err
	}
	item, err := granted(made.JSON201, made)
	if err != nil {
		return "", err
	}
	return item.ID, nil
}

func (b *biller) metric(ctx context.Context, item, name, property string) (id string, err error) {
	made, err := b.api.CreateMetricWithResponse(ctx,
		&gen.CreateMetricParams{IdempotencyKey: pointer("bill-trace metric " + property + " of " + item)},
		gen.MetricCreate{Name: name, ItemID: item, SQL: "SELECT SUM(" + property + ") FROM events WHERE event_name = '" + eventName + "'"})
	if err != nil {
		return "", err
	}
	metric, err := granted(made.JSON201, made)
	if err != nil {
		return "", err
	}
	return metric.ID, nil
}

// prices are those of the plan: tokens in by tiers, tokens out by the unit, and
// a fee for the platform at the start of each month.
func prices(item, input, output string) ([]gen.PlanPriceEntry, error) {
	var tokensIn, tokensOut, platform gen.NullableNewPlanPrice
	base := func(name string) gen.NewPlanPriceBase {
		return gen.NewPlanPriceBase{NewPriceBase: gen.NewPriceBase{Name: name, ItemID: item, Cadence: gen.CadenceMonthly}}
	}
	in := gen.NewPlanTieredPrice{NewPlanPriceBase: base(inputLine)}
	in.BillableMetricID = &input
	in.ModelType = gen.TieredModelTiered
	in.TieredConfig.Tiers = []gen.Tier{
		{FirstUnit: "0", LastUnit: pointer(json.Number("5000000")), UnitAmount: "0.0000025"},
		{FirstUnit: "5000000", LastUnit: pointer(json.Number("15000000")), UnitAmount: "0.000002"},
		{FirstUnit: "15000000", UnitAmount: "0.0000015"},
	}
	if err := tokensIn.FromNewPlanTieredPrice(in); err != nil {
		return nil, err
	}
	out := gen.NewPlanUnitPrice{NewPlanPriceBase: base(outputLine)}
	out.BillableMetricID = &output
	out.ModelType = gen.UnitModelUnit
	out.UnitConfig.UnitAmount = "0.00001"
	if err := tokensOut.FromNewPlanUnitPrice(out); err != nil {
		return nil, err
	}
	fee := gen.NewPlanUnitPrice{NewPlanPriceBase: base("Platform")}
	fee.FixedPriceQuantity = pointer(json.Number("1"))
	fee.BilledInAdvance = pointer(true)
	fee.ModelType = gen.UnitModelUnit
	fee.UnitConfig.UnitAmount = "20.00"
	if err := platform.FromNewPlanUnitPrice(fee); err != nil {
		return nil, err
	}
	return []gen.PlanPriceEntry{{Price: &tokensIn}, {Price: &tokensOut}, {Price: &platform}}, nil
}
