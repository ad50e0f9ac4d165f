package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// bill moves the clock over the end of the month and the grace period after it.
func (r *report) bill(ctx context.Context, b *billed, l line) error {
	used, began := b.server.watch(), time.Now()
	before := used.now()
	if err := b.advance(ctx, b.end().Add(13*time.Hour)); err != nil {
		return err
	}
	took, work := time.Since(began), used.now().sub(before)
	var issued int
	err := b.conn.QueryRow(ctx, "SELECT count(*) FROM invoices WHERE account_id = $1 AND invoice_date = $2 AND status <> 'draft'",
		b.account, b.end()).Scan(&issued)
	if err != nil {
		return err
	}
	if issued != l.subscriptions+1 {
		r.fail("of %d subscriptions %d are invoiced", l.subscriptions+1, issued)
	}
	f := figure{what: l.String(), value: float64(issued) / took.Seconds(), unit: "/s", work: work, units: issued}
	if l.workers == 2 {
		f.least = l.least
		copied, spent, err := b.copyInvoices(ctx, used)
		if err != nil {
			return err
		}
		each := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(issued) }
		f.note = fmt.Sprintf("%d lines each; COPY of the rows %.0f us, %.0f of them the database's: %.0f times the time", len(mixed), each(copied), each(spent), took.Seconds()/copied.Seconds())
	}
	r.add(f)
	return nil
}

func (b *billed) advance(ctx context.Context, to time.Time) error {
	var moved struct{ Parked []json.RawMessage }
	if err := b.server.Post(ctx, "/v1/test_clock/advance", object{"now": to.Format(time.RFC3339)}, &moved); err != nil {
		return err
	}
	if len(moved.Parked) > 0 {
		return fmt.Errorf("due work failed: %s", moved.Parked[0])
	}
	return nil
}

// copyInvoices copies what was issued into tables with the same indexes and checks. It
// returns how long that takes, and the database's part of it.
func (b *billed) copyInvoices(ctx context.Context, used watch) (took, database time.Duration, err error) {
	for _, table := range []string{"invoices", "invoice_lines"} {
		var columns string
		err := b.conn.QueryRow(ctx, `SELECT string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position) FROM information_schema.columns
			WHERE table_schema = 'public' AND table_name = $1 AND is_identity = 'NO' AND is_generated = 'NEVER'`, table).Scan(&columns)
		if err != nil {
			return 0, 0, err
		}
		if _, err := b.conn.Exec(ctx, fmt.Sprintf("DROP TABLE IF EXISTS bench_%s; CREATE TABLE bench_%[1]s (LIKE %[1]s INCLUDING ALL)", table)); err != nil {
			return 0, 0, err
		}
		var rows bytes.Buffer
		all := fmt.Sprintf("COPY (SELECT %s FROM %s WHERE account_id = '%s') TO STDOUT", columns, table, b.account)
		if _, err := b.conn.PgConn().CopyTo(ctx, &rows, all); err != nil {
			return 0, 0, err
		}
		before, began := used.now(), time.Now()
		if _, err := b.conn.PgConn().CopyFrom(ctx, &rows, fmt.Sprintf("COPY bench_%s (%s) FROM STDIN", table, columns)); err != nil {
			return 0, 0, err
		}
		took, database = took+time.Since(began), database+used.now().sub(before).database
		if _, err := b.conn.Exec(ctx, "DROP TABLE bench_"+table); err != nil {
			return 0, 0, err
		}
	}
	return took, database, nil
}

// bills is a digest of all issued invoices of the account, line by line, and of its ledger entries, told
// apart by customer. It says the same of each run, whatever server makes the same documents.
func (b *billed) bills(ctx context.Context) (digest string, err error) {
	err = b.conn.QueryRow(ctx, `
		SELECT md5(string_agg(line, E'\n' ORDER BY line COLLATE "C")) FROM (
			SELECT concat_ws('|', c.external_customer_id, right(i.number, 5), i.invoice_date, i.issued_at, i.due_at, i.status, i.total, i.amount_due,
				l.position, l.name, l.start_at, l.end_at, l.quantity, l.subtotal, l.credits_applied, l.amount, l.exact, l.parts) AS line
			FROM invoices AS i JOIN customers AS c ON (c.account_id, c.id) = (i.account_id, i.customer_id)
				LEFT JOIN invoice_lines AS l ON (l.account_id, l.invoice_id) = (i.account_id, i.id)
			WHERE i.account_id = $1 AND i.status <> 'draft'
			UNION ALL
			SELECT concat_ws('|', c.external_customer_id, e.currency, e.sequence, e.kind, e.status, e.amount, e.starting_balance, e.ending_balance, e.day)
			FROM ledger_entries AS e JOIN customers AS c ON (c.account_id, c.id) = (e.account_id, e.customer_id)
			WHERE e.account_id = $1) AS lines`, b.account).Scan(&digest)
	return digest, err
}
