package main

import (
	"math/big"
	"slices"
	"sort"
)

// giveBackIssued returns what was drawn above the final lines of invoices that were issued since
// the last comparison, each at its instant. What comes back pays for overage that is still on
// drafts by then (semantics 10.2.5, 10.2.7 and 10.2.8).
func (r *run) giveBackIssued() {
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
	now := r.w.now
	for _, v := range fresh {
		delete(r.books.ahead, v.id)
		if k := place(v); k >= 0 && !v.issued.After(now) {
			r.w.now = v.issued
			r.giveBackOf(r.w.subs[r.w.order[k]], v)
		}
	}
	r.w.now = now
}

// giveBackOf returns what was drawn above the final lines of an invoice.
func (r *run) giveBackOf(s *subscription, v *invoice) {
	r.w.settle(s.customer)
	back := map[*ledger]string{}
	for _, i := range s.intervals {
		for _, p := range s.pieces(i, r.w.now) {
			for _, l := range v.lines {
				if i.spec.advance() || l.price != i.price || !l.from.Equal(p.from) {
					continue
				}
				currency := i.spec.unit("USD")
				ledger := s.customer.ledger(currency)
				if surplus := sub(ledger.drawn(p, s.customer.zone), greatest(l.adjusted, new(big.Rat))); surplus.Sign() > 0 {
					ledger.giveBack(p, surplus)
					back[ledger] = currency
				}
			}
		}
	}
	for l, currency := range back {
		r.cover(l)
		r.w.settleIn(s.customer, currency)
	}
}
