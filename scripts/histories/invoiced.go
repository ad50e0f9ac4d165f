package main

import "math/big"

// A price may be invoiced several times in a cycle (semantics 6.2.9, price-models.md 5.6): a fee in equal
// parts, usage of the cycle to date less what the invoices before charged.

// invoicing is the cycle of a price's invoices.
func (s priceSpec) invoicing() cycle {
	if s.Invoiced != nil {
		return *s.Invoiced
	}
	return s.Cycle
}

// invoiced cuts a service period into those of its invoices.
func (p piece) invoiced(z *zone) (all []piece) {
	for d := z.day(p.from); ; {
		c := p.anchor.around(*p.spec.Invoiced, d)
		one := p
		one.window = c
		if from := z.start(c.from); from.After(p.from) {
			one.from = from
		}
		one.to = earlier(z.start(c.to), p.to)
		one.days.to = min(c.to, p.days.to)
		if p.spec.Metric == "" {
			one.cycle, one.since = c, one.from
			one.days.from = max(c.from, p.days.from)
			one.number, one.parts = p.place(c.from), p.place(p.cycle.to)
		}
		all = append(all, one)
		if d = c.to; !z.start(d).Before(p.to) {
			return all
		}
	}
}

// place counts the cycles of invoices from the start of a cycle to a day.
func (p piece) place(to day) (n int) {
	for d := p.cycle.from; d < to; n++ {
		d = p.anchor.around(*p.spec.Invoiced, d).to
	}
	return n
}

// instalment is what an invoice charges of a fee of one quantity: what all until then charge together less
// what those before do, each rounded.
func (p piece) instalment() *big.Rat {
	whole := p.spec.rate(p.quantity(p.days.from))
	of := p.parts * p.cycle.days()
	until := func(d day) *big.Rat {
		return cents(quo(mul(whole, num(p.number*p.cycle.days()+int(d-p.cycle.from))), num(of)))
	}
	return sub(until(p.days.to), until(p.days.from))
}

// prorating are models that charge a part of a cycle less for the same quantity.
var prorating = map[string]bool{"unit_with_proration": true, "tiered_with_proration": true, "bulk_with_proration": true, "grouped_with_prorated_minimum": true}

// moreOften is a cycle of invoices that divides that of a price, nil if there is none.
func (g *generator) moreOften(c cycle) *cycle {
	switch {
	case c.Months > 1:
		all := []cycle{{Months: 1}, {Months: 3}, {Months: 6}}
		one := pick(g, all...)
		if one.Months >= c.Months || c.Months%one.Months != 0 {
			one = all[0]
		}
		return &one
	case c.Days == 10:
		return &cycle{Days: 5}
	}
	return nil
}

// ofPiece are the lines of a service period.
func (b *books) ofPiece(p piece) (all []*line) {
	if p.spec.Metric == "" || p.spec.Invoiced == nil {
		return b.of(p.sub.id, p.price, p.from, p.to)
	}
	for _, l := range b.of(p.sub.id, p.price, p.since, p.to) {
		if l.to.After(p.from) && !l.to.After(p.to) {
			all = append(all, l)
		}
	}
	return all
}

// before is what invoices charged of the usage of a cycle before a line. A partial invoice may come while the part
// before it is still a draft.
func (b *books) before(l *line) *big.Rat {
	total := new(big.Rat)
	for _, one := range b.of(l.sub, l.price, l.from, l.to) {
		if one.from.Equal(l.from) && (one.to.Before(l.to) || one.source == "partial" && one != l && !one.invoice.date.After(l.invoice.date)) {
			total.Add(total, one.amount)
		}
	}
	return total
}
