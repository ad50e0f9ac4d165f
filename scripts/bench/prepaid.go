package main

import (
	"context"
	"fmt"
	"time"
)

// What balances are followed with, and what is wanted of them.
const (
	given       = 1_000_000 // credits, more than the events take
	topUps      = 50        // probes that make credits be bought
	mostDelayed = 1000      // milliseconds until they are, p99
)

// saver is a customer that buys a credit as often as it used one.
const saver = "saver"

// prepaid is a customer that pays with credits.
type prepaid struct{ id, alias string }

// prepay makes a customer that has so many credits, each of which pays for an event.
func (p *process) prepay(ctx context.Context, plan, alias string, credits int) (prepaid, error) {
	id, err := p.Create(ctx, "/v1/customers", object{"name": alias, "email": "p@example.com", "external_customer_id": alias, "currency": "USD"})
	if err != nil {
		return prepaid{}, err
	}
	if _, err := p.Create(ctx, "/v1/subscriptions", object{"customer_id": id, "plan_id": plan, "start_date": monthOf(time.Now()).Format(time.DateOnly)}); err != nil {
		return prepaid{}, err
	}
	_, err = p.Create(ctx, "/v1/customers/"+id+"/credits/ledger_entry", object{"entry_type": "increment", "amount": credits})
	return prepaid{id, alias}, err
}

// inCredits is a plan that takes a credit for each event.
func (p *process) inCredits(ctx context.Context) (plan string, err error) {
	return p.offer(ctx, "Prepaid", []price{{sql: "SELECT COUNT(*) FROM events", model: object{
		"model_type": "unit", "unit_config": object{"unit_amount": "1"}, "currency": "credits", "conversion_rate": 1,
	}}})
}

// balance adds up what a customer has left.
func (p *process) balance(ctx context.Context, c prepaid) (left int, err error) {
	var page struct{ Data []struct{ Balance int } }
	err = p.Get(ctx, "/v1/customers/"+c.id+"/credits", &page)
	for _, block := range page.Data {
		left += block.Balance
	}
	return left, err
}

// bought counts the times that a customer bought credits by itself. It asks the database,
// since who asks the server for a balance brings it up to date.
func (t *tables) bought(ctx context.Context, c prepaid) (times int, err error) {
	err = t.conn.QueryRow(ctx, "SELECT count(*) FROM credit_blocks WHERE account_id = $1 AND customer_id = $2 AND source = 'top_up'",
		t.account, c.id).Scan(&times)
	return times, err
}

// balances measures how long after the answer to an event the balance shows it, and how
// long until credits are bought where few are left. It does so in an account of its own:
// one with top-ups looks at all events that come in.
func (r *report) balances(ctx context.Context, s *stage, p *process) error {
	t, err := s.open(ctx, "Prepaid")
	if err != nil {
		return err
	}
	defer t.close()
	p = p.as(t)
	if err := sell(ctx, p); err != nil {
		return err
	}
	plan, err := p.inCredits(ctx)
	if err != nil {
		return err
	}
	payer, err := p.prepay(ctx, plan, "payer", given)
	if err != nil {
		return err
	}
	err = r.follow(ctx, t, p, effect{what: "the balance", alias: payer.alias, probes: probes, most: mostStale, shown: func(nth int) (bool, error) {
		left, err := p.balance(ctx, payer)
		return left == given-nth, err
	}})
	if err != nil {
		return err
	}
	buyer, err := p.prepay(ctx, plan, saver, 11)
	if err != nil {
		return err
	}
	_, err = p.Create(ctx, "/v1/customers/"+buyer.id+"/credits/top_ups", object{
		"currency": "credits", "threshold": "10", "amount": "1", "per_unit_cost_basis": "0.10",
		"invoice_settings": object{"auto_collection": false, "net_terms": 0},
	})
	if err != nil {
		return err
	}
	err = r.follow(ctx, t, p, effect{what: "a top-up", alias: buyer.alias, probes: topUps, most: mostDelayed, shown: func(nth int) (bool, error) {
		time.Sleep(time.Millisecond)
		times, err := t.bought(ctx, buyer)
		return times == nth, err
	}})
	if err != nil {
		return err
	}
	if left, err := p.balance(ctx, buyer); err != nil || left != 11 {
		r.fail("%d credits are left where each was replaced, not 11 (%v)", left, err)
	}
	return nil
}

// runCredits measures credits alone.
func runCredits(ctx context.Context, o options) error {
	u, err := usualStage(ctx, o)
	if err != nil {
		return err
	}
	defer u.tearDown()
	r := newReport(o.out, fmt.Sprintf("%d events present", o.present))
	if err := r.ledgers(ctx, u.stage, u.tables, u.server); err != nil {
		return err
	}
	if err := r.balances(ctx, u.stage, u.server); err != nil {
		return err
	}
	return r.verdict()
}
