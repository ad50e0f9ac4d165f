package main

import (
	"context"
	"fmt"
	"math/big"
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
		n, err := r.c.get(ctx, fmt.Sprintf("/v1/subscriptions/%s/costs?view_mode=periodic&currency=%s&timeframe_start=%s&timeframe_end=%s", s.id, currency,
			s.from.Format("2006-01-02T15:04:05Z"), end.Format("2006-01-02T15:04:05Z")))
		if err != nil {
			return err
		}
		got := map[string]*big.Rat{}
		for _, d := range n.list("data") {
			for _, p := range d.list("per_price_costs") {
				if got[p.str("price_id")] == nil {
					got[p.str("price_id")] = new(big.Rat)
				}
				got[p.str("price_id")].Add(got[p.str("price_id")], p.num("subtotal"))
			}
		}
		want := map[string]*big.Rat{}
		rounds := map[string]int{}
		for _, i := range s.intervals {
			if i.spec.unit("USD") != currency || !i.from.Before(end) {
				continue
			}
			if want[i.price] == nil {
				want[i.price] = new(big.Rat)
			}
			for _, p := range s.pieces(i, r.w.now) {
				if !p.from.Before(end) {
					continue
				}
				switch {
				case i.spec.Metric != "":
					want[i.price].Add(want[i.price], rounded(r.w.used(p, end), currency))
				case p.to.After(r.w.now) && (len(i.quantities) > 0 || s.troubled):
					rounds[i.price] += 1 << 20 // no rule says which of the quantities that lie ahead count
				default:
					want[i.price].Add(want[i.price], cents(p.quantitiesBy(r.w.now).fee()))
					rounds[i.price] += 2 * len(i.quantities)
				}
			}
		}
		for id, w := range want {
			g := got[id]
			if g == nil {
				g = new(big.Rat)
			}
			if !same(g, w) && new(big.Rat).Abs(sub(g, w)).Cmp(mul(half, num(2*rounds[id]))) > 0 {
				name := ""
				for _, i := range s.intervals {
					if i.price == id {
						name = i.spec.Name
					}
				}
				return differ("costs of %s of %s until %s are %s, expected %s", name, s.name, clock(end), show(g), show(w))
			}
		}
	}
	return nil
}
