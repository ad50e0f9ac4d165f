package main

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"tollkeeper/scripts/rig"
)

// price is one of a plan, with its metric.
type price struct {
	sql   string // "": a fixed fee
	model object // with its configuration; nil: a cent for each unit
}

var perUnit = object{"model_type": "unit", "unit_config": object{"unit_amount": "0.01"}}

// byProperty charges each value of a property its own amount.
func byProperty(property string, values []string) object {
	var cells []object
	for i, value := range values {
		cells = append(cells, object{"dimension_values": []string{value}, "unit_amount": fmt.Sprintf("0.0%d", i+1)})
	}
	return object{"model_type": "matrix", "matrix_config": object{
		"default_unit_amount": "0.01", "dimensions": []string{property}, "matrix_values": cells,
	}}
}

// offer makes a plan of monthly prices, in their order, and of more entries, which are written out.
func (p *process) offer(ctx context.Context, name string, prices []price, more ...object) (plan string, err error) {
	item, err := p.Create(ctx, "/v1/items", object{"name": name})
	if err != nil {
		return "", err
	}
	metrics := map[string]string{}
	var wanted []object
	for i, price := range prices {
		if price.sql != "" && metrics[price.sql] == "" {
			body := object{"name": price.sql, "description": nil, "item_id": item, "sql": price.sql}
			if metrics[price.sql], err = p.Create(ctx, "/v1/metrics", body); err != nil {
				return "", err
			}
		}
		body := object{"name": fmt.Sprint("P", i), "item_id": item, "cadence": "monthly"}
		if price.sql != "" {
			body["billable_metric_id"] = metrics[price.sql]
		}
		model := price.model
		if model == nil {
			model = perUnit
		}
		for member, value := range model {
			body[member] = value
		}
		wanted = append(wanted, object{"price": body})
	}
	return p.Create(ctx, "/v1/plans", object{"name": name, "currency": "USD", "prices": append(wanted, more...)})
}

// subscribe makes a customer with an alias and subscribes it from an instant on.
func (p *process) subscribe(ctx context.Context, plan, alias string, from time.Time) error {
	customer, err := p.Create(ctx, "/v1/customers", object{"name": alias, "email": "c@example.com", "external_customer_id": alias})
	if err != nil {
		return err
	}
	_, err = p.Create(ctx, "/v1/subscriptions", object{"customer_id": customer, "plan_id": plan, "start_date": from.Format(time.DateOnly)})
	return err
}

// costs asks for a customer's costs of a month, added up day by day.
func (p *process) costs(ctx context.Context, alias string, month time.Time) ([]byte, error) {
	answer, err := p.Do(ctx, rig.Request{Method: http.MethodGet, Path: "/v1/customers/external_customer_id/" + alias + "/costs?view_mode=cumulative&timeframe_start=" +
		month.Format(time.DateOnly) + "&timeframe_end=" + month.AddDate(0, 1, 0).Format(time.DateOnly)})
	return answer.Body, err
}
