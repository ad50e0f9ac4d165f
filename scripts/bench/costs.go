package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// costs measures GET costs of a subscription with five prices and 100,000 events
// in the present month.
func (r *report) costs(ctx context.Context, t *tables, p *process) error {
	const alias, events = "costly", 100_000
	create := func(path, body string) (id string, err error) {
		text, err := p.ask(ctx, "POST", path, body)
		if err != nil {
			return "", err
		}
		var made struct{ ID string }
		err = json.Unmarshal(text, &made)
		return made.ID, err
	}
	item, err := create("/v1/items", `{"name":"Tokens"}`)
	if err != nil {
		return err
	}
	var prices []string
	for i, sql := range []string{"COUNT(*)", "SUM(tokens)", "MAX(tokens)", "COUNT(DISTINCT region)", "SUM(seconds)"} {
		metric, err := create("/v1/metrics", fmt.Sprintf(`{"name":"M%d","description":null,"item_id":%q,"sql":"SELECT %s FROM events"}`, i, item, sql))
		if err != nil {
			return err
		}
		prices = append(prices, fmt.Sprintf(`{"price":{"name":"P%d","item_id":%q,"billable_metric_id":%q,"cadence":"monthly",
			"model_type":"unit","unit_config":{"unit_amount":"0.01"}}}`, i, item, metric))
	}
	plan, err := create("/v1/plans", fmt.Sprintf(`{"name":"Bench","currency":"USD","prices":[%s]}`, strings.Join(prices, ",")))
	if err != nil {
		return err
	}
	customer, err := create("/v1/customers", fmt.Sprintf(`{"name":"Costly","email":"c@example.com","external_customer_id":%q}`, alias))
	if err != nil {
		return err
	}
	now := time.Now().UTC()
	month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, time.UTC)
	subscription, err := create("/v1/subscriptions", fmt.Sprintf(`{"customer_id":%q,"plan_id":%q,"start_date":%q}`, customer, plan, month.Format(time.DateOnly)))
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
