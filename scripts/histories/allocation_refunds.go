package main

import (
	"math/big"
	"slices"
	"time"
)

// taking is what was taken back of a grant.
type taking struct {
	by    *interval // the price that grants less; nil: its own price ended
	asked *big.Rat  // in credits
	taken *big.Rat
	from  time.Time // the first of the days that were left
	whole bool      // the period is gone: the refund is what was taken, whatever days were left
}

// happening is something that the model does at an instant that the clock passed.
type happening struct {
	at time.Time
	of *customer
	do func()
}

// fee is what a grant costs, after coupons.
func (g *grant) fee() *big.Rat {
	return g.piece.discount(cents(mul(g.amount, rat(g.spec.Basis))))
}

// refund is what a taking gives back of the fee: the smaller of its share of the days that were left
// and what the credits cost (11.2.5).
func (g *grant) refund(t taking) *big.Rat {
	fee, z := g.fee(), g.piece.sub.customer.zone
	cost := quo(mul(fee, t.taken), g.amount)
	if t.whole {
		return cents(cost)
	}
	whole := span{z.day(g.piece.from), g.piece.cycle.to}
	left := span{z.day(t.from), g.piece.cycle.to}
	share := quo(mul(quo(mul(fee, t.asked), g.amount), num(left.days())), num(whole.days()))
	return cents(least(share, cost))
}

// ends are the grants of a subscription that something is to be taken back of by now: as their price
// ended within the period or before it, or as one that grants less took its place.
func (r *run) ends(s *subscription) (all []happening) {
	for _, g := range s.grants {
		at, ok := r.w.now, !g.cut
		if p, still := s.pieceOf(g); still {
			for next, replaced := s.replacement(p); replaced; next, replaced = s.replacement(p) {
				if old, by := p, next; !by.from.After(r.w.now) && !s.reduced[by.interval] {
					s.reduced[by.interval] = true
					all = append(all, happening{r.within(by.from), s.customer, func() { s.reduce(old, by) }})
				}
				p = next
			}
			if p.interval.to.IsZero() || !p.interval.to.Before(s.customer.zone.start(p.cycle.to)) || p.interval.to.After(r.w.now) || p.spec.Cycle == (cycle{}) {
				continue
			}
			if at = p.interval.to; !s.lasts(p).IsZero() && !s.lasts(p).After(at) {
				continue
			}
			g.ended = at
		}
		issued := r.feeOf(s, g)
		if !ok || issued == nil || g.fee().Sign() <= 0 {
			continue
		}
		if at = r.within(at); issued.issued.After(at) {
			at = issued.issued
		}
		g.cut = true
		all = append(all, happening{at, s.customer, func() { s.takeBack(g) }})
	}
	return all
}

// within is an instant, or now if it lies before the last comparison: a change has brought it about.
func (r *run) within(at time.Time) time.Time {
	if !at.After(r.known.now) || at.After(r.w.now) {
		return r.w.now
	}
	return at
}

// feeOf is the issued line of the fee of a grant, nil if there is none.
func (r *run) feeOf(s *subscription, g *grant) *line {
	for _, l := range r.feesOf(s, g) {
		if l.status != "draft" {
			return l
		}
	}
	return nil
}

func (r *run) feesOf(s *subscription, g *grant) (all []*line) {
	for _, l := range r.books.of(s.id, g.price, g.piece.from, g.piece.from.Add(time.Microsecond)) {
		if l.source == "subscription" {
			all = append(all, l)
		}
	}
	return all
}

// takeBack takes back what is unspent of a grant whose price ended.
func (s *subscription) takeBack(g *grant) {
	l := s.customer.ledger(g.spec.Credits)
	t := taking{taken: greatest(l.left(g.block), new(big.Rat)), asked: g.amount}
	for _, before := range g.takes {
		t.asked = sub(t.asked, before.taken)
	}
	t.taken = least(t.taken, t.asked)
	if _, still := s.pieceOf(g); still {
		t.from = g.ended
	} else {
		t.whole = true
	}
	g.block.take(l.left(g.block))
	g.takes = append(g.takes, t)
}

// takeBackReturned takes back what came back to grants since their price ended, as an invoice of the
// subscription was issued: it is refunded, too.
func (s *subscription) takeBackReturned() {
	for _, g := range s.grants {
		end := slices.IndexFunc(g.takes, func(t taking) bool { return t.by == nil })
		if !g.cut || end < 0 {
			continue
		}
		t := &g.takes[end]
		more := greatest(s.customer.ledger(g.spec.Credits).left(g.block), new(big.Rat))
		g.block.take(more)
		t.taken = least(plus(t.taken, more), t.asked)
	}
}

// reduce takes back of the grants of a period, the last one first, what exceeds that of the price that
// took the place of theirs, as far as it is unspent.
func (s *subscription) reduce(old, next piece) {
	l := s.customer.ledger(next.spec.Credits)
	less := sub(s.outstanding(old), rat(next.spec.Amount))
	for p, found := old, true; found && less.Sign() > 0; p, found = s.replaced(p) {
		g := s.granted(p.interval, p.from)
		if g == nil {
			continue
		}
		asked := g.amount
		for _, before := range g.takes {
			asked = sub(asked, before.asked)
		}
		asked = least(asked, less)
		less = sub(less, asked)
		t := taking{by: next.interval, asked: asked, taken: greatest(least(asked, l.left(g.block)), new(big.Rat)), from: next.from}
		if g.block.over(s.customer.zone, next.from) {
			t.taken = new(big.Rat)
		}
		g.block.take(t.taken)
		g.takes = append(g.takes, t)
	}
}

// grants compares the fees of grants, less what was given back of them, with what is owed.
func (r *run) grants(s *subscription) error {
	for _, g := range s.grants {
		if r.w.voided[g.piece.key()] || len(g.takes) > 0 && g.spec.Credits == "USD" && r.vague(s.customer) {
			continue // of credits that pay under a shared adjustment it is not known what is unspent
		}
		billed, final := new(big.Rat), false
		for _, l := range r.feesOf(s, g) {
			billed.Add(billed, l.adjusted)
			final = final || l.status != "draft"
			for _, n := range r.books.notes {
				if n.invoice == l.invoice.id && n.name == l.name {
					billed.Sub(billed, n.amount)
				}
			}
		}
		owed := g.fee()
		for _, t := range g.takes {
			if final {
				owed = sub(owed, g.refund(t))
			}
		}
		_, still := s.pieceOf(g)
		spent := sub(g.amount, s.customer.ledger(g.spec.Credits).left(g.block))
		lapsed := !still && !final && spent.Sign() == 0 // on a draft, or on an invoice that was replaced
		if !same(billed, owed) && !(lapsed && billed.Sign() == 0) {
			return differ("the grant of %s of %s from %s is billed at %s, expected %s: %s%s", g.spec.Name, s.name, clock(g.piece.from), show(billed), show(owed), g, r.books.print(s.id))
		}
	}
	return nil
}
