package main

import (
	"context"
	"fmt"
	"math/big"
	"slices"
)

// ledgers compares blocks and deductions.
func (r *run) ledgers(ctx context.Context, c *customer) error {
	for currency, l := range c.ledgers {
		if len(l.blocks) == 0 || currency == "USD" && r.vague(c) {
			continue
		}
		if unchanged := r.known.same(r.known.ledgers, c.name+" "+currency, l.text(c.zone, r.w.now)); unchanged && r.known.untouched(c.name) {
			continue
		}
		if slices.ContainsFunc(l.blocks, func(b *block) bool { return b.id == "" }) {
			if err := r.learnBlocks(ctx, c, currency, l); err != nil {
				return err
			}
		}
		blocks, err := r.c.all(ctx, "/v1/customers/"+c.id+"/credits?include_all_blocks=true&currency="+currency)
		if err != nil {
			return err
		}
		entries, err := r.c.all(ctx, "/v1/customers/"+c.id+"/credits/ledger?currency="+currency)
		if err != nil {
			return err
		}
		if err := r.compare(c, currency, l, blocks, entries); err != nil {
			return fmt.Errorf("%w%s", err, printLedger(c, l, entries))
		}
	}
	return nil
}

func printLedger(c *customer, l *ledger, entries []node) string {
	text := "\n    blocks:"
	for _, b := range l.blocks {
		text += fmt.Sprintf("\n      %s %s: %s from %s to %s", b.name, b.id, show(b.initial), b.from, b.to)
	}
	text += "\n    entries:"
	for k := len(entries) - 1; k >= 0; k-- {
		e := entries[k]
		text += fmt.Sprintf("\n      %s %s %s %s block %s price %s %s to %s", e.str("created_at"), e.str("entry_type"), show(e.num("amount")), e.str("entry_status"), e.at("credit_block").str("id"), e.str("price_id"), show(e.num("starting_balance")), show(e.num("ending_balance")))
	}
	text += "\n    expected:"
	for _, one := range l.charges {
		if one.amount.Sign() == 0 {
			continue
		}
		text += fmt.Sprintf("\n      %s %s of %s costs %s", one.day, one.price, one.sub, show(one.amount))
		for _, d := range one.draws {
			text += fmt.Sprintf(", %s of %s", show(d.amount), d.block.name)
		}
	}
	return text
}

func (r *run) compare(c *customer, currency string, l *ledger, blocks, entries []node) error {
	said := map[string]*big.Rat{}
	for _, b := range blocks {
		said[b.str("id")] = b.num("balance")
	}
	for _, b := range l.blocks {
		want := l.left(b)
		if b.gone || b.over(c.zone, r.w.now) {
			want = new(big.Rat)
		}
		if b.waits || b.sold && b.gone {
			continue // it is in no balance
		}
		got := said[b.id]
		if got == nil {
			return differ("block %s of %s is not listed", b.name, c.name)
		}
		if !same(got, want) {
			return differ("block %s of %s holds %s, expected %s", b.name, c.name, show(got), show(want))
		}
	}
	// A deduction belongs to a price, a day and a block. An entry does not say its day, so those
	// of a price and a block are compared as a set: one for each day.
	took, wanted := map[string][]string{}, map[string][]string{}
	list := func(m map[string][]string, key string, amount *big.Rat) {
		if amount.Cmp(tail) > 0 {
			m[key] = append(m[key], show(amount))
		}
	}
	for _, e := range entries {
		if e.str("entry_type") == "decrement" && e.str("price_id") != "" {
			list(took, fmt.Sprint(e.str("price_id"), " ", e.at("credit_block").str("id")), e.num("amount"))
		}
	}
	for _, one := range l.charges {
		for _, d := range one.draws {
			list(wanted, fmt.Sprint(one.interval.price, " ", d.block.id), d.amount)
		}
	}
	for key := range took {
		if wanted[key] == nil {
			return differ("the deductions %s are %v, expected none", key, took[key])
		}
	}
	for key, want := range wanted {
		got := took[key]
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			return differ("the deductions %s of days are %v, expected %v", key, got, want)
		}
	}
	return nil
}
