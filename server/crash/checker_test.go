package crash_test

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// rules are queries that count what breaks them. @told are the keys of the
// events that were answered, @account has the invoices, and @subs is the number of
// its subscriptions that were answered.
var rules = []struct{ name, sql string }{
	{"an answered event is lost", `
		SELECT count(*) FROM unnest(@told::text[]) AS answered(key)
		WHERE NOT EXISTS (SELECT FROM events e WHERE e.idempotency_key = answered.key)`},
	{"an event is there twice", `
		SELECT count(*) FROM (SELECT FROM events GROUP BY account_id, idempotency_key HAVING count(*) > 1) AS twice`},
	{"an event is there that nobody was told of", `
		SELECT count(*) FROM events e
		WHERE NOT EXISTS (SELECT FROM unnest(@told::text[]) AS answered(key) WHERE answered.key = e.idempotency_key)`},
	{"a key does not lead to its event", `
		SELECT count(*) FROM event_keys k
		WHERE NOT EXISTS (SELECT FROM events e WHERE (e.account_id, e.idempotency_key, e.seq) = (k.account_id, k.idempotency_key, k.seq))`},
	{"a subscription is missing or one too many", `
		SELECT abs(count(*) - @subs) FROM subscriptions WHERE account_id = @account`},
	{"a period is not invoiced", weeks + `
		SELECT count(*) FROM weeks w
		WHERE NOT EXISTS (SELECT FROM invoices i WHERE i.account_id = @account
			AND i.subscription_id = w.id AND i.invoice_date = w.date AND i.status = 'issued')`},
	{"a period is invoiced twice", `
		SELECT count(*) FROM (SELECT FROM invoices WHERE account_id = @account
			GROUP BY subscription_id, invoice_date HAVING count(*) > 1) AS twice`},
	{"an invoice is issued for no period", weeks + `
		SELECT count(*) FROM invoices i WHERE account_id = @account AND status <> 'draft'
			AND NOT EXISTS (SELECT FROM weeks w WHERE w.id = i.subscription_id AND w.date = i.invoice_date)`},
	{"a subscription has not its one draft", `
		SELECT count(*) FROM subscriptions s JOIN accounts a ON a.id = s.account_id WHERE account_id = @account AND 1 <> (
			SELECT count(*) FROM invoices i WHERE i.account_id = @account AND i.subscription_id = s.id AND i.status = 'draft'
				AND i.invoice_date > a.clock_now AND i.invoice_date <= a.clock_now + interval '7 days')`},
	{"numbers have a hole or repeat", `
		SELECT count(*) FROM (SELECT FROM invoices WHERE account_id = @account AND number IS NOT NULL GROUP BY customer_id
			HAVING count(DISTINCT number) <> count(*) OR max(split_part(number, '-', 2)::int) <> count(*)) AS wrong`},
	{"an issued invoice has not its one line of 10.00", `
		SELECT count(*) FROM invoices i WHERE account_id = @account AND status <> 'draft' AND (i.total <> 10 OR ARRAY[10::numeric] IS DISTINCT FROM (
			SELECT array_agg(amount) FROM invoice_lines l WHERE l.account_id = @account AND l.invoice_id = i.id))`},
}

// weeks are the billing dates of the weekly subscriptions up to the clock.
const weeks = `WITH weeks AS (
	SELECT s.id, date FROM accounts a JOIN subscriptions s ON s.account_id = a.id,
		generate_series(s.start_at, a.clock_now, interval '7 days') AS date
	WHERE a.id = @account) `

// check tells which rules are broken.
func check(ctx context.Context, tx pgx.Tx, h *history, account string) (broken []string, err error) {
	args := pgx.NamedArgs{"told": slices.Concat(h.events, h.past), "account": account, "subs": h.subs}
	for _, rule := range rules {
		var times int
		if err := tx.QueryRow(ctx, rule.sql, args).Scan(&times); err != nil {
			return nil, fmt.Errorf("%s: %w", rule.name, err)
		}
		if times != 0 {
			broken = append(broken, rule.name)
		}
	}
	return broken, nil
}

// findings are the rules that the checker finds broken after some changes of the
// database, which are undone.
func (m *machine) findings(h *history, account string, changes ...string) []string {
	GinkgoHelper()
	known := h.soFar()
	ctx := context.Background()
	conn, err := pgx.Connect(ctx, m.url())
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(conn.Close(ctx)).To(Succeed()) }()
	tx, err := conn.Begin(ctx)
	Expect(err).NotTo(HaveOccurred())
	defer func() { Expect(tx.Rollback(ctx)).To(Succeed()) }()
	for _, change := range changes {
		_, err := tx.Exec(ctx, change)
		Expect(err).NotTo(HaveOccurred(), change)
	}
	broken, err := check(ctx, tx, known, account)
	Expect(err).NotTo(HaveOccurred())
	return broken
}
