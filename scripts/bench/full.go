package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"
)

// tenPrices are what costs of a month are measured with.
var tenPrices = []price{
	{sql: "SELECT COUNT(*) FROM events"},
	{sql: "SELECT SUM(tokens) FROM events"},
	{sql: "SELECT MAX(tokens) FROM events"},
	{sql: "SELECT COUNT(DISTINCT user) FROM events"},
	{sql: "SELECT AVG(seconds) FROM events"},
	{sql: "SELECT SUM(tokens) FROM events WHERE model = 'large'"},
	{sql: "SELECT COUNT(*) FROM events WHERE tokens > 5000"},
	{sql: "SELECT SUM(tokens) FROM events", model: byProperty("region", regions)},
	{sql: "SELECT COUNT(*) FROM events", model: byProperty("model", models)},
	{sql: "SELECT SUM(seconds) FROM events", model: object{"model_type": "tiered", "tiered_config": object{"tiers": []object{
		{"first_unit": 0, "last_unit": 1000, "unit_amount": "0.10"}, {"first_unit": 1000, "last_unit": nil, "unit_amount": "0.05"},
	}}}},
}

// runFull measures what takes very many events.
func runFull(ctx context.Context, o options) error {
	dir, err := fixtureDir(o)
	if err != nil {
		return err
	}
	if !o.keep {
		defer func() { _ = os.RemoveAll(dir) }()
	}
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
	f, err := s.fixture(ctx, dir, t, o.present)
	if err != nil {
		return err
	}
	r := newReport(o.out, fmt.Sprintf("%d events present, %d rounds", f.Present, o.rounds))

	server, err := s.serve(ctx, t.key, true)
	if err != nil {
		return err
	}
	defer func() { server.stop() }()
	if err := r.building(ctx, t, server, f); err != nil {
		return err
	}
	kept, err := r.costsOfMonth(ctx, server, f.Month)
	if err != nil {
		return err
	}
	if err := r.oneDay(ctx, t, server, f.Month); err != nil {
		return err
	}
	if err := r.everybodysDay(ctx, t, server, f); err != nil {
		return err
	}
	if err := r.manyKeys(ctx, t, server, o.rounds); err != nil {
		return err
	}
	bills, err := s.exactBills(ctx, server, f)
	if err != nil {
		return err
	}
	if err := bills.check(ctx, r, server); err != nil {
		return err
	}
	server.stop()

	if server, err = s.serve(ctx, t.key, false); err != nil {
		return err
	}
	if err := r.costsFromEvents(ctx, server, f.Month, kept); err != nil {
		return err
	}
	if err := bills.check(ctx, r, server); err != nil {
		return err
	}
	if err := r.manyKeys(ctx, t, server, o.rounds); err != nil {
		return err
	}
	server.stop()
	err = r.billing(ctx, s, o.billed)
	if o.keep {
		err = errors.Join(err, t.forgetBilled(ctx))
	}
	if err != nil {
		return err
	}
	return r.verdict()
}

// building waits until all events are in buckets, and tells how long that took.
func (r *report) building(ctx context.Context, t *tables, p *process, f *fixture) error {
	used, began := p.watch(), time.Now()
	before := used.now()
	if err := t.settle(ctx, p); err != nil || f.Built {
		return err
	}
	took := time.Since(began)
	r.add(figure{
		what: "making buckets of all of them", value: took.Seconds(), unit: "s", work: used.now().sub(before), units: f.Present,
		note: fmt.Sprintf("%.1f k/s", float64(f.Present)/took.Seconds()/1e3),
	})
	f.Built = true
	return f.save()
}
