package main

import (
	"context"
	"encoding/json"
	"net/http"
	"time"
)

func (r *run) ingest(ctx context.Context, s step) error {
	var events []object
	for _, e := range s.Events {
		if r.w.customers[e.Customer] == nil || r.w.events[e.Key] != nil {
			return errSkipped
		}
		events = append(events, object{"event_name": "use", "idempotency_key": e.Key, "external_customer_id": e.Customer, "timestamp": e.At,
			"properties": object{"n": json.Number(e.N), "who": e.Who}})
	}
	if _, err := r.post(ctx, "/v1/ingest", object{"events": events}); err != nil {
		return err
	}
	for _, e := range s.Events {
		r.w.events[e.Key] = &event{customer: e.Customer, at: when(nil, e.At), n: rat(e.N), who: e.Who}
		r.w.keys = append(r.w.keys, e.Key)
	}
	return nil
}

func (r *run) deprecate(ctx context.Context, s step) error {
	e := r.w.events[s.Name]
	if e == nil {
		return errSkipped
	}
	if _, err := r.c.ask(ctx, http.MethodPut, "/v1/events/"+s.Name+"/deprecate", nil); err != nil {
		return err
	}
	e.deprecated = true
	return nil
}

func (r *run) amend(ctx context.Context, s step) error {
	e := r.w.events[s.Name]
	if e == nil {
		return errSkipped
	}
	_, err := r.c.ask(ctx, http.MethodPut, "/v1/events/"+s.Name, object{"event_name": "use", "external_customer_id": e.customer,
		"timestamp": e.at.Format(time.RFC3339Nano), "properties": object{"n": json.Number(s.Amount), "who": e.who}})
	if err != nil {
		return err
	}
	e.n = rat(s.Amount)
	return nil
}
