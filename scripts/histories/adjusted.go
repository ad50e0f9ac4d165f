package main

import (
	"fmt"
	"math/big"
	"slices"

	"tollkeeper/domain/reference"
)

// charged is a line of an invoice with the service that it charges.
type charged struct {
	*line
	piece
}

// effects are what adjustments did to a line, to date, by the work and its kind.
type effects struct {
	subtotal *big.Rat
	by       map[string]reference.Effect
}

// lineKey names a line of an invoice.
func (l *line) key() string {
	return fmt.Sprint(l.invoice.id, " ", l.price, " ", clock(l.from), " ", clock(l.to))
}

// chargedBy are the lines of an invoice that charge a service in money, each with it; others tells of lines that
// no price explains any more.
func (r *run) chargedBy(s *subscription, v *invoice) (lines []*charged, others bool) {
	for _, l := range v.lines {
		if l.price == "" || s.isAdded(l) || l.currency == "credits" {
			continue
		}
		found := false
		for _, i := range s.intervals {
			if i.price != l.price {
				continue
			}
			for _, p := range s.pieces(i, v.date) {
				switch {
				case i.spec.Metric != "" && l.from.Equal(p.since) && (l.to.Equal(p.to) || v.source == "partial" && l.to.After(p.from) && !l.to.After(p.to) || p.trial && !l.to.After(p.to)):
				case i.spec.Metric == "" && !l.from.Before(p.from) && l.from.Before(p.to):
					p.from = l.from // what a change of the quantity adds is a service of its own
				default:
					continue
				}
				if found {
					continue
				}
				found = true
				if v.source == "partial" {
					p.to = l.to
				}
				lines = append(lines, &charged{line: l, piece: p})
			}
		}
		others = others || !found
	}
	return lines, others
}

// adjusted compares the lines of an invoice with what adjustments make of them (price-models.md 6.3 to 6.7).
func (r *run) adjusted(v *invoice) error {
	for _, s := range r.w.subs {
		if s.id == v.sub {
			return r.adjustedOf(s, v)
		}
	}
	return nil
}

func (r *run) adjustedOf(s *subscription, v *invoice) error {
	lines, others := r.chargedBy(s, v)
	if others {
		r.undecided("adjustments of a document of which a price was taken away")
		return nil
	}
	d := sheet{sub: s, date: v.date, partial: v.source == "partial", invoice: v}
	for _, l := range lines {
		d.items = append(d.items, item{l.piece, l.piece.to, l.subtotal, l.quantity})
	}
	amounts, did, why := r.work(d)
	if why != "" {
		r.undecided(why)
		return nil
	}
	for k, l := range lines {
		if !same(amounts[k], l.adjusted) {
			return differ("%s is %s after adjustments, expected %s", l.line, show(l.adjusted), show(amounts[k]))
		}
		r.effects[l.line.key()] = did[k]
	}
	return nil
}

// before is the last earlier line of the same usage to date.
func (p piece) before(earlier []*charged) (last *charged) {
	for _, e := range earlier {
		if p.spec.Metric != "" && e.interval == p.interval && e.since.Equal(p.since) && !e.trial {
			last = e
		}
	}
	return last
}

// amounts reports whether it is worked out over its period.
func (a work) amounts() bool { return a.Kind != "usage_discount" && a.Kind != "percentage_discount" }

// unclear says why the model does not decide what an adjustment comes to in a period.
func (r *run) unclear(d sheet, a work, on []int, earlier []*charged, before []int) string {
	for _, k := range on {
		if q := d.items[k].quantity; a.Kind == "usage_discount" && q != nil && d.items[k].spec.Metric != composite && !same(r.w.quantity(d.items[k].piece), q) {
			return "a usage discount on a document that has seen other usage"
		}
	}
	if !a.amounts() {
		return ""
	}
	if !d.sub.migrated.IsZero() {
		return "adjustments of amounts of a subscription that was migrated"
	}
	for _, k := range on {
		if d.items[k].parts > 0 {
			return "an adjustment of an amount over the installments of a fee"
		}
	}
	for _, e := range before {
		if earlier[e].parts > 0 {
			return "an adjustment of an amount over the installments of a fee"
		}
		if e := earlier[e]; e.spec.advance() && e.line.to.After(e.piece.to) {
			return "an adjustment of an amount over a fee that ends before what was billed"
		}
		if e := earlier[e]; e.spec.advance() && e.piece.falls() {
			return "an adjustment of an amount over a fee whose quantity fell"
		}
		for _, n := range r.books.notes {
			if n.invoice == earlier[e].invoice.id && n.name == earlier[e].name {
				return "an adjustment of an amount over a line that was credited"
			}
		}
	}
	return ""
}

// falls reports whether the quantity of a fee becomes less within its days.
func (p piece) falls() bool {
	was := rat(p.spec.Quantity)
	for _, t := range p.quantities {
		if p.days.from <= t.from && t.from < p.days.to && t.quantity.Cmp(was) < 0 {
			return true
		}
		was = t.quantity
	}
	return false
}

// hides reports whether a partial invoice does not show a line of a period: one of which an adjustment left nothing
// has its share of the others all the same.
func (r *run) hides(d sheet, a work, in turn) bool {
	if !d.partial || d.invoice == nil || !a.amounts() {
		return false
	}
	for _, i := range d.sub.intervals {
		if i.spec.Metric == "" || i.spec.Metric == composite {
			continue
		}
		for _, p := range d.sub.pieces(i, d.date) {
			own, ok := a.period(p)
			if ok && own == in && a.covers(p, in) && p.since.Before(d.date) && !p.to.Before(d.date) && len(r.w.counted(p, p.since, d.date)) > 0 &&
				!slices.ContainsFunc(d.items, func(one item) bool { return one.interval == i && one.since.Equal(p.since) }) {
				return true
			}
		}
	}
	return false
}

// row names the price of a subscription that a service is of.
func row(p piece) string { return fmt.Sprint(p.price, " ", clock(p.interval.from)) }

// referred is a price as adjustments look at it.
func (p piece) referred() reference.Price {
	kind := "usage"
	if p.spec.Metric == composite {
		kind = "composite"
	}
	if p.spec.Metric == "" {
		kind = "fixed"
	}
	return reference.Price{ID: p.price, ItemID: p.spec.Item, Currency: "USD", Type: kind, InAdvance: p.spec.advance()}
}

// inSeveral reports whether several documents bill a period of an amount that adjusts a service period: others
// before its invoice, or a later one settles a minimum.
func (r *run) inSeveral(v *invoice, p piece, some func(work) bool) bool {
	for _, a := range chained(r.w.worksOf(p.sub)) {
		in, ok := a.period(p)
		if !ok || !some(a) || !a.covers(p, in) {
			continue
		}
		if a.Kind == "minimum" && v.date.Before(a.settled(p.sub, in)) {
			return true
		}
		before, _ := r.earlier(sheet{sub: p.sub, date: v.date})
		for _, e := range before {
			if own, ok := a.period(e.piece); ok && own == in {
				return true
			}
		}
	}
	return false
}
