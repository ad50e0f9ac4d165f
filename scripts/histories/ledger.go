package main

import (
	"math/big"
	"slices"
	"sort"
	"time"
)

// grace is how long after a local day its deductions are pending, and an invoice with usage
// waits after its date.
const grace = 12 * time.Hour

// block is a block of credits.
type block struct {
	name, id string
	from, to day       // to 0: never expires
	end      time.Time // when it expires, if that is no midnight or the rules of allocations say it
	item     string
	basis    *big.Rat
	initial  *big.Rat
	hand     *big.Rat // taken by hand: decrements and voids
	gone     bool

	moved, revived bool // it was made as expiries were moved, or as an invoice was voided
	sold, waits    bool // it was sold, and waits for payment
	added          bool // by a top-up
	granted        bool // by an allocation
	fresh          bool // it was granted since deductions were brought up to date
}

// charge is what a local day of a price costs, and who pays it (semantics 10.2.5).
type charge struct {
	sub, price string
	interval   *interval
	item       string
	day        day
	at         time.Time // when the day begins
	from       time.Time // when its part of the service begins
	amount     *big.Rat
	draws      []draw
	committed  bool
	trial      bool
}

type draw struct {
	block  *block
	amount *big.Rat
	back   *big.Rat  // of it, returned when the document was issued
	at     time.Time // when the entry was written first
}

func (c *charge) drawn() *big.Rat {
	total := new(big.Rat)
	for _, d := range c.draws {
		total.Add(total, sub(d.amount, d.back))
	}
	return total
}

// ledger is the credits of a customer in a currency.
type ledger struct {
	blocks  []*block // in order of creation
	charges []*charge
	last    time.Time           // when deductions were brought up to date
	topUp   *topUp              // nil: none
	paid    map[*block]*big.Rat // what blocks paid of pending days as these were worked out last
	kept    map[*block]*big.Rat // what expired blocks got back just now, and may pay with
}

func (c *customer) ledger(currency string) *ledger {
	if c.ledgers[currency] == nil {
		c.ledgers[currency] = &ledger{}
	}
	return c.ledgers[currency]
}

// left is what a block holds.
func (l *ledger) left(b *block) *big.Rat {
	left := new(big.Rat).Set(b.initial)
	for _, part := range []*big.Rat{b.hand} {
		if part != nil {
			left.Sub(left, part)
		}
	}
	for _, c := range l.charges {
		for _, d := range c.draws {
			if d.block == b {
				left.Sub(left, sub(d.amount, d.back))
			}
		}
	}
	return left
}

// inForce are the blocks that pay for a day, those first that pay first (semantics 10.2.1
// and 10.2.4).
func (l *ledger) inForce(d day) []*block {
	var all []*block
	for _, b := range l.blocks {
		if !b.gone && !b.waits && b.from <= d && (b.to == 0 || b.to > d) {
			all = append(all, b)
		}
	}
	sort.SliceStable(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if (a.item != "") != (b.item != "") {
			return a.item != ""
		}
		if a.to != b.to {
			return a.to != 0 && (b.to == 0 || a.to < b.to)
		}
		return a.basis.Cmp(b.basis) < 0
	})
	return all
}

// pay lets blocks pay for a day as far as they can.
func (l *ledger) pay(c *charge, z *zone, at time.Time) {
	open := sub(c.amount, c.drawn())
	for _, b := range l.inForce(c.day) {
		if open.Sign() <= 0 {
			return
		}
		if b.item != "" && b.item != c.item || slices.ContainsFunc(c.draws, func(d draw) bool { return d.block == b }) {
			continue // there is one entry for a day, price and block
		}
		part := least(open, l.left(b))
		if b.final(z, l.last) && !b.fresh { // it had expired for good: only what it paid of pending days is left
			was := plus(l.paid[b], new(big.Rat))
			most := plus(l.kept[b], was)
			if part = least(part, most); l.kept[b] != nil {
				l.kept[b] = sub(l.kept[b], greatest(sub(part, was), new(big.Rat)))
			}
			if l.paid != nil {
				l.paid[b] = greatest(sub(was, part), new(big.Rat))
			}
		}
		if part.Sign() <= 0 {
			continue
		}
		c.draws = append(c.draws, draw{b, part, new(big.Rat), at})
		open = sub(open, part)
	}
}

// final reports whether a block had expired for good by an instant.
func (b *block) final(z *zone, by time.Time) bool {
	end := b.endAt(z)
	return !end.IsZero() && !end.Add(grace).After(by)
}

// endAt is when a block expires, zero for never.
func (b *block) endAt(z *zone) time.Time {
	switch {
	case !b.end.IsZero():
		return b.end
	case b.to == 0:
		return time.Time{}
	}
	return z.start(b.to)
}

// over reports whether a block has expired by an instant.
func (b *block) over(z *zone, by time.Time) bool {
	end := b.endAt(z)
	return !end.IsZero() && !end.After(by)
}

// balance is what blocks in force at an instant hold.
func (l *ledger) balance(z *zone, at time.Time) *big.Rat {
	total := new(big.Rat)
	for _, b := range l.inForce(z.day(at)) {
		if !b.over(z, at) {
			total.Add(total, l.left(b))
		}
	}
	return total
}

// byHand takes an amount from the blocks in force, those first that pay first.
func (l *ledger) byHand(z *zone, at time.Time, amount *big.Rat) {
	for _, b := range l.inForce(z.day(at)) {
		if b.over(z, at) {
			continue
		}
		part := least(amount, l.left(b))
		if part.Sign() <= 0 {
			continue
		}
		b.take(part)
		amount = sub(amount, part)
	}
}

// settle brings the deductions of a customer up to date, day after day. Committed ones stay;
// those of pending days are worked out from what the committed ones left. Blocks that are new, or got
// something back, pay for overage of past days whose invoice is a draft (semantics 10.2.8).
func (w *world) settle(c *customer) {
	w.allocate(c)
	for currency, l := range c.ledgers {
		if len(l.blocks) > 0 { // before the first block no charge is closed for good
			w.settleIn(c, currency)
		}
	}
	for _, name := range w.order {
		for _, i := range w.subs[name].intervals {
			if w.subs[name].customer == c {
				c.ledger(i.spec.unit("USD"))
			}
		}
	}
}

func (w *world) settleIn(c *customer, currency string) {
	l, z := c.ledgers[currency], c.zone
	var kept []*charge
	written := map[entryKey]time.Time{} // of entries of pending days
	l.paid = map[*block]*big.Rat{}
	for _, one := range l.charges {
		if one.committed {
			kept = append(kept, one)
			continue
		}
		for _, d := range one.draws {
			written[entryKey{one.interval, one.day, d.block}] = d.at
			l.paid[d.block] = plus(l.paid[d.block], d.amount)
		}
	}
	l.charges = kept
	today := z.day(w.now)
	var pieces []piece
	first := today
	if l.topUp != nil && !l.last.IsZero() {
		first = min(today, z.day(l.last))
	}
	for _, name := range w.order {
		s := w.subs[name]
		if s.customer != c {
			continue
		}
		for _, i := range s.intervals {
			if i.spec.advance() || i.spec.unit("USD") != currency {
				continue
			}
			for _, p := range s.pieces(i, w.now) {
				pieces = append(pieces, p)
				first = min(first, z.day(p.from))
			}
		}
	}
	// Lines are served in the order of invoices, of one date in that of subscriptions; on one of
	// them by period start, then price order (price-models.md 7.1).
	sort.SliceStable(pieces, func(a, b int) bool {
		if x, y := pieces[a].billed(), pieces[b].billed(); !x.Equal(y) {
			return x.Before(y)
		}
		if x, y := slices.Index(w.order, pieces[a].sub.name), slices.Index(w.order, pieces[b].sub.name); x != y {
			return x < y
		}
		return pieces[a].since.Before(pieces[b].since) // as the line shows it: a part of usage, from the start of its cycle
	})
	for d := first; d <= today; d++ {
		known := len(l.charges)
		for _, p := range pieces {
			if w.voided[p.key()] || d < z.day(p.from) || !z.start(d).Before(p.to) && !w.late(p, d) {
				continue
			}
			if known := l.find(p, d); known != nil {
				if known.committed && !w.frozen(known) {
					l.pay(known, z, w.now)
				}
				continue
			}
			before := new(big.Rat)
			for _, one := range l.charges {
				if one.interval == p.interval && one.day >= z.day(p.since) && one.day < d {
					before.Add(before, one.amount)
				}
			}
			worth, why := w.worth(p, z.start(d+1))
			if why != "" && currency == "USD" {
				w.vague[c] = why
			}
			amount := sub(sub(worth, w.covered(p, z.start(d+1))), before)
			one := &charge{sub: p.sub.name, price: p.spec.Name, interval: p.interval, item: p.spec.Item, day: d, at: z.start(d), amount: greatest(amount, new(big.Rat)), trial: p.trial}
			// It is final with its day, and where its document is issued before that.
			if one.from = one.at; p.from.After(one.from) {
				one.from = p.from
			}
			one.committed = !z.start(d+1).Add(grace).After(w.now) || !one.at.Before(p.to) || !p.billed().Add(grace).After(w.now) || w.issued(p)
			at := w.now
			if one.at.After(l.last) {
				at = one.at
			}
			l.charges = append(l.charges, one)
			if w.frozen(one) { // the first block came after its document was issued (semantics 10.2.8)
				continue
			}
			l.pay(one, z, at)
			for n, drawn := range one.draws {
				if was, before := written[entryKey{one.interval, d, drawn.block}]; before {
					one.draws[n].at = was
				}
			}
		}
		switch began := z.start(d); {
		case d == today:
			l.topUpOn(d, z, w.now, l.charges[known:])
		case !l.last.IsZero() && began.After(l.last):
			l.topUpOn(d, z, began, l.charges[known:])
		}
	}
	l.last = w.now
	l.paid = nil
	for _, b := range l.blocks {
		b.fresh = false
	}
}

// entryKey names an entry: there is one for a price, a day and a block.
type entryKey struct {
	*interval
	day
	*block
}

// late reports whether a local day after the end of a service period takes what its closed days
// did not charge: where the price ended as of a past day, and the document is issued for it
// at once, the first day that is still pending does (semantics 10.2.7).
func (w *world) late(p piece, d day) bool {
	z := p.sub.customer.zone
	return p.to.Equal(p.interval.to) && !p.to.Add(grace).After(w.now) && z.start(d+1).Add(grace).After(w.now) && !w.issued(p)
}

// find is the charge of a day of a price, if it is committed or worked out already.
func (l *ledger) find(p piece, d day) *charge {
	for _, one := range l.charges {
		if one.interval == p.interval && one.day == d && (one.trial == p.trial || !one.at.Before(p.from)) { // a day on which a trial ends has two
			return one
		}
	}
	return nil
}

// drawn is what was drawn for a service period.
func (l *ledger) drawn(p piece, z *zone) *big.Rat {
	total := new(big.Rat)
	for _, one := range l.charges {
		if one.interval == p.interval && one.of(p, z) {
			total.Add(total, one.drawn())
		}
	}
	return total
}

// giveBack returns credits of a service period, those of the entry that was written last first
// (semantics 10.2.5), and says which blocks got how much.
func (l *ledger) giveBack(p piece, surplus *big.Rat) (back map[*block]*big.Rat) {
	back = map[*block]*big.Rat{}
	var all []*draw
	var of []*charge
	for _, one := range l.charges {
		if one.interval != p.interval || !one.of(p, p.sub.customer.zone) {
			continue
		}
		of = append(of, one)
		for n := range one.draws {
			all = append(all, &one.draws[n])
		}
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	for n := len(all) - 1; n >= 0 && surplus.Sign() > 0; n-- {
		part := least(surplus, sub(all[n].amount, all[n].back))
		all[n].back = add(all[n].back, part)
		back[all[n].block] = plus(back[all[n].block], part)
		surplus = sub(surplus, part)
	}
	for _, one := range of { // what comes back is not charged again
		if one.committed {
			one.amount = least(one.amount, one.drawn())
		}
	}
	return back
}

// of reports whether a charge is for a service period. Late usage may have been charged for a
// day after the end, where the price ends as of a past day: its last period has that.
func (c *charge) of(p piece, z *zone) bool {
	if p.trial && !c.trial || c.trial && !p.trial && c.at.Before(p.from) { // a day on which a trial ends has two
		return false
	}
	return c.day >= z.day(p.since) && (c.at.Before(p.to) || p.to.Equal(p.interval.to))
}
