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

// usual is a stage with events, customers that cause some of them, and a server.
type usual struct {
	*stage
	dir    string
	tables *tables
	server *process
}

func usualStage(ctx context.Context, o options) (u *usual, err error) {
	u = &usual{}
	if u.dir, err = scratch("bench-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			u.tearDown()
		}
	}()
	if u.stage, err = setUp(ctx, u.dir, o.binary); err != nil {
		return u, err
	}
	if u.tables, err = u.open(ctx, "Bench"); err != nil {
		return u, err
	}
	if u.server, err = u.serve(ctx, u.tables.key, true); err != nil {
		return u, err
	}
	if err := sell(ctx, u.server); err != nil {
		return u, err
	}
	began := time.Now()
	if err := u.tables.fill(ctx, o.present); err != nil {
		return u, err
	}
	if err := u.tables.settle(ctx, u.server); err != nil {
		return u, err
	}
	fmt.Fprintf(os.Stderr, "%d events copied and aggregated in %.0f s\n", o.present, time.Since(began).Seconds())
	return u, nil
}

// tearDown leaves nothing behind of what there is.
func (u *usual) tearDown() {
	if u.server != nil {
		u.server.stop()
	}
	if u.tables != nil {
		u.tables.close()
	}
	if u.stage != nil {
		u.stage.tearDown()
	}
	_ = os.RemoveAll(u.dir)
}

// again stops the server and starts another one.
func (u *usual) again(ctx context.Context, buckets bool) (err error) {
	u.server.stop()
	u.server, err = u.serve(ctx, u.tables.key, buckets)
	return err
}

// runIngest measures how events come in, while buckets are kept and while none are.
func runIngest(ctx context.Context, o options) error {
	u, err := usualStage(ctx, o)
	if err != nil {
		return err
	}
	defer u.tearDown()
	r := newReport(o.out, fmt.Sprintf("%d events present, %d rounds", o.present, o.rounds))
	if err := r.ingestion(ctx, u, withBuckets, o.rounds); err != nil {
		return err
	}
	if err := u.again(ctx, false); err != nil {
		return err
	}
	if err := r.ingestion(ctx, u, withoutBuckets, o.rounds); err != nil {
		return err
	}
	return r.verdict()
}

// runUsual measures what a million events are enough for.
func runUsual(ctx context.Context, o options) error {
	u, err := usualStage(ctx, o)
	if err != nil {
		return err
	}
	defer u.tearDown()
	s, t := u.stage, u.tables
	r := newReport(o.out, fmt.Sprintf("%d events present, %d rounds", o.present, o.rounds))
	if err := r.ingestion(ctx, u, withBuckets, o.rounds); err != nil {
		return err
	}
	r.add(figure{what: "the server's memory, of all that", value: u.server.peakMemory(), unit: "MB", most: wantMemory})
	if err := r.freshness(ctx, t, u.server); err != nil {
		return err
	}
	if err := r.balances(ctx, s, u.server); err != nil {
		return err
	}
	if err := r.previews(ctx, u.server); err != nil {
		return err
	}
	if err := r.ledgers(ctx, s, t, u.server); err != nil {
		return err
	}
	if err := r.guards(ctx, u, o.rounds); err != nil {
		return err
	}
	if err := u.again(ctx, false); err != nil {
		return err
	}
	if err := r.ingestion(ctx, u, withoutBuckets, o.rounds); err != nil {
		return err
	}
	if err := u.again(ctx, true); err != nil {
		return err
	}
	if err := r.sendHuge(ctx, t, u.server, o.huge); err != nil {
		return err
	}
	u.server.stop()
	if err := r.billing(ctx, s, o.billed); err != nil {
		return err
	}
	if err := r.shares(ctx, s, o.rounds); err != nil {
		return err
	}
	if err := r.benchmarks(ctx, u.dir); err != nil {
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
