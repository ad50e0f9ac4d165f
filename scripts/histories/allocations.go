package main

import (
	"math/big"
	"slices"
	"sort"
	"time"
)

// An allocation price grants credits as each of its periods begins, for a fee in advance of amount x
// basis that is never prorated (semantics 11.2).

// allocation reports whether a price grants credits.
func (s priceSpec) allocation() bool { return s.Model == "allocation" }

// grant is the credits of a period of an allocation price.
type grant struct {
	*interval
	piece  piece // as it was when the period began
	block  *block
	amount *big.Rat
	takes  []taking
	cut    bool      // its price ended within the period, and what was unspent was taken back
	ended  time.Time // when that was
}

// taking is what was taken back of a grant.
type taking struct {
	by    *interval // the price that grants less; nil: its own price ended
	asked *big.Rat  // in credits
	taken *big.Rat
	from  time.Time // the first of the days that were left
	whole bool      // the period is gone: the refund is what was taken, whatever days were left
}

// granted is the grant of a period of an interval, nil if there is none.
func (s *subscription) granted(i *interval, from time.Time) *grant {
	for _, g := range s.grants {
		if g.interval == i && g.piece.from.Equal(from) {
			return g
		}
	}
	return nil
}

// allocate makes the grants of periods that have begun, and lets credits expire as the terms say now.
func (w *world) allocate(c *customer) {
	var fresh []*grant
	subs := map[*grant]*subscription{}
	for _, name := range w.order {
		s := w.subs[name]
		if s.customer != c {
			continue
		}
		for _, i := range s.intervals {
			if !i.spec.allocation() {
				continue
			}
			for _, p := range s.pieces(i, w.now) {
				if s.granted(i, p.from) != nil {
					continue
				}
				amount := s.share(p)
				if amount.Sign() <= 0 {
					continue
				}
				g := &grant{interval: i, piece: p, amount: amount}
				s.grants, fresh = append(s.grants, g), append(fresh, g)
				subs[g] = s
			}
		}
	}
	sort.SliceStable(fresh, func(a, b int) bool { return fresh[a].piece.from.Before(fresh[b].piece.from) })
	for _, g := range fresh {
		g.block = &block{name: "grant of " + g.spec.Name + " of " + subs[g].name, from: c.zone.day(g.piece.from), initial: g.amount, basis: rat(g.spec.Basis), granted: true, fresh: true}
		l := c.ledger(g.spec.Credits)
		l.blocks = append(l.blocks, g.block)
		subs[g].expire(g)
	}
	for _, name := range w.order {
		if s := w.subs[name]; s.customer == c {
			for _, g := range s.grants {
				w.bound(s, g)
			}
		}
	}
}

// bound lets the credits of a grant expire as the terms say now, unless they have.
func (w *world) bound(s *subscription, g *grant) {
	z := s.customer.zone
	if g.block.over(z, w.now) {
		return
	}
	s.expire(g)
	if end := g.block.endAt(z); !end.IsZero() && !end.After(w.now) { // what it paid for days from then on stays paid
		for _, one := range s.customer.ledger(g.spec.Credits).charges {
			if !one.at.Before(end) && slices.ContainsFunc(one.draws, func(d draw) bool { return d.block == g.block }) {
				one.committed, one.amount = true, one.drawn()
			}
		}
	}
}

// expire sets when the credits of a grant expire: as the price says, but no later than the price ends
// within the period, the subscription ends or it leaves the plan (11.2.3 to 11.2.5). Where another price
// took its place within the period, that one says it.
func (s *subscription) expire(g *grant) {
	z := s.customer.zone
	end := g.piece.from // where the period is gone
	if p, ok := s.pieceOf(g); ok {
		for next, found := s.replacement(p); found; next, found = s.replacement(p) {
			p = next
		}
		end = s.lasts(p)
		if !p.interval.to.IsZero() && p.interval.to.Before(z.start(p.cycle.to)) && p.spec.Cycle != (cycle{}) {
			end = sooner(end, p.interval.to)
		}
		end = sooner(sooner(end, s.to), s.leaves(p.interval))
	}
	if start := z.start(g.block.from); !end.IsZero() && end.Before(start) {
		end = start
	}
	g.block.end, g.block.to = end, 0
	if !end.IsZero() {
		if g.block.to = z.day(end); z.start(g.block.to).Before(end) {
			g.block.to++ // it pays for the day within which it expires
		}
	}
}

// pieceOf is the period of a grant as the terms have it now.
func (s *subscription) pieceOf(g *grant) (piece, bool) {
	if !slices.Contains(s.intervals, g.interval) || !g.interval.to.IsZero() && !g.interval.from.Before(g.interval.to) {
		return piece{}, false
	}
	for _, p := range s.pieces(g.interval, g.piece.from) {
		if p.from.Equal(g.piece.from) {
			return p, true
		}
	}
	return piece{}, false
}

// lasts is when credits expire if the price goes on, zero for never.
func (s *subscription) lasts(p piece) time.Time {
	z := s.customer.zone
	switch {
	case p.spec.Expires:
		return z.start(p.cycle.to)
	case p.spec.Lasts > 0:
		return z.start(z.day(p.from) + day(p.spec.Lasts))
	}
	return time.Time{}
}

// leaves is when the subscription leaves the plan of an interval, zero for never.
func (s *subscription) leaves(i *interval) time.Time {
	if i.change < len(s.changes) {
		return s.changes[i.change].at
	}
	return time.Time{}
}

// sooner is the earlier of two instants, of which zero is never.
func sooner(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// replaced is the period of the price whose place another one took in the middle of it (11.2.5).
func (s *subscription) replaced(p piece) (piece, bool) {
	z := s.customer.zone
	if p.spec.Cycle == (cycle{}) || !p.from.Equal(p.interval.from) || !z.start(p.cycle.from).Before(p.from) {
		return piece{}, false
	}
	for _, i := range s.intervals {
		if !i.spec.allocation() || i.spec.Credits != p.spec.Credits || i.spec.Cycle != p.spec.Cycle || !i.to.Equal(p.from) || !i.from.Before(i.to) {
			continue
		}
		all := s.pieces(i, p.from)
		if len(all) > 0 && all[len(all)-1].cycle == p.cycle {
			return all[len(all)-1], true
		}
	}
	return piece{}, false
}

// replacement is the period of the price that took the place of another one.
func (s *subscription) replacement(p piece) (piece, bool) {
	if p.interval.to.IsZero() {
		return piece{}, false
	}
	for _, i := range s.intervals {
		if !i.spec.allocation() || !i.from.Equal(p.interval.to) {
			continue
		}
		for _, next := range s.pieces(i, i.from) {
			if old, found := s.replaced(next); found && old.interval == p.interval && old.from.Equal(p.from) {
				return next, true
			}
		}
	}
	return piece{}, false
}

// share is what a period grants: where its price takes the place of another one, what exceeds all that
// was granted and not taken back.
func (s *subscription) share(p piece) *big.Rat {
	amount := rat(p.spec.Amount)
	if old, found := s.replaced(p); found {
		return greatest(sub(amount, s.outstanding(old)), new(big.Rat))
	}
	return amount
}

// outstanding is what was granted in the period by a price and those before it, and not taken back.
func (s *subscription) outstanding(p piece) *big.Rat {
	old, found := s.replaced(p)
	if !found {
		return rat(p.spec.Amount)
	}
	left := s.outstanding(old)
	for _, g := range s.grants {
		for _, t := range g.takes {
			if t.by == p.interval {
				left = sub(left, t.taken)
			}
		}
	}
	return greatest(rat(p.spec.Amount), left)
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

// happening is something that the model does at an instant that the clock passed.
type happening struct {
	at time.Time
	of *customer
	do func()
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
		if r.w.voided[g.piece.key()] || len(g.takes) > 0 && g.spec.Credits == "USD" && r.sharing(s.customer) {
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

func (g *grant) String() string {
	text := "grant of " + show(g.amount) + " from " + clock(g.piece.from) + " until " + clock(g.block.end)
	for _, t := range g.takes {
		text += ", of " + show(t.asked) + " " + show(t.taken) + " taken back from " + clock(t.from)
	}
	return text
}

// allocationFeatures are those of the grants of a subscription.
func (s *subscription) allocationFeatures(see func(bool, string)) {
	for _, i := range s.intervals {
		see(i.spec.allocation(), "allocation")
		see(i.spec.allocation() && rat(i.spec.Basis).Sign() > 0, "allocation with a cost basis")
		see(i.spec.allocation() && i.spec.Lasts == 0 && !i.spec.Expires, "allocation that rolls over")
	}
	for _, g := range s.grants {
		see(len(g.takes) > 0, "grant that was taken back")
		see(g.amount.Cmp(rat(g.spec.Amount)) != 0, "grant of a difference")
	}
}

// allocation is a price that grants credits.
func (g *generator) allocation(plan string) priceSpec {
	p := priceSpec{Name: plan + "." + g.name("credits"), Model: "allocation", Advance: true, Credits: pick(g, "credits", "credits", "USD"),
		Cycle:  pick(g, cycle{Months: 1}, cycle{Months: 1}, cycle{Months: 1}, cycle{Months: 3}, cycle{Months: 12}),
		Amount: pick(g, "12", "40", "150.5"), Basis: pick(g, "0", "0.05", "0.5", "0.333")}
	p.Quantity, p.Item = p.Amount, p.Name
	switch g.IntN(4) {
	case 0:
	case 1:
		p.Lasts = pick(g, 5, 20, 45)
	default:
		p.Expires = true
	}
	return p
}

// allocationPrice is the body of such a price in a plan.
func (s priceSpec) allocationPrice(item string) object {
	body := object{"amount": s.Amount, "currency": s.Credits, "cadence": cadences[s.Cycle], "per_unit_cost_basis": s.Basis, "item_id": item}
	if s.Expires {
		body["expires_at_end_of_cadence"] = true
	}
	if s.Lasts > 0 {
		body["custom_expiration"] = object{"duration": s.Lasts, "duration_unit": "day"}
	}
	return body
}
