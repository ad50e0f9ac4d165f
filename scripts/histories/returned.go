package main

import (
	"context"
	"math/big"
	"slices"
	"sort"
	"time"
)

// returned is what a block that had expired got back of a day, as an invoice was voided.
type returned struct {
	block  *block
	day    day
	amount *big.Rat
}

// giveBackAll returns what was drawn for a service period whose invoice was voided. Of blocks
// that have expired by now it says for which days.
func (l *ledger) giveBackAll(p piece, now time.Time) (back []returned) {
	z := p.sub.customer.zone
	for _, one := range l.charges {
		if one.interval != p.interval || !one.of(p, p.sub.customer.zone) {
			continue
		}
		for n := range one.draws {
			d := &one.draws[n]
			rest := sub(d.amount, d.back)
			d.back = d.amount
			if rest.Sign() == 0 || !d.block.over(z, now) {
				continue
			}
			k := slices.IndexFunc(back, func(of returned) bool { return of.block == d.block && of.day == one.day })
			if k < 0 {
				back, k = append(back, returned{d.block, one.day, new(big.Rat)}), len(back)
			}
			back[k].amount = add(back[k].amount, rest)
		}
		one.amount = one.drawn() // it is charged no more
	}
	return back
}

// revive makes blocks of what expired ones got back and did not pay since. Each expires as many
// days from today as the old one had left on the day that it had paid (semantics 8.1.15).
func (r *run) revive(ctx context.Context, c *customer, currency string, back []returned) error {
	l, today := c.ledgers[currency], c.zone.day(r.w.now)
	l.kept = map[*block]*big.Rat{}
	lost := map[*block]*big.Rat{}
	for _, of := range back {
		if l.kept[of.block] == nil {
			l.kept[of.block] = new(big.Rat)
		}
		l.kept[of.block] = add(l.kept[of.block], of.amount)
	}
	for b, kept := range l.kept {
		if b.final(c.zone, l.last) {
			lost[b] = sub(l.left(b), kept)
		}
	}
	r.w.settleIn(c, currency)
	place := func(b *block) int { return slices.Index(l.blocks, b) }
	sort.SliceStable(back, func(i, j int) bool {
		if back[i].block != back[j].block {
			return place(back[i].block) < place(back[j].block)
		}
		return back[i].day < back[j].day
	})
	for b, kept := range l.kept {
		left := l.left(b)
		if lost[b] != nil {
			left = sub(left, lost[b])
		}
		l.kept[b] = least(kept, left)
	}
	var made []*block
	for k, of := range back {
		if k+1 < len(back) && back[k+1].block == of.block && back[k+1].day == of.day { // one for both
			back[k+1].amount = add(back[k+1].amount, of.amount)
			continue
		}
		part := least(of.amount, l.kept[of.block])
		if part.Sign() <= 0 {
			continue
		}
		l.kept[of.block] = sub(l.kept[of.block], part)
		of.block.take(part)
		made = append(made, &block{name: of.block.name + " again", from: today, to: today + max(c.zone.day(of.block.endAt(c.zone))-of.day, 0), item: of.block.item, basis: of.block.basis, initial: part, revived: true})
	}
	l.kept = nil
	l.blocks = append(l.blocks, made...)
	if len(made) == 0 {
		return nil
	}
	return r.learnBlocks(ctx, c, currency, l)
}
