package main

import (
	"math/big"
	"slices"
	"sort"
	"time"
)

// giveBackIssued returns what was drawn above the final lines of invoices that were issued since
// the last comparison, and takes back what is unspent of grants that ended, each at its instant. What
// comes back pays for overage that is still on drafts by then (semantics 10.2.5, 10.2.7 and 10.2.8).
func (r *run) giveBackIssued() {
	for _, c := range r.w.customers {
		r.w.allocate(c)
	}
	var fresh []*invoice
	r.books.ahead = map[string]bool{}
	for _, id := range r.books.order {
		v := r.books.invoices[id]
		if _, before := r.books.issued[id]; before || v.status == "draft" || v.status == "void" || v.source != "subscription" {
			continue
		}
		fresh = append(fresh, v)
		r.books.ahead[id] = true
	}
	place := func(v *invoice) int {
		return slices.IndexFunc(r.w.order, func(name string) bool { return r.w.subs[name].id == v.sub })
	}
	sort.SliceStable(fresh, func(i, j int) bool {
		a, b := fresh[i], fresh[j]
		switch {
		case !a.issued.Equal(b.issued):
			return a.issued.Before(b.issued)
		case !a.date.Equal(b.date):
			return a.date.Before(b.date)
		}
		return place(a) < place(b)
	})
	var all []happening
	for _, v := range fresh {
		if k := place(v); k >= 0 {
			s := r.w.subs[r.w.order[k]]
			all = append(all, happening{v.issued, s.customer, func() {
				delete(r.books.ahead, v.id)
				r.giveBackOf(s, v)
			}})
		}
	}
	for _, name := range r.w.order {
		all = append(all, r.ends(r.w.subs[name])...)
	}
	sort.SliceStable(all, func(i, j int) bool { return all[i].at.Before(all[j].at) })
	now := r.w.now
	for _, one := range all {
		if !one.at.After(now) {
			r.w.now = one.at
			r.w.settle(one.of)
			one.do()
		}
	}
	r.w.now, r.books.ahead = now, map[string]bool{}
}

// giveBackOf returns what was drawn above the final lines of an invoice. Also what a block gets back that
// has expired for good pays for overage of its time, before it expires (semantics 10.2.8).
func (r *run) giveBackOf(s *subscription, v *invoice) {
	back := map[*ledger]string{}
	for _, i := range s.intervals {
		for _, p := range s.pieces(i, r.w.now) {
			for _, l := range v.lines {
				if i.spec.advance() || l.price != i.price || !l.from.Equal(p.since) || i.spec.Invoiced != nil && !l.to.Equal(p.to) {
					continue
				}
				currency := i.spec.unit("USD")
				ledger := s.customer.ledger(currency)
				for _, one := range ledger.charges { // its days are final, also where it is issued without a grace period
					one.committed = one.committed || one.interval == p.interval && one.of(p, s.customer.zone)
				}
				if surplus := sub(ledger.drawn(p, s.customer.zone), greatest(sub(l.adjusted, r.w.covered(p, p.to)), new(big.Rat))); surplus.Sign() > 0 {
					if ledger.kept == nil {
						ledger.kept = map[*block]*big.Rat{}
					}
					for b, amount := range ledger.giveBack(p, surplus) {
						ledger.kept[b] = plus(ledger.kept[b], amount)
					}
					back[ledger] = currency
				}
			}
		}
	}
	for ledger, currency := range back {
		ledger.last = earlier(ledger.last, r.w.now.Add(-time.Microsecond)) // a block whose expiry is final just now may pay
		r.w.settleIn(s.customer, currency)
		ledger.kept = nil
	}
	s.takeBackReturned()
}
