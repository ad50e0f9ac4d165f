package main

import (
	"context"
	"math/big"
	"net/http"
	"slices"
	"time"
)

// topUp adds credits to a ledger when its balance is at or below a threshold (semantics 11.1).
type topUp struct {
	id                string
	threshold, amount *big.Rat
	basis             *big.Rat // what a credit costs; above 0 it is invoiced each time
	days              int      // that the credits live; 0: for ever
}

// topUpOn adds credits on a local day as often as it takes, and lets them pay for what that day
// still charges: they are in force from its midnight on (11.1.1 and 11.1.5). What pays for charges that
// are pending is worked out again then, as those pay first that expire soonest (10.2.7).
func (l *ledger) topUpOn(d day, z *zone, at time.Time, pending []*charge) {
	if l.topUp == nil {
		return
	}
	before := len(l.blocks)
	for n := 0; n < 100 && l.balance(z, at).Cmp(l.topUp.threshold) <= 0; n++ {
		b := &block{name: "top-up of " + d.String(), from: d, initial: l.topUp.amount, basis: l.topUp.basis, added: true}
		if l.topUp.days > 0 {
			b.to = d + day(l.topUp.days)
		}
		l.blocks = append(l.blocks, b)
		for _, c := range l.charges {
			if c.day == d {
				l.pay(c, z, at)
			}
		}
	}
	if len(l.blocks) == before {
		return
	}
	for _, c := range pending {
		c.draws = nil
	}
	for _, c := range pending {
		l.pay(c, z, at)
	}
}

// addTopUp makes a top-up in place of the one there is.
func (r *run) addTopUp(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	body := object{"currency": s.Currency, "threshold": s.Basis, "amount": s.Amount, "per_unit_cost_basis": s.cost(),
		"invoice_settings": object{"auto_collection": false, "net_terms": 0}}
	if s.Day > 0 {
		body["expires_after"], body["expires_after_unit"] = s.Day, "day"
	}
	made, err := r.post(ctx, "/v1/customers/"+buyer.id+"/credits/top_ups", body)
	if err != nil {
		return err
	}
	buyer.ledger(s.Currency).topUp = &topUp{made.str("id"), rat(s.Basis), rat(s.Amount), rat(s.cost()), s.Day}
	r.w.settleIn(buyer, s.Currency)
	return nil
}

// cost is what a credit of a top-up costs.
func (s step) cost() string {
	if s.Price == "" {
		return "0.00"
	}
	return s.Price
}

// invoicesOfTopUps compares the invoices of a customer that no request made with the credits that
// top-ups added: each is of amount x basis, issued at once, and there is none where they are free (11.1.6).
func (r *run) invoicesOfTopUps(c *customer) error {
	var got, want []string
	for _, id := range r.books.order {
		v := r.books.invoices[id]
		if v.customer == c.id && v.source == "one_off" && !slices.ContainsFunc(c.oneOffs, func(one *oneOff) bool { return one.id == id }) {
			got = append(got, show(v.total))
			if v.status == "draft" {
				return differ("the invoice of a top-up of %s is a draft: %s", c.name, v)
			}
		}
	}
	for _, l := range c.ledgers {
		for _, b := range l.blocks {
			if b.added && b.basis.Sign() > 0 {
				want = append(want, show(cents(mul(b.initial, b.basis))))
			}
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return differ("top-ups of %s are invoiced with %v, expected %v", c.name, got, want)
	}
	return nil
}

// endTopUp deletes a top-up. The credits that it added stay.
func (r *run) endTopUp(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil || buyer.ledger(s.Currency).topUp == nil {
		return errSkipped
	}
	l := buyer.ledger(s.Currency)
	if _, err := r.c.ask(ctx, http.MethodDelete, "/v1/customers/"+buyer.id+"/credits/top_ups/"+l.topUp.id, nil); err != nil {
		return err
	}
	l.topUp = nil
	return nil
}

// topUp is a new top-up, or the end of one.
func (g *generator) topUp() (step, bool) {
	c := g.customer()
	if l := c.ledgers["credits"]; l != nil && l.topUp != nil && g.chance(60) {
		return step{Do: "end top-up", Of: c.name, Currency: "credits"}, true
	}
	return step{Do: "top-up", Of: c.name, Currency: "credits", Amount: pick(g, "10", "25.5", "60"), Basis: pick(g, "0", "4", "12.5"), Day: pick(g, 0, 3, 30), Price: pick(g, "", "0.10", "0.333")}, true
}
