package main

import (
	"context"
	"fmt"
	"math/big"
	"time"
)

// costs compares the costs of the subscription's whole life with what its service periods
// are worth to date.
func (r *run) costs(ctx context.Context, s *subscription) error {
	if s.from.After(r.w.now) || (!s.to.IsZero() && !s.to.After(s.from)) {
		return nil
	}
	z := s.customer.zone
	end := z.start(z.day(r.w.now) + 1)
	if !s.to.IsZero() && s.to.Before(end) {
		end = s.to
	}
	currencies := map[string]bool{}
	for _, i := range s.intervals {
		currencies[i.spec.unit("USD")] = true
	}
	for currency := range currencies {
		if err := r.costsIn(ctx, s, currency, end); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) costsIn(ctx context.Context, s *subscription, currency string, end time.Time) error {
	from, key := s.from, s.name+" "+currency
	want, rounds := r.costsUntil(s, currency, end)
	before := map[string]*big.Rat{}
	if known, ok := r.known.costs[key]; ok && !r.known.full {
		if was, _ := r.costsUntil(s, currency, known.until); equal(was, known.sums) {
			from, before = known.until, was
		}
	}
	if from.After(s.from) && r.known.untouched(s.name) {
		known := r.known.costs[key]
		if known.waits++; known.waits < 4 || equal(want, before) {
			r.known.costs[key] = known
			return nil // nothing is expected of the days since, or they are compared with the next ones
		}
	}
	if !from.Before(end) {
		return nil
	}
	n, err := r.c.get(ctx, fmt.Sprintf("/v1/subscriptions/%s/costs?view_mode=periodic&currency=%s&timeframe_start=%s&timeframe_end=%s", s.id, currency,
		from.Format("2006-01-02T15:04:05Z"), end.Format("2006-01-02T15:04:05Z")))
	if err != nil {
		return err
	}
	got := map[string]*big.Rat{}
	for _, d := range n.list("data") {
		for _, p := range d.list("per_price_costs") {
			got[p.str("price_id")] = plus(got[p.str("price_id")], p.num("subtotal"))
		}
	}
	for id, w := range want {
		g := plus(got[id], new(big.Rat))
		if before[id] != nil {
			w = sub(w, before[id])
		}
		if !same(g, w) && new(big.Rat).Abs(sub(g, w)).Cmp(mul(half, num(2*rounds[id]))) > 0 {
			name := ""
			for _, i := range s.intervals {
				if i.price == id {
					name = i.spec.Name
				}
			}
			return differ("costs of %s of %s from %s until %s are %s, expected %s", name, s.name, clock(from), clock(end), show(g), show(w))
		}
	}
	past := s.customer.zone.start(s.customer.zone.day(r.w.now)) // today goes on
	if end.Before(past) {
		past = end
	}
	sums, _ := r.costsUntil(s, currency, past)
	r.known.costs[key] = cost{until: past, sums: sums}
	return nil
}

// costsUntil is what the days of a subscription before an instant cost, by price, and how far
// rounding may move that, in cents.
func (r *run) costsUntil(s *subscription, currency string, end time.Time) (want map[string]*big.Rat, rounds map[string]int) {
	want, rounds = map[string]*big.Rat{}, map[string]int{}
	for _, i := range s.intervals {
		if i.spec.unit("USD") != currency || !i.from.Before(end) {
			continue
		}
		want[i.price] = plus(want[i.price], new(big.Rat))
		for _, p := range s.pieces(i, r.w.now) {
			if !p.from.Before(end) {
				continue
			}
			switch {
			case i.spec.Metric == composite:
				rounds[i.price] += 1 << 20
				r.undecided("costs of a composite price")
			case i.spec.Metric != "":
				want[i.price] = plus(want[i.price], rounded(r.w.used(p, end), currency))
				if p.since.Before(p.from) { // earlier invoices have that
					want[i.price] = sub(want[i.price], rounded(r.w.used(p, p.from), currency))
				}
			case i.spec.allocation() && s.troubled:
				rounds[i.price] += 1 << 20 // no rule says for which days costs show what was given back
			case p.to.After(r.w.now) && (len(i.quantities) > 0 || s.troubled):
				rounds[i.price] += 1 << 20 // no rule says which of the quantities that lie ahead count
			default:
				want[i.price] = plus(want[i.price], cents(p.quantitiesBy(r.w.now).fee()))
				rounds[i.price] += 2*(len(i.quantities)+p.parted()) + min(p.parts, 1)
			}
		}
	}
	return want, rounds
}

// parted is how often documents bill a fee in parts: up to an end that was taken back, and on from there.
// Costs are the sum of what they bill (semantics 7.1.9), each of which is rounded.
func (p piece) parted() (n int) {
	z := p.sub.customer.zone
	for _, end := range append(append([]time.Time(nil), p.sub.former...), p.interval.former...) {
		if p.spec.Advance && end.After(p.from) && end.Before(z.start(p.cycle.to)) {
			n++
		}
	}
	return n
}

// plus adds to a sum that may not be there yet.
func plus(sum, part *big.Rat) *big.Rat {
	if sum == nil {
		return part
	}
	return add(sum, part)
}

// equal reports whether two lists of sums are the same.
func equal(a, b map[string]*big.Rat) bool {
	if len(a) != len(b) {
		return false
	}
	for key, sum := range a {
		if b[key] == nil || !same(sum, b[key]) {
			return false
		}
	}
	return true
}
