package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/jackc/pgx/v5"

	"tollkeeper/domain/event"
	"tollkeeper/store"
)

// mixed are the prices of each subscription that is billed.
var mixed = []price{
	{}, // a fee in advance
	{sql: "SELECT SUM(tokens) FROM events"},
	{sql: "SELECT COUNT(*) FROM events", model: object{"model_type": "tiered", "tiered_config": object{"tiers": []object{
		{"first_unit": 0, "last_unit": 5, "unit_amount": "0.10"}, {"first_unit": 5, "last_unit": nil, "unit_amount": "0.05"},
	}}}},
	{sql: "SELECT SUM(tokens) FROM events", model: byProperty("region", regions)},
	{sql: "SELECT MAX(seconds) FROM events", model: object{"model_type": "package", "package_config": object{"package_amount": "3.00", "package_size": 2}}},
}

// What billing is measured with, and what is wanted of it.
const (
	billedUsual  = 10_000 // subscriptions
	billedFull   = 100_000
	eachUses     = 10 // events in the month
	leastBilling = 300
	prepaidShare = 5      // of so many subscriptions as are billed, one is billed once more with a block of credits
	leastPrepaid = 80     // of those
	variedShare  = 20     // and of so many one in an account whose customers differ
	leastVaried  = 80     // of those
	variedKinds  = 5      // of which there are so many
	blockOf      = "1000" // more than a month costs
)

// workers is by how many a month is billed, in turns; two is what is wanted of. Very many
// subscriptions are billed by those alone: that the invoices do not depend on the workers
// shows with fewer.
func workers(subscriptions int) []int {
	if subscriptions > billedUsual {
		return []int{2}
	}
	return []int{1, 2, 4}
}

// runBilling measures billing alone.
func runBilling(ctx context.Context, o options) error {
	return onStage(ctx, "bench-billing-", o.binary, func(s *stage) error {
		r := newReport(o.out, fmt.Sprintf("%d subscriptions", o.billed))
		if err := r.billing(ctx, s, o.billed); err != nil {
			return err
		}
		return r.verdict()
	})
}

// billing moves the clocks of accounts with many subscriptions over the end of a month:
// invoices are opened, and those of the month issued. However many workers do it, the
// invoices are the same.
func (r *report) billing(ctx context.Context, s *stage, subscriptions int) error {
	june := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	bills := ""
	for _, n := range workers(subscriptions) {
		these, err := r.billMonth(ctx, s, line{month: june, workers: n, subscriptions: subscriptions, least: leastBilling})
		if err != nil {
			return err
		}
		if bills == "" {
			bills = these
		}
		if bills != these {
			r.fail("%d workers make other invoices than one", n)
		}
	}
	_, err := r.billMonth(ctx, s, line{month: june, workers: 2, subscriptions: subscriptions / prepaidShare, prepaid: true, least: leastPrepaid})
	if err != nil {
		return err
	}
	_, err = r.billMonth(ctx, s, line{month: june, workers: 2, subscriptions: subscriptions / variedShare, varied: true, least: leastVaried})
	return err
}

// line is a month that is billed: so many subscriptions by so many workers, and whether each customer
// has a block of credits that pays for its usage, or customers are of all kinds.
type line struct {
	month                  time.Time
	workers, subscriptions int
	prepaid                bool
	varied                 bool
	least                  float64 // invoices a second that are wanted of two workers
}

func (l line) String() string {
	what := fmt.Sprintf("invoices issued, %d at once", l.workers)
	if l.prepaid {
		what += ", credits"
	}
	if l.varied {
		what += ", varied"
	}
	return what
}

// billMonth measures a line, and returns the digest of the invoices and ledger entries that it made.
func (r *report) billMonth(ctx context.Context, s *stage, l line) (digest string, err error) {
	b, err := s.openBilling(ctx, l)
	if err != nil {
		return "", err
	}
	defer func() { b.server.stop() }()
	if l.prepaid { // alone: its copies would be brought up to date day by day
		if err := b.advance(ctx, b.end().Add(-2*time.Hour)); err != nil {
			return "", err
		}
	}
	if l.varied { // what is made late in the month is brought up to date on few days
		if err := b.advance(ctx, b.end().AddDate(0, 0, -2)); err != nil {
			return "", err
		}
	}
	if err := b.multiply(ctx, l); err != nil {
		return "", err
	}
	if err := b.advance(ctx, b.end().Add(-time.Hour)); err != nil { // by then most of the month is put together
		return "", err
	}
	if err := b.settle(ctx, b.server); err != nil {
		return "", err
	}
	if err := r.bill(ctx, b, l); err != nil {
		return "", err
	}
	digest, err = b.bills(ctx)
	fmt.Fprintf(os.Stderr, "%s: documents %s\n", l, digest)
	return digest, err
}

// billed is an account whose month is billed, and a server for it.
type billed struct {
	*tables
	server *process
	url    string // of the database
	month  time.Time
	seed   string // the alias of the customer of which the others are copies
}

// end is when the month is over.
func (b *billed) end() time.Time { return b.month.AddDate(0, 1, 0) }

// billingName begins the names of accounts that are billed, once each.
const billingName = "Billing"

// openBilling makes the account, with one subscription.
func (s *stage) openBilling(ctx context.Context, l line) (b *billed, err error) {
	name := billingName + store.Random(8)
	t, err := s.open(ctx, name)
	if err != nil {
		return nil, err
	}
	_, err = t.conn.Exec(ctx, "UPDATE accounts SET mode = 'test', clock_now = $2 WHERE id = $1", t.account, l.month)
	if err != nil {
		return nil, err
	}
	if _, err = t.conn.Exec(ctx, "SELECT ensure_event_partition($1)", l.month); err != nil {
		return nil, err
	}
	b = &billed{tables: t, url: s.url, month: l.month, seed: "customer-seed"}
	if b.server, err = s.serve(ctx, t.key, true, fmt.Sprint("TOLLKEEPER_WORKERS=", l.workers)); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.server.stop()
		}
	}()
	plan, err := b.server.offer(ctx, name, mixed)
	if err != nil {
		return nil, err
	}
	if err := b.server.subscribe(ctx, plan, b.seed, l.month); err != nil || !l.prepaid {
		return b, err
	}
	_, err = b.server.Create(ctx, "/v1/customers/external_customer_id/"+b.seed+"/credits/ledger_entry",
		object{"entry_type": "increment", "amount": json.Number(blockOf), "currency": "USD"})
	return b, err
}

// forgetBilled removes the accounts that were billed, those of a run that was broken off
// too, with all that they have. It refers to each other, and issued invoices must not
// change, so that is not checked.
func (t *tables) forgetBilled(ctx context.Context) error {
	tx, err := t.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, `SELECT attrelid::regclass::text FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
		WHERE attname = 'account_id' AND relkind IN ('r', 'p') AND NOT relispartition`)
	if err != nil {
		return err
	}
	having, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	const are = " = ANY (ARRAY(SELECT id FROM accounts WHERE starts_with(name, $1)))"
	for _, table := range having {
		if _, err := tx.Exec(ctx, "DELETE FROM "+table+" WHERE account_id"+are, billingName); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(ctx, "DELETE FROM accounts WHERE id"+are, billingName); err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = t.conn.Exec(ctx, "VACUUM (ANALYZE)")
	return err
}

// multiply makes the other subscriptions, as rows, and the events of all.
func (b *billed) multiply(ctx context.Context, l line) error {
	began, subscriptions := time.Now(), l.subscriptions
	sell := b.copySubscriptions
	if l.varied {
		sell = b.sellVaried
	}
	if err := sell(ctx, subscriptions); err != nil {
		return err
	}
	st, err := store.Open(ctx, b.url)
	if err != nil {
		return err
	}
	defer func() { _ = st.Close() }()
	if err := event.EnsurePartitions(ctx, st); err != nil {
		return err
	}
	tx, err := b.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	_, err = tx.Exec(ctx, `
		INSERT INTO events (account_id, idempotency_key, event_name, subject, "timestamp", properties, ingested_at, seq)
		SELECT $1, md5(n::text), 'request', 'e:customer-' || n % $2::int, $3::timestamptz + n * interval '1 day' * 29 / ($2::int * $4::int),
			format('{"tokens":%s,"seconds":%s.25,"region":"%s","seat_id":"seat"}', n % 997, n % 7, ($5::text[])[1 + n % 4])::jsonb,
			clock_timestamp(), event_number() + n
		FROM generate_series(0, $2::int * $4::int - 1) AS n`, b.account, subscriptions, b.month, eachUses, regions)
	if err != nil {
		return err
	}
	if err := tx.Commit(ctx); err != nil {
		return err
	}
	_, err = b.conn.Exec(ctx, "VACUUM (ANALYZE)")
	fmt.Fprintf(os.Stderr, "%d subscriptions made in %.0f s\n", subscriptions, time.Since(began).Seconds())
	return err
}

// copySubscriptions copies the one that is there, with its customer and its draft. The
// copies refer to each other all around, so nobody checks that before all are there.
func (b *billed) copySubscriptions(ctx context.Context, times int) error {
	tx, err := b.conn.Begin(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	if _, err := tx.Exec(ctx, "SET LOCAL session_replication_role = replica"); err != nil {
		return err
	}
	for _, table := range []string{"customers", "subscriptions", "plan_intervals", "price_intervals", "invoices", "credit_ledgers", "credit_blocks", "ledger_entries"} {
		if err := b.copyRows(ctx, tx, table, times, "NOT coalesce(to_jsonb(t)->>'number', '') LIKE '%-0%'"); err != nil {
			return fmt.Errorf("copy %s: %w", table, err)
		}
	}
	// Usage that was there all along is deducted as soon as the clock moves.
	if _, err := tx.Exec(ctx, "UPDATE credit_ledgers SET due_at = (SELECT clock_now FROM accounts WHERE id = $1) WHERE account_id = $1", b.account); err != nil {
		return err
	}
	return tx.Commit(ctx)
}

// copiedID finds the ids that a copy has of its own, in a row as JSON. Such an id keeps its prefix and its last letters;
// the eight between are the number of the copy. These are letters and digits in each id, so the name of a
// column, as in "line_id": null, is none. The end of a line's id is base64. PostgreSQL and Go read the pattern alike.
const copiedID = `"(cus|sub|planinterval|pint|inv|line|block|entry)_[0-9A-Za-z]{8}([0-9A-Za-z_-]{12})"`

// copyRows copies the rows of a table that a condition holds for, with ids of their own.
func (b *billed) copyRows(ctx context.Context, tx pgx.Tx, table string, times int, where string) error {
	var columns, made string
	err := tx.QueryRow(ctx, `SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position),
			string_agg('made.' || quote_ident(column_name), ', ' ORDER BY ordinal_position) FROM information_schema.columns
		WHERE table_schema = 'public' AND table_name = $1 AND is_identity = 'NO' AND is_generated = 'NEVER'`, table).Scan(&columns, &made)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, fmt.Sprintf(`
		WITH c AS MATERIALIZED (SELECT * FROM customers WHERE account_id = $1 AND external_customer_id = $2),
			t AS MATERIALIZED (SELECT * FROM %[1]s AS t WHERE account_id = $1 AND %[4]s)
		INSERT INTO %[1]s (%[2]s) SELECT %[3]s
			FROM generate_series(0, $3::int - 1) AS n CROSS JOIN c CROSS JOIN t,
			LATERAL (SELECT string_agg(chr(65 + n / (26 ^ k)::int %% 26), '' ORDER BY k) AS letters FROM generate_series(0, 5) AS k) AS l,
			LATERAL jsonb_populate_record(NULL::%[1]s, regexp_replace(replace(replace(to_jsonb(t)::text, $2, 'customer-' || n), c.invoice_prefix, letters),
				'%[5]s', '"\1_' || lpad(n::text, 8, '0') || '\2"', 'g')::jsonb) AS made`, table, columns, made, where, copiedID),
		b.account, b.seed, times)
	return err
}
