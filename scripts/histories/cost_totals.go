package main

import (
	"context"
	"fmt"
	"math/big"
)

// costTotals compares the costs of the days of a line of usage, after adjustments, with the line:
// the costs of any timeframe add up to the invoices of it. It looks at the last line whose period
// is over, if what the invoice charges is still what is known of the usage.
func (r *run) costTotals(ctx context.Context, s *subscription) error {
	var last *line
	of := map[*line]piece{}
	for _, i := range s.intervals {
		for _, p := range s.pieces(i, r.w.now) {
			for _, l := range r.books.ofPiece(p) {
				if i.spec.Metric == "" || i.spec.Metric == composite || l.source != "subscription" || !l.from.Equal(p.since) || !l.to.Equal(p.to) || l.to.After(r.w.now) {
					continue
				}
				of[l] = p
				if last == nil || l.to.After(last.to) || l.to.Equal(last.to) && l.name < last.name {
					last = l
				}
			}
		}
	}
	if last == nil {
		return nil
	}
	for _, l := range last.lines {
		if p, usage := of[l]; usage && !same(r.w.quantity(p), l.quantity) {
			return nil // late usage: costs know it, the invoice does not
		} else if !usage && l.price != "" && l.credits.Sign() != 0 {
			return nil
		}
	}
	p := of[last]
	z := s.customer.zone
	// The same price, of another version of the plan, may share the day of a bound.
	if !z.start(z.day(p.since)).Equal(p.since) || !z.start(z.day(p.to)).Equal(p.to) {
		for _, i := range s.intervals {
			if i != p.interval && i.price == p.price {
				return nil
			}
		}
	}
	if r.inSeveral(last.invoice, p, func(a work) bool { return a.coupon != nil && a.coupon.part == nil }) {
		r.undecided("costs of a price under the amount of a coupon whose period has several invoices")
		return nil
	}
	if r.inSeveral(last.invoice, p, func(a work) bool { return a.Kind == "minimum" }) { // costs show it from the first day on
		r.undecided("costs of a part of the period of a minimum")
		return nil
	}
	for _, a := range chained(r.w.worksOf(s)) { // costs of days before do not know the lines that follow in its period
		if in, ok := a.period(p); ok && a.amounts() && len(a.prices) > 1 && a.covers(p, in) && z.start(in.to).After(last.to) {
			r.undecided("costs of a price under an adjustment whose period goes on")
			return nil
		}
	}
	seen := fmt.Sprint(last, p.fraction())
	if r.known.totals[seen] && !r.known.full {
		return nil
	}
	r.known.totals[seen] = true
	n, err := r.c.get(ctx, fmt.Sprintf("/v1/subscriptions/%s/costs?view_mode=periodic&currency=%s&timeframe_start=%s&timeframe_end=%s", s.id, p.spec.unit("USD"),
		z.start(z.day(p.since)).Format("2006-01-02T15:04:05Z"), last.to.Format("2006-01-02T15:04:05Z")))
	if err != nil {
		return err
	}
	total := new(big.Rat)
	for _, d := range n.list("data") {
		for _, one := range d.list("per_price_costs") {
			if one.str("price_id") == last.price {
				total.Add(total, one.num("total"))
			}
		}
	}
	if want := sub(last.adjusted, r.w.covered(p, p.to)); !same(total, want) {
		return differ("costs of %s of %s are %s in all, not what its line comes to: %s%s", p.spec.Name, s.name, show(total), last, r.books.print(s.id))
	}
	return nil
}
