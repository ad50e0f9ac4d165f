package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"tollkeeper/scripts/rig"
)

// What an account does beside one that does its worst.
const (
	shareClients  = 4
	shareRequests = 600 // of each round, undisturbed and disturbed
	lockedPuts    = 24  // requests at once for a row that is locked
	slowPuts      = 64  // requests at once that take seconds each
	failingUnits  = 100 // subscriptions whose invoices cannot be issued
	mostDelayedBy = 3   // times its undisturbed latency
)

// runShares measures shares alone.
func runShares(ctx context.Context, o options) error {
	return onStage(ctx, "bench-shares-", o.binary, func(s *stage) error {
		r := newReport(o.out, fmt.Sprintf("%d rounds", o.rounds))
		if err := r.shares(ctx, s, o.rounds); err != nil {
			return err
		}
		return r.verdict()
	})
}

// shares measures the latency of an account's requests while another one does its worst, beside what it is
// otherwise. Both are taken in turns.
func (r *report) shares(ctx context.Context, s *stage, rounds int) error {
	worst, innocent, closeBoth, err := s.openTwo(ctx)
	if err != nil {
		return err
	}
	defer closeBoth()
	p, err := s.serve(ctx, innocent.key, true)
	if err != nil {
		return err
	}
	defer p.stop()
	customer, err := p.Create(ctx, "/v1/customers", object{"name": "Innocent", "email": "c@example.com"})
	if err != nil {
		return err
	}
	spoiler, err := worst.spoil(ctx, p.as(worst))
	if err != nil {
		return err
	}
	var alone, beside []time.Duration
	for n := range rounds {
		took, err := p.ordinary(customer, 2*n)
		if err != nil {
			return err
		}
		alone = append(alone, took...)
		stop, err := spoiler.begin(ctx)
		if err != nil {
			return err
		}
		took, err = p.ordinary(customer, 2*n+1)
		if err = errors.Join(err, stop()); err != nil {
			return err
		}
		beside = append(beside, took...)
	}
	var parked int
	if err := worst.conn.QueryRow(ctx, "SELECT count(*) FROM parked_units WHERE account_id = $1", worst.account).Scan(&parked); err != nil {
		return err
	}
	if parked == 0 {
		r.fail("no unit of the account that does its worst has failed")
	}
	r.add(figure{what: "p99 beside an account's worst", value: quantile(beside, 99) / quantile(alone, 99), unit: "times", most: mostDelayedBy,
		note: fmt.Sprintf("%s beside %s ms; medians %s beside %s ms; %d requests each; %d units parked", show(quantile(beside, 99)), show(quantile(alone, 99)),
			show(quantile(beside, 50)), show(quantile(alone, 50)), len(alone), parked)})
	return nil
}

// ordinary sends requests of an account that does nothing unusual, and returns how long each took.
func (p *process) ordinary(customer string, round int) ([]time.Duration, error) {
	queue := make(chan []byte, shareRequests)
	for n := range shareRequests {
		switch n % 3 {
		case 0:
			queue <- p.request("/v1/ingest", fmt.Sprintf(`{"events":[{"event_name":"call","external_customer_id":"a","idempotency_key":"share-%d-%d","timestamp":"%s","properties":{}}]}`,
				round, n, time.Now().UTC().Format(time.RFC3339)))
		case 1:
			queue <- p.request("/v1/customers", `{"name":"Other","email":"o@example.com"}`)
		default:
			queue <- []byte("GET /v1/customers/" + customer + " HTTP/1.1\r\nHost: " + p.Addr + "\r\nAuthorization: Bearer " + p.Key + "\r\n\r\n")
		}
	}
	close(queue)
	_, took, err := load(p.Addr, shareClients, queue)
	return took, err
}

// spoiler is an account that does its worst.
type spoiler struct {
	tables *tables
	server *process
	locked string // a customer whose row is locked
	slow   string // one whose changes take seconds
}

// spoil makes what the account does its worst with.
func (t *tables) spoil(ctx context.Context, p *process) (spoiler, error) {
	w := spoiler{tables: t, server: p}
	var err error
	for _, customer := range []*string{&w.locked, &w.slow} {
		if *customer, err = p.Create(ctx, "/v1/customers", object{"name": "Worst", "email": "w@example.com"}); err != nil {
			return w, err
		}
	}
	plan, err := p.offer(ctx, "Fee", []price{{model: object{"model_type": "unit", "unit_config": object{"unit_amount": "10"}}}})
	if err != nil {
		return w, err
	}
	month := monthOf(time.Now()).AddDate(0, -2, 0)
	for n := range failingUnits {
		customer, err := p.Create(ctx, "/v1/customers", object{"name": fmt.Sprint("Fails ", n), "email": "w@example.com"})
		if err != nil {
			return w, err
		}
		_, err = p.Create(ctx, "/v1/subscriptions", object{"customer_id": customer, "plan_id": plan, "start_date": month.Format(time.DateOnly), "auto_issuance": false})
		if err != nil {
			return w, err
		}
	}
	for _, statement := range []string{
		"ALTER TABLE invoices ADD CONSTRAINT spoiled CHECK (account_id <> '" + t.account + "' OR status = 'draft') NOT VALID",
		"CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(5); RETURN NEW; END $$",
		"CREATE TRIGGER dawdle BEFORE UPDATE ON customers FOR EACH ROW WHEN (NEW.id = '" + w.slow + "') EXECUTE FUNCTION dawdle()",
		"UPDATE subscriptions SET auto_issuance = true WHERE account_id = '" + t.account + "'",
	} {
		if _, err := t.conn.Exec(ctx, statement); err != nil {
			return w, err
		}
	}
	return w, t.awaitParked(ctx)
}

// awaitParked waits for a unit that failed: a machine may be quicker with a round than the worker with its first look.
func (t *tables) awaitParked(ctx context.Context) error {
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var some bool
		err := t.conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM parked_units WHERE account_id = $1)", t.account).Scan(&some)
		if err != nil || some {
			return err
		}
		if time.Since(began) > time.Minute {
			return errors.New("no unit has failed within a minute")
		}
	}
}

// begin locks a row and sends requests for it and for one that is slow, until stop is called. It waits until
// they have all connections that they get, and has the units that failed tried again.
func (w spoiler) begin(ctx context.Context) (stop func() error, err error) {
	if _, err := w.tables.conn.Exec(ctx, "UPDATE parked_units SET next_try_at = clock_timestamp() WHERE account_id = $1", w.tables.account); err != nil {
		return nil, err
	}
	tx, err := w.tables.conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := tx.Exec(ctx, "SELECT FROM customers WHERE id = $1 FOR UPDATE", w.locked); err != nil {
		return nil, errors.Join(err, tx.Rollback(ctx))
	}
	sending, leave := context.WithCancel(ctx)
	var sent sync.WaitGroup
	for _, customer := range slices.Concat(slices.Repeat([]string{w.locked}, lockedPuts), slices.Repeat([]string{w.slow}, slowPuts)) {
		sent.Go(func() {
			for n := 0; sending.Err() == nil; n++ {
				change := rig.Request{Method: http.MethodPut, Path: "/v1/customers/" + customer, Body: object{"name": fmt.Sprint("Worst ", n)}}
				_, _ = w.server.Send(sending, change) // most are refused
			}
		})
	}
	stop = func() error {
		leave()
		sent.Wait()
		return tx.Rollback(ctx)
	}
	for began := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var stuck int
		if _, err := tx.Exec(ctx, "SELECT pg_stat_clear_snapshot()"); err != nil { // a transaction sees the same again
			return nil, errors.Join(err, stop())
		}
		err := tx.QueryRow(ctx, `SELECT count(*) FROM pg_stat_activity
			WHERE datname = current_database() AND state = 'active' AND application_name = 'tollkeeper' AND wait_event_type IN ('Lock', 'Timeout')`).Scan(&stuck)
		if err != nil {
			return nil, errors.Join(err, stop())
		}
		if stuck >= 4 {
			return stop, nil
		}
		if time.Since(began) > time.Minute {
			return nil, errors.Join(fmt.Errorf("only %d requests are stuck", stuck), stop())
		}
	}
}
