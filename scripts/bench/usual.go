package main

import (
	"context"
	"fmt"
	"os"
	"time"
)

// handful is a plan as accounts have it: its metrics are kept for all customers.
var handful = []price{
	{sql: "SELECT COUNT(*) FROM events"},
	{sql: "SELECT SUM(tokens) FROM events"},
	{sql: "SELECT MAX(tokens) FROM events"},
	{sql: "SELECT COUNT(DISTINCT user) FROM events"},
	{sql: "SELECT SUM(seconds) FROM events WHERE model = 'large'"},
	{sql: "SELECT SUM(tokens) FROM events", model: byProperty("region", regions)},
}

// runUsual measures what a million events are enough for.
func runUsual(ctx context.Context, o options) error {
	dir, err := scratch("bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := setUp(ctx, dir, o.binary)
	if err != nil {
		return err
	}
	defer s.tearDown()
	t, err := s.open(ctx, "Bench")
	if err != nil {
		return err
	}
	defer t.close()
	server, err := s.serve(ctx, t.key, true)
	if err != nil {
		return err
	}
	defer func() { server.stop() }()
	if err := sell(ctx, server); err != nil {
		return err
	}
	began := time.Now()
	if err := t.fill(ctx, o.present); err != nil {
		return err
	}
	if err := t.settle(ctx, server); err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d events copied and aggregated in %.0f s\n", o.present, time.Since(began).Seconds())

	r := newReport(os.Stdout, fmt.Sprintf("%d events present, %d rounds", o.present, o.rounds))
	if err := r.ingestion(ctx, t, server, withBuckets, o.rounds); err != nil {
		return err
	}
	r.add(figure{what: "the server's memory, of all that", value: server.peakMemory(), unit: "MB", most: wantMemory})
	if err := r.freshness(ctx, t, server); err != nil {
		return err
	}
	if err := r.previews(ctx, server); err != nil {
		return err
	}
	if err := r.ledgers(ctx, s, t, server); err != nil {
		return err
	}
	server.stop()
	if server, err = s.serve(ctx, t.key, false); err != nil {
		return err
	}
	if err := r.ingestion(ctx, t, server, withoutBuckets, o.rounds); err != nil {
		return err
	}
	server.stop()
	if server, err = s.serve(ctx, t.key, true); err != nil {
		return err
	}
	if err := r.sendHuge(ctx, t, server, o.huge); err != nil {
		return err
	}
	server.stop()
	if err := r.billing(ctx, s, o.billed); err != nil {
		return err
	}
	if err := r.rating(ctx, dir); err != nil {
		return err
	}
	return r.verdict()
}

// sell subscribes ten of the customers that use something, and one that has not yet.
func sell(ctx context.Context, p *process) error {
	plan, err := p.offer(ctx, "Bench", handful)
	if err != nil {
		return err
	}
	month := monthOf(time.Now())
	for n := range 10 {
		if err := p.subscribe(ctx, plan, alias(n), month); err != nil {
			return err
		}
	}
	return p.subscribe(ctx, plan, prober, month)
}

// monthOf is when the month of an instant began, in UTC.
func monthOf(at time.Time) time.Time {
	at = at.UTC()
	return time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, time.UTC)
}
