package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"time"
)

// What is wanted where very many keys are known, as ratios to COPY of keys without an
// order into one index of them all.
const (
	leastRandom  = 1.3
	leastOrdered = 2.3
	mostWAL      = 1200 // bytes, of an event with a key without an order
	keyed        = 50_000
)

// arrival is how events come in right after a checkpoint, when each page that is touched
// goes into the log as a whole.
type arrival struct {
	taken
	logged int64 // bytes
}

// manyKeys measures the three kinds of arrival in turns.
func (r *report) manyKeys(ctx context.Context, t *tables, p *process, rounds int) error {
	nobody := &tables{conn: t.conn, account: "acct_Reference"} // whom nothing is aggregated for
	var one, random, ordered arrival
	for round := range rounds {
		sent := disordered(t.source.take(keyed, time.Now()))
		rows := prepared{keys: t.rows(sent).keys, events: nobody.rows(sent).events} // keys among all the others
		err := one.measure(ctx, t, p, func() (time.Duration, error) { return t.copyKeysTo(ctx, oneIndex, rows) })
		if err != nil {
			return err
		}
		if err := random.ingest(ctx, t, p, disordered(t.source.take(keyed, time.Now()))); err != nil {
			return err
		}
		if err := ordered.ingest(ctx, t, p, t.source.take(keyed, time.Now())); err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "round %d of %d\n", round+1, rounds)
	}
	with := ""
	if !p.buckets {
		with = ", no buckets"
	}
	events := keyed * rounds
	r.add(figure{
		what: "COPY into one index of all keys", value: median(one.rates) / 1e3, unit: "k/s", work: sum(one.works), units: events,
		note: fmt.Sprintf("%d B of WAL each", one.logged/int64(events)),
	})
	r.add(figure{what: "keys without order" + with, value: random.ratio(&one.taken), unit: "times", least: leastRandom, work: sum(random.works), units: events})
	r.add(figure{what: "keys without order" + with + ", WAL", value: float64(random.logged / int64(events)), unit: "B", most: mostWAL})
	r.add(figure{what: "keys in order" + with, value: ordered.ratio(&one.taken), unit: "times", least: leastOrdered, work: sum(ordered.works), units: events,
		note: fmt.Sprintf("%d B of WAL each", ordered.logged/int64(events))})
	return nil
}

// disordered gives rows keys without an order, among those of the fixture.
func disordered(rows []row) []row {
	var bytes [16]byte
	for i := range rows {
		_, _ = rand.Read(bytes[:]) // never fails
		rows[i].key = hex.EncodeToString(bytes[:])
	}
	return rows
}

func (a *arrival) ingest(ctx context.Context, t *tables, p *process, rows []row) error {
	requests := p.requests(bodies(rows, 100))
	return a.measure(ctx, t, p, func() (time.Duration, error) {
		took, _, err := load(p.Addr, 16, requests)
		return took, err
	})
}

// measure lets events come in after a checkpoint. What is logged and worked is that until
// all is in buckets.
func (a *arrival) measure(ctx context.Context, t *tables, p *process, arrive func() (time.Duration, error)) error {
	if _, err := t.conn.Exec(ctx, "CHECKPOINT"); err != nil {
		return err
	}
	from, err := t.logged(ctx)
	if err != nil {
		return err
	}
	used := p.watch()
	before := used.now()
	took, err := arrive()
	if err != nil {
		return err
	}
	if err := t.settle(ctx, p); err != nil {
		return err
	}
	to, err := t.logged(ctx)
	a.works = append(a.works, used.now().sub(before))
	a.logged += to - from
	a.rates = append(a.rates, keyed/took.Seconds())
	return err
}

// logged is how many bytes the write-ahead log ever had.
func (t *tables) logged(ctx context.Context) (bytes int64, err error) {
	err = t.conn.QueryRow(ctx, "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint").Scan(&bytes)
	return bytes, err
}
