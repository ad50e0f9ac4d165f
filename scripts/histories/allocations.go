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

// grantsCredits reports whether a subscription has an allocation price at any time.
func (s *subscription) grantsCredits() bool {
	return slices.ContainsFunc(s.intervals, func(i *interval) bool { return i.spec.allocation() })
}

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
		if len(l.blocks) == 0 && !w.before.IsZero() { // days whose invoice was issued by then are closed
			now := w.now
			w.now = w.before
			w.settleIn(c, g.spec.Credits)
			w.now = now
		}
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
	end := z.start(g.block.from) // where the period is gone, with its first day
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
		see(i.spec.allocation() && i.spec.Cycle == (cycle{}), "one-time allocation")
	}
	for _, g := range s.grants {
		see(len(g.takes) > 0, "grant that was taken back")
		see(g.amount.Cmp(rat(g.spec.Amount)) != 0, "grant of a difference")
	}
}

// allocation is a price that grants credits.
func (g *generator) allocation(plan string) priceSpec {
	p := priceSpec{Name: plan + "." + g.name("credits"), Model: "allocation", Advance: true, Credits: pick(g, "credits", "credits", "USD"),
		Cycle:  pick(g, cycle{}, cycle{Months: 1}, cycle{Months: 1}, cycle{Months: 1}, cycle{Months: 3}, cycle{Months: 12}),
		Amount: pick(g, "12", "40", "150.5"), Basis: pick(g, "0", "0.05", "0.5", "0.333")}
	p.Quantity, p.Item = p.Amount, p.Name
	switch g.IntN(4) {
	case 0:
	case 1:
		p.Lasts = pick(g, 5, 20, 45)
	default:
		p.Expires = p.Cycle != (cycle{})
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
