package main

import (
	"context"
	"fmt"
	"time"
)

// What keys with few rights, and the audit log, may cost: a pair of the same requests with and
// without them, in turns in one run, as the ratio of the processor time of server and database.
const (
	mostForRights  = 1.05
	mostForChanges = 1.25 // an entry and the rows before and after are written, which is work
)

// Requests of a round.
const (
	guardedEvents   = 50_000 // 100 in a request
	guardedReads    = 5_000
	guardedChanges  = 2_000
	guardedContract = 100 // each a customer and its subscription
)

// runGuards measures what rights of keys and the audit log cost.
func runGuards(ctx context.Context, o options) error {
	u, err := usualStage(ctx, o)
	if err != nil {
		return err
	}
	defer u.tearDown()
	r := newReport(o.out, fmt.Sprintf("%d events present, %d rounds", o.present, o.rounds))
	if err := r.guards(ctx, u, o.rounds); err != nil {
		return err
	}
	return r.verdict()
}

func (r *report) guards(ctx context.Context, u *usual, rounds int) error {
	item, err := u.server.Create(ctx, "/v1/items", object{"name": "Guarded"})
	if err != nil {
		return err
	}
	plan, err := u.server.offer(ctx, "Guarded", handful)
	if err != nil {
		return err
	}
	sender, err := u.restricted(ctx, "ingest")
	if err != nil {
		return err
	}
	reader, err := u.restricted(ctx, "items:read")
	if err != nil {
		return err
	}
	subscribed := 0
	return r.pairs(ctx, u, rounds, []pair{
		{"events: key of one right / of all", guardedEvents, mostForRights, func(ctx context.Context, guarded bool) error {
			if err := u.tables.settle(ctx, u.server); err != nil {
				return err
			}
			_, _, err := load(u.server.Addr, 16, either(guarded, sender, u.server).requests(bodies(u.tables.source.take(guardedEvents, time.Now()), 100)))
			return err
		}},
		{"reading: key of one right / of all", guardedReads, mostForRights, func(_ context.Context, guarded bool) error {
			_, _, err := load(u.server.Addr, 16, either(guarded, reader, u.server).reads("/v1/items/"+item, guardedReads))
			return err
		}},
		{"creating items: audit log / none", guardedChanges, mostForChanges, func(ctx context.Context, guarded bool) error {
			bodies := make([]string, guardedChanges)
			for i := range bodies {
				bodies[i] = `{"name": "Guarded"}`
			}
			return u.withAuditLog(ctx, guarded, func() error {
				_, _, err := load(u.server.Addr, 16, u.server.requestsTo("/v1/items", bodies))
				return err
			})
		}},
		{"subscribing: audit log / none", guardedContract, mostForChanges, func(ctx context.Context, guarded bool) error {
			return u.withAuditLog(ctx, guarded, func() error {
				for range guardedContract {
					subscribed++
					if err := u.server.subscribe(ctx, plan, fmt.Sprint("guarded-", subscribed), monthOf(time.Now())); err != nil {
						return err
					}
				}
				return nil
			})
		}},
	})
}

// pair is a kind of requests that is sent with a guard and without.
type pair struct {
	what  string
	units int     // requests or events of a round
	most  float64 // of the processor time without the guard
	send  func(ctx context.Context, guarded bool) error
}

// pairs sends all pairs in turns, the guarded one first in every second round.
func (r *report) pairs(ctx context.Context, u *usual, rounds int, all []pair) error {
	for _, p := range all {
		var with, without spent
		var ratios []float64
		for round := range rounds + 1 {
			var each [2]spent
			for turn := range 2 {
				guarded := (round+turn)%2 == 0
				before := u.server.watch().now()
				if err := p.send(ctx, guarded); err != nil {
					return fmt.Errorf("%s: %w", p.what, err)
				}
				if err := u.tables.settle(ctx, u.server); err != nil {
					return err
				}
				each[either(guarded, 1, 0)] = u.server.watch().now().sub(before)
			}
			if round == 0 {
				continue // caches are filled
			}
			without, with = without.add(each[0]), with.add(each[1])
			ratios = append(ratios, each[1].served()/each[0].served())
		}
		r.add(figure{what: p.what, value: median(ratios), unit: "of cpu", most: p.most, work: with, units: p.units * rounds,
			note: "without: " + without.each(p.units*rounds)})
	}
	return nil
}

// served is the processor time of server and database, in seconds.
func (s spent) served() float64 { return (s.server + s.database).Seconds() }

func either[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}

// restricted is the server asked with a key of one right, from this machine only.
func (u *usual) restricted(ctx context.Context, scope string) (*process, error) {
	var made struct {
		Key string `json:"api_key"`
	}
	err := u.server.Post(ctx, "/v1/api_keys", object{"name": "bench", "scopes": []string{scope}, "networks": []string{"127.0.0.0/8"}}, &made)
	return u.server.with(made.Key), err
}

// withAuditLog does something with the audit log, or with a database that keeps none: the owner
// disables the triggers, and entries are not stored. The statement that would store one is still
// sent, so the whole cost of the log is higher by that round trip.
func (u *usual) withAuditLog(ctx context.Context, kept bool, do func() error) error {
	if kept {
		return do()
	}
	for _, sql := range []string{
		`DO $$ DECLARE audited regclass; BEGIN
			FOR audited IN SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'audit' LOOP
				EXECUTE format('ALTER TABLE %s DISABLE TRIGGER audit', audited);
			END LOOP;
		END $$`,
		`CREATE OR REPLACE FUNCTION store_nothing() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`,
		`CREATE TRIGGER store_nothing BEFORE INSERT ON audit_entries FOR EACH ROW EXECUTE FUNCTION store_nothing()`,
	} {
		if _, err := u.tables.conn.Exec(ctx, sql); err != nil {
			return fmt.Errorf("end the audit log: %w", err)
		}
	}
	err := do()
	for _, sql := range []string{
		`DO $$ DECLARE audited regclass; BEGIN
			FOR audited IN SELECT tgrelid::regclass FROM pg_trigger WHERE tgname = 'audit' LOOP
				EXECUTE format('ALTER TABLE %s ENABLE TRIGGER audit', audited);
			END LOOP;
		END $$`,
		`DROP TRIGGER store_nothing ON audit_entries`,
	} {
		if _, failed := u.tables.conn.Exec(ctx, sql); failed != nil && err == nil {
			err = fmt.Errorf("keep the audit log again: %w", failed)
		}
	}
	return err
}
