package main

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"

	"tollkeeper/scripts/rig"
)

// load is what clients do, each for a customer of its own, so that what one customer's books
// come to does not depend on how clients take turns.
type load struct {
	targets atomic.Pointer[[]rig.Client] // requests go to each in turn
	turn    atomic.Int64
	sent    atomic.Int64

	mu       sync.Mutex
	failures []string
}

type object = rig.Object

// ask sends a request to the next server. An answer that is no success is noted.
func (l *load) ask(ctx context.Context, method, path, idempotency string, body any) (answer object) {
	targets := *l.targets.Load()
	to := targets[int(l.turn.Add(1))%len(targets)]
	l.sent.Add(1)
	if err := to.Ask(ctx, rig.Request{Method: method, Path: path, Body: body, IdempotencyKey: idempotency}, &answer); err != nil {
		l.fail("%v", err)
		return nil
	}
	return answer
}

// asks has requests go to servers from now on.
func (l *load) asks(servers ...*rig.Server) {
	var targets []rig.Client
	for _, s := range servers {
		targets = append(targets, rig.Client{URL: s.URL() + "/v1", Key: key})
	}
	l.targets.Store(&targets)
}

func (l *load) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures = append(l.failures, fmt.Sprintf(format, args...))
}

// catalog makes the plan that all customers subscribe to.
func (l *load) catalog(ctx context.Context) (plan string) {
	l.ask(ctx, "POST", "/test_clock/advance", "", object{"now": "2025-03-01T00:00:00Z"})
	item := l.ask(ctx, "POST", "/items", "", object{"name": "API"})["id"]
	metric := l.ask(ctx, "POST", "/metrics", "", object{
		"name": "Calls", "description": nil, "item_id": item,
		"sql": "SELECT COUNT(*) FROM events WHERE event_name = 'call'",
	})["id"]
	price := func(name string, more object) object {
		more["name"], more["item_id"], more["cadence"] = name, item, "monthly"
		return object{"price": more}
	}
	made := l.ask(ctx, "POST", "/plans", "", object{"name": "Pro", "currency": "USD", "prices": []any{
		price("Seats", object{"model_type": "unit", "unit_config": object{"unit_amount": "20.00"}}),
		price("Calls", object{"billable_metric_id": metric, "model_type": "unit", "unit_config": object{"unit_amount": "0.25"}}),
	}})
	plan, _ = made["id"].(string)
	return plan
}

// step is the nth thing that a client does.
func (l *load) step(ctx context.Context, client, n int, plan string) {
	customer := fmt.Sprintf("client-%d-%d", client, n/10)
	by := "/customers/external_customer_id/" + customer
	switch n % 10 {
	case 0:
		l.ask(ctx, "POST", "/customers", customer, object{"name": customer, "email": "bills@acme.example", "external_customer_id": customer})
	case 1:
		l.ask(ctx, "POST", "/subscriptions", customer+" subscribes", object{"external_customer_id": customer, "plan_id": plan, "start_date": "2025-01-15T00:00:00Z"})
	case 2:
		l.ask(ctx, "POST", by+"/credits/ledger_entry", customer+" pays", object{"entry_type": "increment", "amount": 5, "currency": "USD"})
	case 3:
		l.ask(ctx, "PUT", by, "", object{"name": strings.ToUpper(customer)})
	case 4:
		l.ask(ctx, "GET", by+"/costs", "", nil)
	case 5:
		l.ask(ctx, "GET", "/invoices?external_customer_id="+customer, "", nil)
	default:
		l.ask(ctx, "POST", "/ingest", "", object{"events": []any{object{
			"event_name": "call", "external_customer_id": customer, "idempotency_key": fmt.Sprint(customer, "-", n),
			"timestamp": "2025-02-28T12:00:00Z", "properties": object{"n": n},
		}}})
	}
}
