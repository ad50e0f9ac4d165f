package main

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
)

// blockOf finds a block of a customer by its name.
func (c *customer) blockOf(name string) (*ledger, *block, string) {
	for currency, l := range c.ledgers {
		for _, b := range l.blocks {
			if b.name == name && b.id != "" {
				return l, b, currency
			}
		}
	}
	return nil, nil, ""
}

// take takes an amount from a block by hand.
func (b *block) take(amount *big.Rat) {
	if b.hand == nil {
		b.hand = new(big.Rat)
	}
	b.hand = add(b.hand, amount)
}

// voidCredits takes an amount of a block away (semantics 10.3.6).
func (r *run) voidCredits(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	l, b, currency := buyer.blockOf(s.Name)
	if b == nil || l.left(b).Cmp(rat(s.Amount)) < 0 {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/customers/"+buyer.id+"/credits/ledger_entry",
		object{"entry_type": "void", "block_id": b.id, "amount": json.Number(s.Amount), "currency": currency}); err != nil {
		return err
	}
	b.take(rat(s.Amount))
	return nil
}

// moveExpiry moves an amount of a block to one of its own with another expiry (semantics 10.3.5).
func (r *run) moveExpiry(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	l, b, currency := buyer.blockOf(s.Plan)
	if b == nil || parseDay(s.Until) < b.from || l.left(b).Sign() <= 0 {
		return errSkipped
	}
	amount := l.left(b)
	body := object{"entry_type": "expiration_change", "block_id": b.id, "target_expiry_date": s.Until, "currency": currency}
	if s.Amount != "" {
		if amount.Cmp(rat(s.Amount)) < 0 {
			return errSkipped
		}
		amount = rat(s.Amount)
		body["amount"] = json.Number(s.Amount)
	}
	if _, err := r.post(ctx, "/v1/customers/"+buyer.id+"/credits/ledger_entry", body); err != nil {
		return err
	}
	b.take(amount)
	l.blocks = append(l.blocks, &block{name: s.Name, from: b.from, to: parseDay(s.Until), item: b.item, basis: b.basis, initial: amount, moved: true})
	r.w.settleIn(buyer, currency) // a top-up may add credits at once
	return r.learnBlocks(ctx, buyer, currency, l)
}

// learnBlocks finds out the identifiers of blocks that the server made by rule.
func (r *run) learnBlocks(ctx context.Context, c *customer, currency string, l *ledger) error {
	r.w.allocate(c)
	found, err := r.c.all(ctx, "/v1/customers/"+c.id+"/credits?include_all_blocks=true&currency="+currency)
	if err != nil {
		return err
	}
	open := currency == "USD" && r.vague(c) // no rule says what was paid, so neither what comes back of it
	known := map[string]bool{}
	for _, b := range l.blocks {
		known[b.id] = true
	}
	for _, b := range l.blocks {
		if b.id != "" {
			continue
		}
		for k := len(found) - 1; k >= 0 && b.id == ""; k-- { // oldest first
			n := found[k]
			if !known[n.str("id")] && n.instant("expiry_date").Equal(b.endAt(c.zone)) && c.zone.day(n.instant("effective_date")) == b.from && (same(n.num("maximum_initial_balance"), b.initial) || open && b.revived) {
				b.id = n.str("id")
				known[b.id] = true
			}
		}
		if b.id == "" && !(open && b.revived) {
			return differ("%s has no block of %s %s from %s to %s: %s%s", c.name, show(b.initial), currency, b.from, b.to, nodes(found), printLedger(c, l, nil))
		}
	}
	if open {
		l.blocks = slices.DeleteFunc(l.blocks, func(b *block) bool { return b.id == "" })
		return nil
	}
	for _, n := range found {
		if !known[n.str("id")] {
			return differ("%s has a block that no rule makes: %s", c.name, n)
		}
	}
	return nil
}

func nodes(all []node) (text string) {
	for _, n := range all {
		text += "\n      " + n.String()
	}
	return text
}

// moneyFeatures are those of what was done to a customer's credits, balance and invoices by hand.
func (c *customer) moneyFeatures(see func(bool, string)) {
	for _, l := range c.ledgers {
		see(l.topUp != nil, "top-up")
		for _, b := range l.blocks {
			see(b.granted, "block of an allocation")
			see(b.moved, "block of credits that were moved")
			see(b.added, "block of a top-up")
			see(b.added && b.basis.Sign() > 0, "top-up that costs")
			see(b.revived, "block of credits that came back")
		}
	}
	c.saleFeatures(see)
	see(len(c.manual) > 0, "balance moved by hand")
	for _, v := range c.oneOffs {
		see(v.issued, "one-off invoice")
		see(!v.issued, "one-off invoice ahead")
	}
}

func (g *generator) voidCredits() (step, bool) {
	c, l, b := g.block()
	if b == nil || l.left(b).Sign() <= 0 {
		return step{}, false
	}
	s := step{Do: "void credits", Of: c.name, Name: b.name, Amount: pick(g, "1", "2.5", "7")}
	return s, l.left(b).Cmp(rat(s.Amount)) >= 0
}

func (g *generator) moveExpiry() (step, bool) {
	c, l, b := g.block()
	if b == nil || l.left(b).Sign() <= 0 {
		return step{}, false
	}
	s := step{Do: "move expiry", Of: c.name, Plan: b.name, Name: g.name("block"), Amount: pick(g, "", "2", "5")}
	s.Until = g.date(c, 1, 40)
	if g.chance(15) {
		s.Until = g.date(c, 0, 0)
	}
	return s, true
}

// block is one that has not expired.
func (g *generator) block() (*customer, *ledger, *block) {
	c := g.customer()
	for _, currency := range []string{"credits", "USD"} {
		l := c.ledgers[currency]
		if l == nil || len(l.blocks) == 0 || g.chance(30) {
			continue
		}
		if b := pick(g, l.blocks...); b.to == 0 || b.to > c.zone.day(g.w.now) {
			return c, l, b
		}
	}
	return nil, nil, nil
}
