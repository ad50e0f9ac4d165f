package importaccount

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// searched is how many keys one search has, and sent how many events one request.
const searched, sent = 500, 500

// window is the longest backfill of a server with the usual settings.
const window = 31 * 24 * time.Hour

// events moves the events whose keys are given, as far as they are of open periods. The
// contract lists no events, it finds them by their keys. They go into backfills, since they
// may be older than what ingestion takes, and since each backfill is counted as a whole.
func (t *transfer) events(ctx context.Context) error {
	if t.EventKeys == nil {
		if len(t.subs) > 0 {
			t.leave(kindEvent, object{"id": "-"}, "events of open periods: the contract finds events by their keys only; give the keys, or import the events from your own files")
		}
		return nil
	}
	from := t.now
	for _, s := range t.subs {
		if !s.start.IsZero() && s.start.Before(from) {
			from = s.start
		}
	}
	open := map[time.Time]string{} // backfills of this run, by the start of their windows
	lines := bufio.NewScanner(t.EventKeys)
	keys := []string{}
	flush := func() error {
		defer func() { keys = keys[:0] }()
		return t.moveEvents(ctx, keys, from, open)
	}
	for lines.Scan() {
		if key := strings.TrimSuffix(lines.Text(), "\r"); key != "" {
			keys = append(keys, key)
		}
		if len(keys) == searched {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read the keys of events: %w", err)
	}
	if err := flush(); err != nil {
		return err
	}
	if err := t.closeUnfinished(ctx, open); err != nil {
		return err
	}
	for _, start := range slices.SortedFunc(maps.Keys(open), time.Time.Compare) {
		if err := t.closeBackfill(ctx, open[start]); err != nil {
			return err
		}
	}
	return nil
}

// moveEvents sends those events of the source that the target does not have.
func (t *transfer) moveEvents(ctx context.Context, keys []string, from time.Time, open map[time.Time]string) error {
	if len(keys) == 0 {
		return nil
	}
	search := object{"event_ids": keys, "timeframe_start": written(from)}
	found, err := t.Source.send(ctx, http.MethodPost, "/events/search", search, "")
	if err != nil {
		return err
	}
	known := map[string]bool{}
	if !t.DryRun {
		there, err := t.Target.send(ctx, http.MethodPost, "/events/search", search, "")
		if err != nil {
			return err
		}
		for _, e := range objects(there, "data") {
			known[text(e, "id")] = true
		}
	}
	batches := map[time.Time][]object{}
	for _, e := range objects(found, "data") {
		switch {
		case truth(e, "deprecated"):
		case known[text(e, "id")]:
			t.report.Kept[kindEvent]++
		default:
			at, _, err := instant(e, "timestamp")
			if err != nil {
				return err
			}
			event := pick(e, "event_name", "timestamp", "external_customer_id", "properties")
			event["idempotency_key"] = text(e, "id")
			if !t.refer(kindEvent, e, event, "customer_id", kindCustomer, text(e, "customer_id")) {
				continue
			}
			if t.DryRun {
				t.report.Created[kindEvent]++
			}
			start := from.Add(at.Sub(from).Truncate(window))
			batches[start] = append(batches[start], event)
		}
	}
	if t.DryRun {
		return nil
	}
	for start, batch := range batches {
		id, err := t.backfill(ctx, start, open)
		if err != nil {
			return err
		}
		for events := range slices.Chunk(batch, sent) {
			if err := t.sendEvents(ctx, id, events); err != nil {
				return err
			}
		}
	}
	return nil
}

// sendEvents sends events into a backfill of the target. Those that it refuses are reported, and
// the others sent without them.
func (t *transfer) sendEvents(ctx context.Context, backfill string, events []object) error {
	_, err := t.Target.send(ctx, http.MethodPost, "/ingest?backfill_id="+url.QueryEscape(backfill), object{"events": events}, "")
	if err == nil {
		t.report.Created[kindEvent] += len(events)
		return nil
	}
	var refusal *Refusal
	if !errors.As(err, &refusal) || refusal.Status != http.StatusBadRequest {
		return err
	}
	taken := slices.DeleteFunc(slices.Clone(events), func(e object) bool {
		_, refused := refusal.Events[text(e, "idempotency_key")]
		return refused
	})
	if len(taken) == len(events) {
		return err
	}
	for _, e := range events {
		if reason, refused := refusal.Events[text(e, "idempotency_key")]; refused {
			t.leave(kindEvent, object{"id": text(e, "idempotency_key")}, "the target refuses it: "+reason)
		}
	}
	if len(taken) == 0 {
		return nil
	}
	return t.sendEvents(ctx, backfill, taken)
}

// backfill returns the open backfill of a window: that of this run, that of a run which was
// interrupted, or a new one.
func (t *transfer) backfill(ctx context.Context, start time.Time, open map[time.Time]string) (string, error) {
	if id := open[start]; id != "" {
		return id, nil
	}
	before, known := t.Journal.id(kindBackfill, written(start))
	if known {
		made, err := t.Target.get(ctx, "/events/backfills/"+escaped(before))
		if err != nil {
			return "", err
		}
		if text(made, "status") == "pending" {
			open[start] = before
			return before, nil
		}
	}
	// A backfill that was answered before its line was written is answered again.
	made, err := t.Target.send(ctx, http.MethodPost, "/events/backfills", object{
		"timeframe_start": written(start), "timeframe_end": written(start.Add(window)), "replace_existing_events": false,
	}, idempotencyKey(kindBackfill, written(start)+" "+before))
	if err != nil {
		return "", err
	}
	open[start] = text(made, "id")
	return open[start], t.Journal.write(line{Kind: kindBackfill, From: written(start), To: open[start]})
}

// closeUnfinished adds the backfills that an interrupted run left open, and to which this one had
// nothing to add.
func (t *transfer) closeUnfinished(ctx context.Context, open map[time.Time]string) error {
	if t.DryRun {
		return nil
	}
	for from, id := range t.Journal.ids[kindBackfill] {
		start, err := time.Parse(time.RFC3339Nano, from)
		if err != nil {
			return err
		}
		made, err := t.Target.get(ctx, "/events/backfills/"+escaped(id))
		if err != nil {
			return err
		}
		if text(made, "status") == "pending" {
			open[start] = id
		}
	}
	return nil
}

// closeBackfill lets the events of a backfill count, and waits until they do.
func (t *transfer) closeBackfill(ctx context.Context, id string) error {
	path := "/events/backfills/" + escaped(id)
	_, err := t.Target.send(ctx, http.MethodPost, path+"/close", nil, "")
	if err != nil && !refused(err, http.StatusBadRequest) { // it may have closed by itself
		return err
	}
	for {
		made, err := t.Target.get(ctx, path)
		if err != nil || text(made, "status") != "pending" {
			return err
		}
		if err := wait(ctx); err != nil {
			return err
		}
	}
}
