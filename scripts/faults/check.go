package main

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// rules are queries that count what breaks them. They share nothing with the server but its
// tables. @told are the keys of the events that were answered, in @events; @weekly has the
// account that is billed each week, with @subscriptions.
var rules = []struct{ name, sql string }{
	{"an answered event is lost", `
		SELECT count(*) FROM unnest(@told::text[]) AS answered(key)
		WHERE NOT EXISTS (SELECT FROM events e WHERE e.account_id = @events AND e.idempotency_key = answered.key)`},
	{"an event is there twice", `
		SELECT count(*) FROM (SELECT FROM events GROUP BY account_id, idempotency_key HAVING count(*) > 1) AS twice`},
	{"an event is stored that no client sent", `
		SELECT count(*) FROM events e WHERE account_id = @events
			AND NOT EXISTS (SELECT FROM unnest(@told::text[]) AS answered(key) WHERE answered.key = e.idempotency_key)`},
	{"a key does not lead to its event", `
		SELECT count(*) FROM event_keys k
		WHERE NOT EXISTS (SELECT FROM events e WHERE (e.account_id, e.idempotency_key, e.seq) = (k.account_id, k.idempotency_key, k.seq))`},
	{"a subscription is missing or one too many", `
		SELECT abs(count(*) - @subscriptions) FROM subscriptions WHERE account_id = @weekly`},
	{"a period is not invoiced", weeks + `
		SELECT count(*) FROM weeks w
		WHERE NOT EXISTS (SELECT FROM invoices i WHERE i.account_id = @weekly
			AND i.subscription_id = w.id AND i.invoice_date = w.date AND i.status = 'issued')`},
	{"a period is invoiced twice", `
		SELECT count(*) FROM (SELECT FROM invoices WHERE account_id = @weekly
			GROUP BY subscription_id, invoice_date HAVING count(*) > 1) AS twice`},
	{"an invoice is issued for no period", weeks + `
		SELECT count(*) FROM invoices i WHERE account_id = @weekly AND status <> 'draft'
			AND NOT EXISTS (SELECT FROM weeks w WHERE w.id = i.subscription_id AND w.date = i.invoice_date)`},
	{"an issued invoice has not its one line of 10.00", `
		SELECT count(*) FROM invoices i WHERE account_id = @weekly AND status <> 'draft' AND (i.total <> 10 OR ARRAY[10::numeric] IS DISTINCT FROM (
			SELECT array_agg(amount) FROM invoice_lines l WHERE l.account_id = @weekly AND l.invoice_id = i.id))`},
	{"numbers of invoices have a hole or repeat", `
		SELECT count(*) FROM (SELECT FROM invoices WHERE account_id = @weekly AND number IS NOT NULL GROUP BY customer_id
			HAVING count(DISTINCT number) <> count(*) OR max(split_part(number, '-', 2)::int) <> count(*)) AS wrong`},
	{"a ledger lacks one of its three entries", `
		SELECT count(*) FROM subscriptions s WHERE account_id = @weekly AND (
			SELECT count(*) FROM ledger_entries e WHERE e.account_id = @weekly AND e.customer_id = s.customer_id) < 3`},
	{"a ledger has more than its three entries", `
		SELECT count(*) FROM subscriptions s WHERE account_id = @weekly AND (
			SELECT count(*) FROM ledger_entries e WHERE e.account_id = @weekly AND e.customer_id = s.customer_id) > 3`},
	{"the three entries of a ledger do not leave 6", `
		SELECT count(*) FROM subscriptions s WHERE account_id = @weekly AND (
			SELECT count(*) = 3 AND coalesce(max(ending_balance) FILTER (WHERE sequence = 3), 0) <> 6
			FROM ledger_entries e WHERE e.account_id = @weekly AND e.customer_id = s.customer_id)`},
	{"a ledger has a hole, or an entry does not begin where the one before ends", `
		SELECT count(*) FROM (SELECT sequence, starting_balance, row_number() OVER entries AS place, lag(ending_balance, 1, 0) OVER entries AS before
			FROM ledger_entries WINDOW entries AS (PARTITION BY account_id, customer_id, currency ORDER BY sequence)) AS e
		WHERE sequence <> place OR starting_balance <> before`},
	{"work is parked that no fault holds up any more", `SELECT count(*) FROM parked_units`},
}

// weeks are the billing dates of the weekly subscriptions up to the clock.
const weeks = `WITH weeks AS (
	SELECT s.id, date FROM accounts a JOIN subscriptions s ON s.account_id = a.id,
		generate_series(s.start_at, a.clock_now, interval '7 days') AS date
	WHERE a.id = @weekly) `

// broken names the rules that are broken, after some changes of the database that are undone.
func (l *load) broken(ctx context.Context, changes ...string) (names []string, err error) {
	conn, err := pgx.Connect(ctx, l.m.url)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close(ctx) }()
	tx, err := conn.Begin(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = tx.Rollback(ctx) }()
	args := pgx.NamedArgs{"told": l.told.events, "events": l.events, "weekly": l.weekly, "subscriptions": l.told.weekly}
	for _, change := range changes {
		if _, err := tx.Exec(ctx, change, args); err != nil {
			return nil, fmt.Errorf("%s: %w", change, err)
		}
	}
	for _, rule := range rules {
		var times int
		if err := tx.QueryRow(ctx, rule.sql, args).Scan(&times); err != nil {
			return nil, fmt.Errorf("%s: %w", rule.name, err)
		}
		if times != 0 {
			names = append(names, fmt.Sprintf("%s: %d times", rule.name, times))
		}
	}
	return names, nil
}
