package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// wantPreview is how many milliseconds a preview may take.
const wantPreview = 150

// previews measures the evaluation of 100 prices on 500 events of the request. No two
// prices ask the same question: they differ in metric, model, filter and groups.
func (r *report) previews(ctx context.Context, p *process) error {
	const prices, events, times = 100, 500, 9
	item, err := p.Create(ctx, "/v1/items", object{"name": "Previews"})
	if err != nil {
		return err
	}
	var metrics []string
	for _, sql := range []string{"COUNT(*)", "SUM(tokens)", "MAX(tokens * 2)", "COUNT(DISTINCT region)", "LATEST_BY(tokens, timestamp)"} {
		metric, err := p.Create(ctx, "/v1/metrics", object{
			"name": sql, "description": nil, "item_id": item, "sql": "SELECT " + sql + " FROM events WHERE event_name = 'call'",
		})
		if err != nil {
			return err
		}
		metrics = append(metrics, metric)
	}
	customer, err := p.Create(ctx, "/v1/customers", object{"name": "Previewed", "email": "p@example.com"})
	if err != nil {
		return err
	}
	request, err := json.Marshal(object{
		"customer_id": customer, "timeframe_start": "2025-03-01T00:00:00Z", "timeframe_end": "2025-04-01T00:00:00Z",
		"events": previewEvents(events), "price_evaluations": previewPrices(prices, item, metrics),
	})
	if err != nil {
		return err
	}
	took := make([]time.Duration, times)
	used := p.watch()
	before := used.now()
	for i := range took {
		began := time.Now()
		if err := p.Post(ctx, "/v1/prices/evaluate_preview_events", request, nil); err != nil {
			return err
		}
		took[i] = time.Since(began)
	}
	r.add(figure{
		what: fmt.Sprintf("preview, %d prices, %d events", prices, events), value: quantile(took, 50), unit: "ms", most: wantPreview,
		work: used.now().sub(before), units: times,
	})
	return nil
}

func previewEvents(n int) (events []object) {
	for i := range n {
		events = append(events, object{
			"event_name": "call", "timestamp": fmt.Sprintf("2025-03-%02dT10:00:00Z", 1+i%31),
			"properties": object{"tokens": json.Number(fmt.Sprintf("%d.%03d", i, i)), "region": fmt.Sprint("region ", i%7), "tier": i % 3, "batch": i%2 == 0},
		})
	}
	return events
}

func previewPrices(n int, item string, metrics []string) (prices []object) {
	models := []object{
		{"model_type": "unit", "unit_config": object{"unit_amount": "0.0031"}},
		{"model_type": "tiered", "tiered_config": object{"tiers": []object{
			{"first_unit": 0, "last_unit": 100, "unit_amount": "0.10"}, {"first_unit": 100, "last_unit": nil, "unit_amount": "0.05"},
		}}},
		{"model_type": "matrix", "matrix_config": object{
			"default_unit_amount": "0.01", "dimensions": []string{"region", "tier"},
			"matrix_values": []object{{"dimension_values": []string{"region 1", "2"}, "unit_amount": "0.02"}},
		}},
	}
	for i := range n {
		price := object{"name": fmt.Sprint("P", i), "item_id": item, "currency": "USD", "cadence": "monthly", "billable_metric_id": metrics[i%len(metrics)]}
		for member, value := range models[i%len(models)] {
			price[member] = value
		}
		asked := object{"price": price, "filter": fmt.Sprintf("tokens > %d AND region <> 'none'", i)}
		if i%4 == 0 {
			asked["grouping_keys"] = []string{"region", "hour_floor_timestamp_millis(timestamp_millis)"}
		}
		prices = append(prices, asked)
	}
	return prices
}
