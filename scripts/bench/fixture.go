package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/store"
)

// fixture is very many events of the last whole month, in UTC. The customer with the
// number 0 has a quarter of them.
type fixture struct {
	Present int       `json:"present"`
	Month   time.Time `json:"month"` // when it began
	Built   bool      `json:"built"` // whether they are in buckets
	Exact   bool      `json:"exact"` // whether the events of the exact bills are there too, and in buckets

	file string
}

const keptDir = ".data/bench-full-kept"

// fixtureDir is the directory of a fixture: the one that is kept, or a new one.
func fixtureDir(o options) (string, error) {
	if !o.keep {
		return scratch("bench-full-")
	}
	if _, err := os.Stat(filepath.Join(keptDir, "fixture.json")); err != nil {
		return keptDir, errors.Join(os.RemoveAll(keptDir), os.MkdirAll(keptDir, 0o700)) // what was not finished is of no use
	}
	return keptDir, nil
}

func (f *fixture) save() error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return os.WriteFile(f.file, text, 0o600)
}

// filled is how many rows one transaction makes.
const filled = 250_000

// fixture reads what is kept, or makes it: customers that buy first, then events, then
// their keys a second time, in one index.
func (s *stage) fixture(ctx context.Context, dir string, t *tables, present int) (*fixture, error) {
	f := &fixture{Present: present, Month: monthOf(monthOf(time.Now()).Add(-time.Hour)), file: filepath.Join(dir, "fixture.json")}
	if text, err := os.ReadFile(f.file); err == nil {
		if err := json.Unmarshal(text, f); err != nil || f.Present == present {
			return f, err
		}
		return nil, fmt.Errorf("%s has %d events; remove it to have %d", dir, f.Present, present)
	}
	if err := s.sellMonth(ctx, t, f.Month); err != nil {
		return nil, err
	}
	st, err := store.Open(ctx, s.url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = st.Close() }()
	began := time.Now()
	for first := 0; first < present; first += filled {
		if err := event.EnsurePartitions(ctx, st); err != nil { // as the server does now and then
			return nil, err
		}
		if err := t.fillMonth(ctx, f, first, min(first+filled, present)-1); err != nil {
			return nil, err
		}
		if (first/filled)%20 == 19 {
			fmt.Fprintf(os.Stderr, "%d events after %.0f s\n", first+filled, time.Since(began).Seconds())
		}
	}
	if err := t.gatherKeys(ctx); err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%d events made in %.0f s\n", present, time.Since(began).Seconds())
	return f, f.save()
}

// sellMonth subscribes the big customer and some small ones to ten prices.
func (s *stage) sellMonth(ctx context.Context, t *tables, month time.Time) error {
	p, err := s.serve(ctx, t.key, true)
	if err != nil {
		return err
	}
	defer p.stop()
	plan, err := p.offer(ctx, "Month", tenPrices)
	if err != nil {
		return err
	}
	for n := range 1 + smallOnes {
		if err := p.subscribe(ctx, plan, alias(n), month); err != nil {
			return err
		}
	}
	return nil
}

// fillMonth makes the events from first to last, in one transaction, as recordings leave
// them: the keys, which have no order, in the last part.
func (t *tables) fillMonth(ctx context.Context, f *fixture, first, last int) error {
	tx, err := t.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	_, err = tx.Exec(ctx, `
		INSERT INTO event_keys (part, account_id, idempotency_key, seq)
		SELECT (SELECT max(part) FROM event_key_parts), $1, md5(n::text), event_number() + n - $2
		FROM generate_series($2::bigint, $3) AS n`, t.account, first, last)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `
		INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
		SELECT $1, md5(n::text), 'request', 'e:customer-' || CASE n % 4 WHEN 0 THEN 0 ELSE 1 + mixed % $4 END,
			$5::timestamptz + ($6::timestamptz - $5::timestamptz) * (n / $7::float8),
			format('{"tokens":%s,"seconds":0.%s,"region":"%s","model":"%s","user":"user-%s"}', mixed % 10000, lpad((mixed % 1000)::text, 3, '0'),
				($8::text[])[1 + mixed % 4], ($9::text[])[1 + mixed % 3], mixed % $10)::jsonb,
			clock_timestamp(), event_number() + n - $2
		FROM generate_series($2::bigint, $3) AS n, LATERAL (SELECT (n * 2654435761 % 4294967296) / 64 AS mixed) AS m`,
		t.account, first, last, customers-1, f.Month, f.Month.AddDate(0, 1, 0), f.Present, regions, models, users)
	if err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// oneIndex is a table with all keys in one index, as full as it would be had they come one
// by one: what keys in parts are compared with.
const oneIndex = "bench_keys"

func (t *tables) gatherKeys(ctx context.Context) error {
	for _, statement := range strings.Split(`
		CREATE TABLE bench_keys AS SELECT part, account_id, idempotency_key, seq FROM event_keys;
		CREATE UNIQUE INDEX ON bench_keys (account_id, idempotency_key) WITH (fillfactor = 70);
		VACUUM (ANALYZE) bench_keys, event_keys, events`, ";") {
		if _, err := t.conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
