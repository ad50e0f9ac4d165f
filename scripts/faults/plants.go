package main

import (
	"context"
	"fmt"
	"strings"

	"tollkeeper/scripts/rig"
)

// free lets a statement change what no statement may.
const free = "SET LOCAL session_replication_role = replica"

// plants are damages by SQL and the rule that finds each. They are undone.
var plants = []struct {
	name, rule string
	changes    []string
}{
	{"a lost event", "an answered event is lost", []string{
		"DELETE FROM events WHERE account_id = @events AND idempotency_key = (SELECT min(idempotency_key) FROM events WHERE account_id = @events)"}},
	{"an event that counts twice", "an event is there twice", []string{
		"INSERT INTO events SELECT * FROM events WHERE account_id = @events AND idempotency_key = (SELECT min(idempotency_key) FROM events WHERE account_id = @events)"}},
	{"a skipped unit of due work", "a period is not invoiced", []string{free,
		"UPDATE invoices SET status = 'draft', issued_at = NULL, number = NULL WHERE account_id = @weekly AND number LIKE '%-00002'"}},
	{"a period that is billed twice", "a period is invoiced twice", []string{"DROP INDEX invoices_once",
		`INSERT INTO invoices (account_id, id, created_at, customer_id, subscription_id, plan_id, source, status, currency, invoice_date, has_usage)
		SELECT account_id, 'inv_copy', created_at, customer_id, subscription_id, plan_id, source, 'draft', currency, invoice_date, has_usage
		FROM invoices WHERE account_id = @weekly AND number LIKE '%-00001' LIMIT 1`}},
	{"a ledger that does not add up", "an entry does not begin where the one before ends", []string{free,
		"UPDATE ledger_entries SET starting_balance = 8, ending_balance = 6 WHERE account_id = @weekly AND kind = 'decrement'"}},
	{"a ledger without an entry", "a ledger lacks one of its three entries", []string{free,
		"DELETE FROM ledger_entries WHERE account_id = @weekly AND amount = 1"}},
}

// plantAll plants damage of each kind after the last seed. It is an error if one is not found.
func (o options) plantAll(ctx context.Context, m *machine) error {
	if last == nil {
		return fmt.Errorf("no seed was played, so there is nothing to damage")
	}
	if broken, err := last.broken(ctx); err != nil || len(broken) > 0 {
		return fmt.Errorf("before any damage: %v, %w", broken, err)
	}
	found := func(name, rule string, findings []string) error {
		for _, finding := range findings {
			if strings.Contains(finding, rule) {
				_, _ = fmt.Fprintf(o.out, "planted %s: found\n", name)
				return nil
			}
		}
		return fmt.Errorf("planted %s: is not found in %q", name, findings)
	}
	for _, plant := range plants {
		broken, err := last.broken(ctx, plant.changes...)
		if err != nil {
			return err
		}
		if err := found(plant.name, plant.rule, broken); err != nil {
			return err
		}
	}
	last.told.note(func() { delete(last.told.heard, last.told.customers[0]) })
	lost, err := last.check(ctx)
	if err != nil {
		return err
	}
	if err := found("a lost webhook", "a webhook is lost", lost); err != nil {
		return err
	}
	// Those of the histories, whose prices count events.
	if err := rig.Execute(ctx, m.url, "UPDATE usage_buckets SET totals = ARRAY(SELECT total * 2 FROM unnest(totals) AS total)"); err != nil {
		return err
	}
	_, err = m.command().Run(ctx, "verify")
	if err == nil {
		return fmt.Errorf("planted events folded twice into buckets: is not found")
	}
	return found("events folded twice into buckets", "bucket", []string{err.Error()})
}
