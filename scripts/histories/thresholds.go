package main

import (
	"math/big"
	"slices"
	"time"
)

// thresholds compares the partial invoices of a subscription with its threshold: each reaches it,
// the invoice at the end of the period takes off what they billed, and what is left of the usage
// of periods in force is below it once time has passed (semantics 6.2.7).
func (r *run) thresholds(s *subscription) error {
	billed := map[string]*big.Rat{}
	for _, id := range r.books.order {
		v := r.books.invoices[id]
		if v.sub != s.id || v.source != "partial" || v.status == "void" {
			continue
		}
		s.partial = true
		if s.threshold == nil || v.total.Cmp(s.threshold) < 0 {
			return differ("%s, whose threshold is %s, has a partial %s", s.name, showOrNone(s.threshold), v)
		}
		for _, l := range v.lines {
			for _, i := range s.intervals {
				for _, p := range s.pieces(i, r.w.now) {
					if i.price == l.price && !l.from.Before(p.from) && l.from.Before(p.to) {
						billed[p.key()] = plus(billed[p.key()], l.amount)
					}
				}
			}
		}
	}
	if s.threshold == nil && !slices.ContainsFunc(s.intervals, func(i *interval) bool { return i.spec.Invoiced != nil }) {
		return nil
	}
	open := new(big.Rat)
	amid := false // a partial invoice has the adjustments of its own date, which the draft may not have
	for _, i := range s.intervals {
		for _, p := range s.pieces(i, r.w.now) {
			if i.spec.Metric == "" || i.spec.Metric == composite {
				continue
			}
			amid = amid || p.changesAmid()
			for _, l := range r.books.ofPiece(p) {
				if _, done := r.books.issued[l.invoice.id]; done && l.status != "draft" || l.source != "subscription" {
					continue
				}
				want := plus(billed[p.key()], new(big.Rat))
				if i.spec.Invoiced != nil {
					want = r.books.before(l)
				}
				if !same(want, l.partially) {
					return differ("partial invoices of %s billed %s of the line %s", s.name, show(want), l)
				}
				switch {
				case !p.to.After(r.w.now):
				case !r.minimums(p):
					open.Add(open, l.amount)
				case l.credits.Sign() != 0:
					r.undecided("what is accrued of a line of which credits paid and a minimum works on")
				default: // a minimum is left to the end of the period
					accrued, why := r.accrued(p)
					if why != "" {
						r.undecided("what is accrued after " + why)
						return nil
					}
					open.Add(open, sub(accrued, l.partially))
				}
			}
		}
	}
	if amid && s.threshold != nil {
		r.undecided("what is accrued where an adjustment begins or ends amid a cycle")
		return nil
	}
	if s.threshold != nil && r.known.now != r.w.now && open.Cmp(s.threshold) >= 0 && s.active(r.w.now) {
		return differ("%s has used %s that is not invoiced, and its threshold is %s%s", s.name, show(open), show(s.threshold), r.books.print(s.id))
	}
	return nil
}

// changesAmid reports whether an adjustment or a coupon of the price begins or ends inside a service period.
func (p piece) changesAmid() bool {
	amid := func(at time.Time) bool { return at.After(p.from) && at.Before(p.to) }
	return slices.ContainsFunc(p.sub.adjusts, func(a *ownAdjustment) bool { return a.price == p.price && (amid(a.from) || amid(a.to)) }) ||
		slices.ContainsFunc(p.sub.coupons, func(d redemption) bool { return slices.Contains(d.prices, p.price) && (amid(d.from) || amid(d.to)) })
}

// minimums reports whether a minimum works on a service period.
func (r *run) minimums(p piece) bool {
	return slices.ContainsFunc(chained(r.w.worksOf(p.sub)), func(a work) bool {
		in, ok := a.period(p)
		return ok && a.Kind == "minimum" && a.covers(p, in)
	})
}

// active reports whether a subscription has begun and not ended.
func (s *subscription) active(now time.Time) bool {
	return !now.Before(s.from) && (s.to.IsZero() || now.Before(s.to))
}

func showOrNone(r *big.Rat) string {
	if r == nil {
		return "none"
	}
	return show(r)
}
