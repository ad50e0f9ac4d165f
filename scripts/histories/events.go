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
			"properties": e.properties()})
	}
	if _, err := r.post(ctx, "/v1/ingest", object{"events": events}); err != nil {
		return err
	}
	for _, e := range s.Events {
		r.w.came(e, nil)
	}
	return nil
}

// came adds an event, of a backfill if there is one.
func (w *world) came(s eventSpec, b *backfill) {
	w.events[s.Key] = &event{eventSpec: s, customer: s.Customer, at: when(nil, s.At), order: int64(len(w.keys)), backfill: b}
	w.keys = append(w.keys, s.Key)
	w.recount()
}

// properties of an event, as they are sent.
func (s eventSpec) properties() object {
	all := object{"n": json.Number(s.N), "who": s.Who}
	if s.Where != "" {
		all["where"] = s.Where
	}
	if s.Rate != "" {
		all["rate"] = s.Rate
	}
	return all
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
	r.w.recount()
	return nil
}

func (r *run) amend(ctx context.Context, s step) error {
	e := r.w.events[s.Name]
	if e == nil {
		return errSkipped
	}
	amended := e.eventSpec
	amended.N = s.Amount
	_, err := r.c.ask(ctx, http.MethodPut, "/v1/events/"+s.Name, object{"event_name": "use", "external_customer_id": e.customer,
		"timestamp": e.at.Format(time.RFC3339Nano), "properties": amended.properties()})
	if err != nil {
		return err
	}
	e.eventSpec = amended
	r.w.recount()
	return nil
}
