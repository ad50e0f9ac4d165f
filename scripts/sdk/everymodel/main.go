//go:build sdk

// Command everymodel makes a plan with every price model through the client that oapi-codegen makes of
// openapi.yaml without an overlay, and decodes it again. scripts/sdk/run generates that client beside a
// copy of this file. The configurations, domain/domaintest/price_configs.json, come in on stdin. SERVER_URL and
// TOLLKEEPER_API_KEY name the server.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	var configs map[string]json.RawMessage
	if err := json.NewDecoder(os.Stdin).Decode(&configs); err != nil {
		return err
	}
	client, err := NewClientWithResponses(os.Getenv("SERVER_URL"), WithRequestEditorFn(
		func(_ context.Context, r *http.Request) error {
			r.Header.Set("Authorization", "Bearer "+os.Getenv("TOLLKEEPER_API_KEY"))
			return nil
		}))
	if err != nil {
		return err
	}
	prices, err := entries(ctx, client, configs)
	if err != nil {
		return err
	}
	plan, err := client.CreatePlanWithResponse(ctx, nil, PlanCreate{Name: "Every model", Currency: "USD", Prices: prices})
	if err != nil {
		return err
	}
	if plan.JSON201 == nil {
		return fmt.Errorf("create a plan: %s", plan.Body)
	}
	for _, price := range plan.JSON201.Prices {
		if err := same(price, configs); err != nil {
			return err
		}
	}
	fmt.Printf("The Go client read back a plan with %d models.\n", len(plan.JSON201.Prices))
	return nil
}

// entries are prices of all models, for usage unless they charge for other prices.
func entries(ctx context.Context, client *ClientWithResponses, configs map[string]json.RawMessage) (all []PlanPriceEntry, err error) {
	item, err := client.CreateItemWithResponse(ctx, nil, ItemCreate{Name: "Everything"})
	if err != nil || item.JSON201 == nil {
		return nil, fmt.Errorf("create an item: %w", err)
	}
	metric, err := client.CreateMetricWithResponse(ctx, nil, MetricCreate{
		Name: "Calls", ItemId: item.JSON201.Id, Sql: "SELECT COUNT(*) FROM events",
	})
	if err != nil || metric.JSON201 == nil {
		return nil, fmt.Errorf("create a metric: %w", err)
	}
	for model, config := range configs {
		price := map[string]any{
			"name": model, "item_id": item.JSON201.Id, "cadence": "monthly", "model_type": model, model + "_config": config,
		}
		if model != "minimum_composite" && model != "percent" {
			price["billable_metric_id"] = metric.JSON201.Id
		}
		text, err := json.Marshal(price)
		if err != nil {
			return nil, err
		}
		var union NullableNewPlanPrice
		if err := union.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		all = append(all, PlanPriceEntry{Price: &union})
	}
	return all, nil
}

// same decodes a price as the variant it says it is, and compares its configuration
// with what was sent.
func same(price Price, configs map[string]json.RawMessage) error {
	variant, err := price.ValueByDiscriminator()
	if err != nil {
		return err
	}
	text, err := json.Marshal(variant)
	if err != nil {
		return err
	}
	var shown map[string]json.RawMessage
	if err := json.Unmarshal(text, &shown); err != nil {
		return err
	}
	model, err := price.Discriminator()
	if err != nil {
		return err
	}
	if got, want := plain(shown[model+"_config"]), plain(configs[model]); !bytes.Equal(got, want) {
		return fmt.Errorf("%s came back as %s, and was %s", model, got, want)
	}
	return nil
}

// plain writes JSON with sorted members, without those that are null: a field that is
// left out and one that is null say the same.
func plain(text json.RawMessage) []byte {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return nil
	}
	text, _ = json.Marshal(withoutNulls(value)) // what was decoded can be encoded
	return text
}

func withoutNulls(value any) any {
	switch v := value.(type) {
	case map[string]any:
		for key, member := range v {
			if member == nil {
				delete(v, key)
				continue
			}
			v[key] = withoutNulls(member)
		}
	case []any:
		for i := range v {
			v[i] = withoutNulls(v[i])
		}
	}
	return value
}
