package main

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/jackc/pgx/v5"

	"tollkeeper/store"
)

// tables are those that events lie in, seen as their owner.
type tables struct {
	conn    *pgx.Conn
	account string
	key     string // API key
	source  source
}

// open is an account by its name, made unless it is there, with a key of its own.
func (s *stage) open(ctx context.Context, name string) (*tables, error) {
	conn, err := pgx.Connect(ctx, s.url)
	if err != nil {
		return nil, err
	}
	t := &tables{conn: conn, account: "acct_" + name, key: "tk_live_" + store.Random(32), source: source{made: time.Now().UnixMicro()}}
	_, err = conn.Exec(ctx, `INSERT INTO accounts (id, name, mode, number_prefix) VALUES ($1, $2, 'live', 'BENCHA') ON CONFLICT DO NOTHING`, t.account, name)
	if err != nil {
		return nil, err
	}
	hash := sha256.Sum256([]byte(t.key))
	_, err = conn.Exec(ctx, `INSERT INTO api_keys (id, account_id, name, hash, hint) VALUES ($1, $2, $3, $4, 'tk_live_')`,
		store.NewID("key"), t.account, name, hash[:])
	if err != nil {
		return nil, err
	}
	_, err = conn.Exec(ctx, `SELECT ensure_event_partition(m) FROM generate_series(now() - interval '1 month', now() + interval '1 month', '1 month') AS m`)
	return t, err
}

// openTwo opens an account that does its worst, and one that feels it.
func (s *stage) openTwo(ctx context.Context) (worst, innocent *tables, closeBoth func(), err error) {
	if worst, err = s.open(ctx, "Worst"); err != nil {
		return nil, nil, nil, err
	}
	if innocent, err = s.open(ctx, "Innocent"); err != nil {
		worst.close()
		return nil, nil, nil, err
	}
	return worst, innocent, func() { worst.close(); innocent.close() }, nil
}

func (t *tables) close() { _ = t.conn.Close(context.Background()) }

// fill copies what is there before the measurement, and lets the tables settle.
func (t *tables) fill(ctx context.Context, n int) error {
	const part = 50_000
	for n > 0 {
		if _, err := t.copy(ctx, t.rows(t.source.take(min(n, part), time.Now().Add(-time.Hour)))); err != nil {
			return err
		}
		n -= part
	}
	_, err := t.conn.Exec(ctx, "VACUUM (ANALYZE) event_keys, events")
	return err
}

// prepared rows are what the driver sends: making them is not measured.
type prepared struct{ keys, events [][]any }

func (t *tables) rows(rows []row) (p prepared) {
	now := time.Now()
	for i, r := range rows {
		p.keys = append(p.keys, []any{0, t.account, r.key, int64(i)})
		p.events = append(p.events, []any{t.account, r.key, "request", "e:" + r.alias, r.at, r.properties(), now, int64(i)})
	}
	return p
}

// number puts the rows into the last part of the keys and after all that is there, as
// a recording does.
func (p prepared) number(ctx context.Context, tx pgx.Tx) error {
	if _, err := tx.Exec(ctx, "LOCK TABLE event_key_parts IN ACCESS SHARE MODE"); err != nil {
		return err
	}
	var part int
	var first int64
	err := tx.QueryRow(ctx, "SELECT max(part), event_number() FROM event_key_parts").Scan(&part, &first)
	for i := range p.keys {
		seq := first + int64(i)
		p.keys[i][0], p.keys[i][3], p.events[i][7] = part, seq, seq
	}
	return err
}

// copy sends rows by COPY, in one transaction, and returns how long it took.
func (t *tables) copy(ctx context.Context, rows prepared) (time.Duration, error) {
	return t.copyKeysTo(ctx, "event_keys", rows)
}

// copyKeysTo is copy with another table for the keys.
func (t *tables) copyKeysTo(ctx context.Context, table string, rows prepared) (time.Duration, error) {
	began := time.Now()
	tx, err := t.conn.Begin(ctx)
	if err != nil {
		return 0, err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if err := rows.number(ctx, tx); err != nil {
		return 0, err
	}
	columns := []string{"part", "account_id", "idempotency_key", "seq"}
	if _, err = tx.CopyFrom(ctx, pgx.Identifier{table}, columns, pgx.CopyFromRows(rows.keys)); err != nil {
		return 0, err
	}
	columns = []string{"account_id", "idempotency_key", "event_name", "subject", "timestamp", "properties", "ingested_at", "seq"}
	if _, err = tx.CopyFrom(ctx, pgx.Identifier{"events"}, columns, pgx.CopyFromRows(rows.events)); err != nil {
		return 0, err
	}
	err = tx.Commit(ctx)
	return time.Since(began), err
}
