package main

import (
	"bytes"
	"context"
	"fmt"
	"time"
)

// What is wanted of changes to the past.
const (
	mostVisible  = 2 // seconds until costs show that one customer's day is another
	mostRedone   = 3 // times a plain aggregation, until buckets of all customers are whole again
	dayChanged   = 5 // how often one customer's day is
	resentOfDay  = 100
	replacedPart = 9 // of 400 parts of the events: 450,000 of 20,000,000
)

// backfill is one that is open.
type backfill struct {
	process *process
	id      string
}

func (p *process) openBackfill(ctx context.Context, about object) (backfill, error) {
	id, err := p.Create(ctx, "/v1/events/backfills", about)
	return backfill{p, id}, err
}

func (b backfill) do(ctx context.Context, what string) error {
	return b.process.Post(ctx, "/v1/events/backfills/"+b.id+"/"+what, nil, nil)
}

// send lets events be of the backfill, spread over a time from an instant on.
func (b backfill) send(rows []row, from time.Time, length time.Duration) error {
	for i := range rows {
		rows[i].at = from.Add(length / time.Duration(len(rows)) * time.Duration(i))
	}
	_, _, err := load(b.process.Addr, 16, b.process.requestsTo("/v1/ingest?backfill_id="+b.id, bodies(rows, 100)))
	return err
}

// become waits until the backfill has that status.
func (b backfill) become(ctx context.Context, status string) error {
	for {
		var is struct{ Status string }
		if err := b.process.Get(ctx, "/v1/events/backfills/"+b.id, &is); err != nil || is.Status == status {
			return err
		}
	}
}

// oneDay replaces a day of one customer and takes that back, and measures when costs show
// either.
func (r *report) oneDay(ctx context.Context, t *tables, p *process, month time.Time) error {
	who, day := alias(1), month.AddDate(0, 0, 10)
	var closed, reverted []time.Duration
	used := p.watch()
	before := used.now()
	for range dayChanged {
		original, err := p.costs(ctx, who, month)
		if err != nil {
			return err
		}
		b, err := p.openBackfill(ctx, object{"external_customer_id": who, "timeframe_start": day, "timeframe_end": day.AddDate(0, 0, 1)})
		if err != nil {
			return err
		}
		rows := t.source.take(resentOfDay, day)
		for i := range rows {
			rows[i].alias = who
		}
		if err := b.send(rows, day, 24*time.Hour); err != nil {
			return err
		}
		took, replaced, err := b.until(ctx, "close", who, month, func(costs []byte) bool { return !bytes.Equal(costs, original) })
		if err != nil {
			return err
		}
		closed = append(closed, took)
		if err := t.settle(ctx, p); err != nil {
			return err
		}
		if settled, err := p.costs(ctx, who, month); err != nil || !bytes.Equal(settled, replaced) {
			r.fail("costs showed half of a backfill (%v)", err)
		}
		took, _, err = b.until(ctx, "revert", who, month, func(costs []byte) bool { return bytes.Equal(costs, original) })
		if err != nil {
			return err
		}
		reverted = append(reverted, took)
	}
	r.add(figure{what: "a customer's day, closed", value: quantile(closed, 100) / 1e3, unit: "s", most: mostVisible, work: used.now().sub(before), units: 2 * dayChanged})
	r.add(figure{what: "a customer's day, reverted", value: quantile(reverted, 100) / 1e3, unit: "s", most: mostVisible})
	return nil
}

// until does something to the backfill, reads costs until they are as wanted, and returns
// how long that took all together.
func (b backfill) until(ctx context.Context, what, who string, month time.Time, wanted func(costs []byte) bool) (took time.Duration, costs []byte, err error) {
	const patience = time.Minute
	began := time.Now()
	if err := b.do(ctx, what); err != nil {
		return 0, nil, err
	}
	for time.Since(began) < patience {
		if costs, err = b.process.costs(ctx, who, month); err != nil || wanted(costs) {
			return time.Since(began), costs, err
		}
	}
	return 0, nil, fmt.Errorf("%s of a backfill: costs did not show it for %s", what, patience)
}

// everybodysDay replaces what all customers used on one day, takes that back, and compares how
// long buckets take with an aggregation of the same events.
func (r *report) everybodysDay(ctx context.Context, t *tables, p *process, f *fixture) error {
	original, err := p.costs(ctx, alias(0), f.Month)
	if err != nil {
		return err
	}
	start := f.Month.AddDate(0, 0, 12)
	end := start.Add(f.Month.AddDate(0, 1, 0).Sub(f.Month) / 400 * replacedPart)
	plain, err := t.aggregate(ctx, start, end)
	if err != nil {
		return err
	}
	b, err := p.openBackfill(ctx, object{"timeframe_start": start, "timeframe_end": end})
	if err != nil {
		return err
	}
	events := f.Present / 400 * replacedPart
	if err := b.send(t.source.take(events, start), start, end.Sub(start)); err != nil {
		return err
	}
	used := p.watch()
	for _, step := range []struct{ what, status string }{{"close", "reflected"}, {"revert", "reverted"}} {
		if err := t.settle(ctx, p); err != nil {
			return err
		}
		before, began := used.now(), time.Now()
		if err := b.do(ctx, step.what); err != nil {
			return err
		}
		if err := b.become(ctx, step.status); err != nil {
			return err
		}
		seen := time.Since(began)
		if err := t.settle(ctx, p); err != nil {
			return err
		}
		took := time.Since(began)
		r.add(figure{
			what: fmt.Sprintf("everybody's day, %s", step.status), value: took.Seconds() / plain.Seconds(), unit: "times", most: mostRedone,
			work: used.now().sub(before), units: events,
			note: fmt.Sprintf("%d events, in effect after %.2f s, buckets whole after %.1f s, aggregated in %.1f s", events, seen.Seconds(), took.Seconds(), plain.Seconds()),
		})
	}
	if restored, err := p.costs(ctx, alias(0), f.Month); err != nil || !bytes.Equal(restored, original) {
		r.fail("a revert did not restore costs (%v)", err)
	}
	return nil
}
