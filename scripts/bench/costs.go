package main

import (
	"context"
	"fmt"
	"time"
)

// costs measures GET costs of a subscription with five prices and 100,000 events
// in the present month.
func (r *report) costs(ctx context.Context, t *tables, p *process) error {
	const alias, events = "costly", 100_000
	item, err := p.create(ctx, "/v1/items", object{"name": "Tokens"})
	if err != nil {
		return err
	}
	var prices []object
	for i, sql := range []string{"COUNT(*)", "SUM(tokens)", "MAX(tokens)", "COUNT(DISTINCT region)", "SUM(seconds)"} {
		metric, err := p.create(ctx, "/v1/metrics", object{"name": sql, "description": nil, "item_id": item, "sql": "SELECT " + sql + " FROM events"})
		if err != nil {
			return err
		}
		prices = append(prices, object{"price": object{
			"name": fmt.Sprint("P", i), "item_id": item, "billable_metric_id": metric, "cadence": "monthly",
			"model_type": "unit", "unit_config": object{"unit_amount": "0.01"},
		}})
	}
	plan, err := p.create(ctx, "/v1/plans", object{"name": "Bench", "currency": "USD", "prices": prices})
	if err != nil {
		return err
	}
	customer, err := p.create(ctx, "/v1/customers", object{"name": "Costly", "email": "c@example.com", "external_customer_id": alias})
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	subscription, err := p.create(ctx, "/v1/subscriptions", object{"customer_id": customer, "plan_id": plan, "start_date": month.Format(time.DateOnly)})
	if err != nil {
		return err
	}
	rows := t.source.take(events, month)
	for i := range rows {
		rows[i].alias = alias
		rows[i].at = month.Add(now.Sub(month) / events * time.Duration(i))
	}
	if _, err := t.copy(ctx, t.rows(rows)); err != nil {
		return err
	}
	if _, err := t.conn.Exec(ctx, "ANALYZE events"); err != nil {
		return err
	}
	for view, took := range map[string]*time.Duration{"cumulative": &r.cumulative, "periodic": &r.daily} {
		began := time.Now()
		if _, err := p.ask(ctx, "GET", "/v1/subscriptions/"+subscription+"/costs?view_mode="+view, ""); err != nil {
			return err
		}
		*took = time.Since(began)
	}
	return nil
}
