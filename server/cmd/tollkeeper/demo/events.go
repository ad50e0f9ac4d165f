package demo

import (
	"context"
	"errors"
	"slices"
)

// events are what happens on a day beside usage, at noon in UTC.
var events = map[string]func(*story, context.Context) error{
	"2025-01-08": (*story).sellCredits,
	"2025-01-09": (*story).watch,
	"2025-02-05": (*story).payJanuary,
	"2025-02-12": (*story).correctDay,
	"2025-02-20": (*story).creditOutage,
	"2025-03-05": (*story).payFebruary,
	"2025-03-15": (*story).changes,
	"2025-03-26": (*story).payMarch,
}

// sellCredits gives customers prepaid credits: some last, some run low, one is topped up by itself.
func (s *story) sellCredits(ctx context.Context) error {
	for _, block := range []struct {
		alias, currency string
		amount          int
		expires         string // "": never
	}{
		{"acme", "USD", 9000, "2025-12-31"}, {"alpenblick", "EUR", 680, "2025-06-30"}, {"delta", "USD", 90, "2025-04-30"}, {"edo", "USD", 60, ""},
	} {
		body := object{"entry_type": "increment", "amount": block.amount, "currency": block.currency, "per_unit_cost_basis": "1.00", "description": "Prepaid"}
		if block.expires != "" {
			body["expiry_date"] = block.expires
		}
		if _, err := s.post(ctx, "/customers/external_customer_id/"+block.alias+"/credits/ledger_entry", body); err != nil {
			return err
		}
	}
	_, err := s.post(ctx, "/customers/external_customer_id/edo/credits/top_ups", object{
		"currency": "USD", "threshold": "20", "amount": "100", "per_unit_cost_basis": "1.00", "invoice_settings": object{"auto_collection": false, "net_terms": 14},
	})
	return err
}

// watch sets alerts. Those of Delta and Globex fire.
func (s *story) watch(ctx context.Context) error {
	_, err := s.post(ctx, "/alerts/external_customer_id/delta", object{"type": "credit_balance_dropped", "currency": "USD", "thresholds": list{object{"value": 50}, object{"value": 10}}})
	if err != nil {
		return err
	}
	_, err = s.post(ctx, "/alerts/subscription_id/"+s.subscriptions["globex"], object{"type": "cost_exceeded", "thresholds": list{object{"value": 1500}}})
	return err
}

// payJanuary marks the invoices of January as paid, but for those of two customers.
func (s *story) payJanuary(ctx context.Context) error {
	return s.pay(ctx, "2025-02-05", "initech", "northstar")
}

func (s *story) payFebruary(ctx context.Context) error {
	return s.pay(ctx, "2025-03-05", "initech", "orbit")
}

// payMarch marks later invoices as paid, those of edo's top-ups among them.
func (s *story) payMarch(ctx context.Context) error {
	return s.pay(ctx, "2025-03-26", "initech", "orbit")
}

func (s *story) pay(ctx context.Context, day string, late ...string) error {
	for _, c := range customers {
		if slices.Contains(late, c.alias) || s.subscriptions[c.alias] == "" {
			continue
		}
		issued, err := s.get(ctx, "/invoices?status[]=issued&external_customer_id="+c.alias) // those of top-ups too
		if err != nil {
			return err
		}
		for _, invoice := range rows(issued) {
			_, err := s.post(ctx, "/invoices/"+invoice["id"].(string)+"/mark_paid", object{"payment_received_date": day, "notes": "Bank transfer"})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// correctDay sends again what Kestrel's meter counted wrong.
func (s *story) correctDay(ctx context.Context) error {
	backfill, err := s.client.make(ctx, "/events/backfills", object{
		"external_customer_id": "kestrel", "timeframe_start": "2025-02-11T00:00:00Z", "timeframe_end": "2025-02-12T00:00:00Z", "replace_existing_events": true,
	})
	if err != nil {
		return err
	}
	corrected := object{
		"idempotency_key": "demo-corrected", "event_name": "tiles", "external_customer_id": "kestrel", "timestamp": "2025-02-11T10:00:00Z",
		"properties": object{"tiles": 1200, "region": "eu-west"},
	}
	if _, err = s.post(ctx, "/ingest?backfill_id="+backfill, object{"events": list{corrected}}); err != nil {
		return err
	}
	_, err = s.post(ctx, "/events/backfills/"+backfill+"/close", nil)
	return err
}

// creditOutage gives Globex a part of its fee of January back.
func (s *story) creditOutage(ctx context.Context) error {
	paid, err := s.get(ctx, "/invoices?subscription_id="+s.subscriptions["globex"])
	if err != nil {
		return err
	}
	for _, invoice := range rows(paid) {
		lines, _ := invoice["line_items"].([]any)
		for _, line := range lines {
			if l, _ := line.(object); l["name"] == "Platform" && invoice["status"] == "paid" {
				_, err := s.post(ctx, "/credit_notes", object{
					"line_items": list{object{"invoice_line_item_id": l["id"], "amount": "49.00"}}, "reason": "product_unsatisfactory", "memo": "Tiles were slow on 14 February.",
				})
				return err
			}
		}
	}
	return errors.New("no invoice of Globex with a fee is paid")
}

// changes are those that customers ask for: seats, another plan, an end, and a one-off invoice.
func (s *story) changes(ctx context.Context) error {
	if err := s.setSeats(ctx, "acme", 15, "2025-03-15"); err != nil {
		return err
	}
	_, err := s.post(ctx, "/subscriptions/"+s.subscriptions["baywatch"]+"/schedule_plan_change",
		object{"external_plan_id": "team", "change_option": "end_of_subscription_term"})
	if err != nil {
		return err
	}
	if _, err := s.post(ctx, "/subscriptions/"+s.subscriptions["fjord"]+"/cancel", object{"cancel_option": "end_of_subscription_term"}); err != nil {
		return err
	}
	_, err = s.post(ctx, "/invoices", object{
		"external_customer_id": "meridian", "currency": "USD", "invoice_date": "2025-03-15", "net_terms": 14, "memo": "Map workshop in Sydney",
		"line_items": list{object{
			"name": "Map workshop", "item_id": s.seats, "quantity": 2, "model_type": "unit", "start_date": "2025-03-14", "end_date": "2025-03-14",
			"unit_config": object{"unit_amount": "850.00"},
		}},
	})
	return err
}
