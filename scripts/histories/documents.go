package main

import (
	"fmt"
	"math/big"
)

// adjustments compares what adjustments do on each document that is new or a draft: it goes on from those before.
func (r *run) adjustments() error {
	for _, v := range r.books.byDate() {
		if _, before := r.books.issued[v.id]; !before && v.status != "void" && (v.source == "subscription" || v.source == "partial") {
			if err := r.adjusted(v); err != nil {
				return fmt.Errorf("%w\n    %s", err, v)
			}
		}
	}
	r.w.recount()
	return nil
}

// documents checks the sums of each invoice, and that issued ones stay as they are.
func (r *run) documents() error {
	for _, id := range r.books.order {
		v := r.books.invoices[id]
		total := new(big.Rat)
		for _, l := range v.lines {
			rest := sub(l.adjusted, l.credits)
			if l.currency == "credits" {
				rest = r.converted(l, rest)
			}
			if want := sub(rest, l.partially); !same(want, l.amount) {
				return differ("a line does not add up, expected amount %s: %s", show(want), l)
			}
			total.Add(total, l.amount)
		}
		if total.Cmp(v.total) != 0 {
			return differ("the lines do not add up to the total %s: %s", show(v.total), v)
		}
		if v.status == "draft" {
			continue
		}
		if v.source == "subscription" && v.issued.Before(v.date.Add(grace)) && r.charges(v) && v.status != "void" {
			return differ("an invoice with usage was issued at %s, before usage of its period is complete: %s", clock(v.issued), v)
		}
		text := v.frozenText()
		if before, ok := r.books.issued[id]; ok && before != text {
			return differ("an issued invoice changed\n    from %s\n    to %s", before, text)
		}
		r.books.issued[id] = text
	}
	return nil
}

// converted is what credits that were not paid cost in money: each part at the rate of its tier, rounded
// once (price-models.md 7.2).
func (r *run) converted(l *line, rest *big.Rat) *big.Rat {
	for _, s := range r.w.subs {
		for _, i := range s.intervals {
			if i.price == l.price && i.spec.Conversion != "" {
				return i.spec.converted(rest)
			}
		}
	}
	return cents(rest)
}

// charges reports whether an invoice has a line of usage.
func (r *run) charges(v *invoice) bool {
	for _, s := range r.w.subs {
		for _, i := range s.intervals {
			for _, l := range v.lines {
				if s.id == v.sub && i.spec.Metric != "" && l.price == i.price {
					return true
				}
			}
		}
	}
	return false
}
