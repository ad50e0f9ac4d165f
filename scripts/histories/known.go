package main

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"
)

// A quick run asks after a step only for what may have changed since the last comparison. What it
// leaves out is compared with everything else at the end of the history:
//
//   - subscriptions that no step was about and of which no bound has passed;
//   - documents of a customer whom no step was about and whose usage is the same, while the clock stood;
//   - credit notes, while the invoices list the same ones;
//   - a balance, while the customer's invoices are the same and it was not moved by hand;
//   - blocks and their entries, where no step was about the customer and the model expects the same of them;
//   - costs of past days of which the model expects what was compared before, and those of the days since,
//     which every fourth comparison has together where no step was about the subscription;
//   - the costs of a line's period, once they were compared with that line.

// known is what was compared last.
type known struct {
	full     bool              // everything is compared, whatever is known
	now      time.Time         // of the last comparison
	touched  map[string]bool   // customers and subscriptions that a step since then was about
	used     map[string]bool   // customers whose usage changed since then
	notes    string            // of the invoices that were read
	balances map[string]string // by customer
	ledgers  map[string]string // by customer and currency
	costs    map[string]cost   // by subscription and currency
	totals   map[string]bool   // lines

	undecided map[string]int // comparisons that were left out, by reason
}

func newKnown() known {
	return known{full: true, touched: map[string]bool{}, used: map[string]bool{}, balances: map[string]string{}, ledgers: map[string]string{}, costs: map[string]cost{}, totals: map[string]bool{}, undecided: map[string]int{}}
}

// cost is what was compared of the days before an instant, by price.
type cost struct {
	until time.Time
	sums  map[string]*big.Rat
	waits int // comparisons that were left to a later one
}

// same reports whether a map has the same text at a key as before, and keeps it.
func (k *known) same(in map[string]string, key, text string) bool {
	before, had := in[key]
	in[key] = text
	return !k.full && had && before == text
}

// touch records the customer and the subscription that a step names. Steps of time and usage name
// none: the model knows what they change.
func (r *run) touch(s step) {
	if sub := r.w.subs[s.Of]; sub != nil {
		r.known.touched[sub.customer.name], r.known.touched[s.Of] = true, true
	}
	if r.w.subs[s.Name] != nil {
		r.known.touched[s.Name] = true
	}
	if r.w.customers[s.Of] != nil {
		r.known.touched[s.Of] = true
	}
	of := []string{s.Of}
	for _, e := range s.Events {
		of = append(of, e.Customer)
	}
	if e := r.w.events[s.Name]; e != nil {
		of = append(of, e.customer)
	}
	if b := r.w.backfills[s.Name]; b != nil {
		of = append(of, b.customer)
	}
	for _, name := range of {
		if c := r.w.customers[name]; c != nil { // a subscription of the parent may count it
			r.known.used[name], r.known.used[c.parent] = true, true
		}
	}
}

// untouched reports whether nothing but time and usage can have changed what a customer or a
// subscription has.
func (k *known) untouched(name string) bool { return !k.full && !k.touched[name] }

// bounds reports whether a bound of a subscription lies between the last comparison and now.
func (s *subscription) bounds(after, by time.Time) bool {
	passed := func(at time.Time) bool { return at.After(after) && !at.After(by) }
	if passed(s.from) || passed(s.to) || passed(s.trialEnd()) {
		return true
	}
	return slices.ContainsFunc(s.intervals, func(i *interval) bool {
		return passed(i.from) || passed(i.to) || slices.ContainsFunc(i.quantities, func(t transition) bool { return passed(s.customer.zone.start(t.from)) })
	})
}

// text names a customer's documents as far as they move the balance.
func (r *run) documentsText(c *customer) string {
	var b strings.Builder
	for _, id := range r.books.order {
		if v := r.books.invoices[id]; v.customer == c.id && v.status != "draft" {
			fmt.Fprintf(&b, "%s %s %s %s %d\n", id, v.status, show(v.total), show(v.due), len(v.raw.list("credit_notes")))
		}
	}
	fmt.Fprint(&b, len(c.manual))
	return b.String()
}

// noted are the credit notes that the invoices list.
func (b *books) noted() string {
	var text strings.Builder
	for _, id := range b.order {
		for _, n := range b.invoices[id].raw.list("credit_notes") {
			fmt.Fprintln(&text, id, n)
		}
	}
	return text.String()
}

// text is what a ledger is expected to hold, and what it paid.
func (l *ledger) text(z *zone, now time.Time) string {
	var b strings.Builder
	for _, one := range l.blocks {
		fmt.Fprintln(&b, one.name, l.left(one), one.gone, one.over(z, now))
	}
	for _, c := range l.charges {
		for _, d := range c.draws {
			fmt.Fprintln(&b, c.sub, c.price, d.block.name, d.amount)
		}
	}
	return b.String()
}

// undecided counts a comparison that the model leaves out, by its reason.
func (r *run) undecided(reason string) bool {
	r.known.undecided[reason]++
	return false
}
