//go:build sdk

// Command plain bills a small trace with the client that oapi-codegen makes of openapi.yaml
// without an overlay. scripts/sdk/run generates that client beside a copy of this file.
// SERVER_URL and TOLLKEEPER_API_KEY name the server.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strings"
)

const events = `{"events": [{"idempotency_key": "plain", "event_name": "call", "external_customer_id": "plain",
	"timestamp": "2025-03-01T00:00:00Z", "properties": {"n": 7}}]}`

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	c, err := NewClientWithResponses(os.Getenv("SERVER_URL"), WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		r.Header.Set("Authorization", "Bearer "+os.Getenv("TOLLKEEPER_API_KEY"))
		return nil
	}))
	if err != nil {
		return err
	}
	if _, err := c.AdvanceTestClockWithResponse(ctx, nil, TestClockAdvance{Now: "2025-03-01T00:00:00Z"}); err != nil {
		return err
	}
	item, err := c.CreateItemWithResponse(ctx, nil, ItemCreate{Name: "Calls"})
	if err != nil || item.JSON201 == nil {
		return errors.Join(err, errors.New("no item"))
	}
	metric, err := c.CreateMetricWithResponse(ctx, nil, MetricCreate{
		Name: "Calls", ItemId: item.JSON201.Id, Sql: "SELECT SUM(n) FROM events WHERE event_name = 'call'",
	})
	if err != nil || metric.JSON201 == nil {
		return errors.Join(err, errors.New("no metric"))
	}
	var price NullableNewPlanPrice
	err = price.FromNewPlanUnitPrice(NewPlanUnitPrice{
		Name: "Calls", ItemId: item.JSON201.Id, Cadence: "monthly", BillableMetricId: &metric.JSON201.Id,
		ModelType: "unit", UnitConfig: UnitConfig{UnitAmount: "0.25"},
	})
	if err != nil {
		return err
	}
	plan, err := c.CreatePlanWithResponse(ctx, nil, PlanCreate{Name: "Plain", Currency: "USD", Prices: []PlanPriceEntry{{Price: &price}}})
	if err != nil || plan.JSON201 == nil {
		return errors.Join(err, errors.New("no plan"))
	}
	alias := "plain"
	customer, err := c.CreateCustomerWithResponse(ctx, nil, CustomerCreate{Name: "Plain", Email: "bills@example.com", ExternalCustomerId: &alias})
	if err != nil || customer.JSON201 == nil {
		return errors.Join(err, errors.New("no customer"))
	}
	subscription, err := c.CreateSubscriptionWithResponse(ctx, nil, SubscriptionCreate{CustomerId: &customer.JSON201.Id, PlanId: &plan.JSON201.Id})
	if err != nil || subscription.JSON201 == nil {
		return errors.Join(err, errors.New("no subscription"))
	}
	taken, err := c.IngestWithBodyWithResponse(ctx, nil, "application/json", strings.NewReader(events))
	if err != nil || taken.JSON200 == nil {
		return errors.Join(err, errors.New("no events"))
	}
	if _, err := c.AdvanceTestClockWithResponse(ctx, nil, TestClockAdvance{Now: "2025-04-02T00:00:00Z"}); err != nil {
		return err
	}
	invoices, err := c.ListInvoicesWithResponse(ctx, &ListInvoicesParams{SubscriptionId: &subscription.JSON201.Id})
	if err != nil || invoices.JSON200 == nil {
		return errors.Join(err, errors.New("no invoices"))
	}
	if got := invoices.JSON200.Data; len(got) != 1 || got[0].Total != "1.75" {
		return fmt.Errorf("the invoices are %s, and not one of 1.75", invoices.Body)
	}
	fmt.Println("The client of oapi-codegen got an invoice of 1.75.")
	return nil
}
