package main

import (
	"fmt"
	"maps"
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
	works := chained(r.w.worksOf(s))
	var earlier []*charged
	for _, id := range r.books.order {
		w := r.books.invoices[id]
		if w.sub == s.id && w != v && w.status != "void" && (w.date.Before(v.date) || w.date.Equal(v.date) && w.source == "partial") {
			before, others := r.chargedBy(s, w)
			if others && len(works) > 0 {
				r.undecided("adjustments after a document of which a price was taken away")
				return nil
			}
			earlier = append(earlier, before...)
		}
	}
	slices.SortStableFunc(earlier, func(a, b *charged) int { return a.invoice.date.Compare(b.invoice.date) })
	return r.compareAdjusted(s, v, lines, earlier, works)
}

// before is the last earlier line of the same usage to date.
func (c *charged) before(earlier []*charged) (last *charged) {
	for _, e := range earlier {
		if c.piece.spec.Metric != "" && e.interval == c.interval && e.since.Equal(c.since) && !e.trial {
			last = e
		}
	}
	return last
}

func (r *run) compareAdjusted(s *subscription, v *invoice, lines, earlier []*charged, works []work) error {
	var own []reference.Line
	for _, l := range lines {
		one := reference.Line{Row: row(l.piece), Price: l.piece.referred(), Subtotal: l.subtotal, Places: 2}
		if l.piece.spec.Metric != "" {
			one.ModelType, one.Config, one.Usage = l.piece.spec.Model, l.piece.spec.configText(), r.w.usage(l.piece, l.piece.to)
			one.Usage.Share = l.piece.fraction()
		}
		if b := l.before(earlier); b != nil {
			did := r.effects[b.line.key()]
			if did == nil {
				r.undecided("adjustments after a document whose own are not decided")
				return nil
			}
			one.Before = &reference.Billed{Row: one.Row, Subtotal: did.subtotal}
			for _, key := range slices.Sorted(maps.Keys(did.by)) {
				one.Before.Effects = append(one.Before.Effects, did.by[key])
			}
		}
		own = append(own, one)
	}
	billed := make([]reference.Billed, len(earlier))
	for k, e := range earlier {
		did, was := r.effects[e.line.key()], &effects{subtotal: new(big.Rat)}
		if b := e.before(earlier[:k]); b != nil && r.effects[b.line.key()] != nil {
			was = r.effects[b.line.key()]
		}
		billed[k] = reference.Billed{Row: row(e.piece), Subtotal: e.subtotal}
		if did == nil {
			continue
		}
		billed[k].Subtotal = sub(did.subtotal, was.subtotal)
		for _, key := range slices.Sorted(maps.Keys(did.by)) {
			one := did.by[key]
			if before, ok := was.by[key]; ok {
				one.Amount = sub(one.Amount, before.Amount)
			}
			billed[k].Effects = append(billed[k].Effects, one)
		}
	}
	var all []reference.Adjustment
	for _, a := range works {
		found, err := r.atWork(s, v, a, lines, earlier)
		if err != nil || found == nil && err == nil && r.leftOut {
			r.leftOut = false
			return err
		}
		all = append(all, found...)
	}
	added, err := reference.Adjust(own, billed, all)
	if err != nil {
		return err
	}
	for k, l := range lines {
		want := l.subtotal
		if l.piece.trial {
			want = new(big.Rat) // free, whatever adjustments there are
		}
		did := &effects{subtotal: l.subtotal, by: map[string]reference.Effect{}}
		for n, amounts := range added {
			if l.piece.trial {
				continue
			}
			want = add(want, amounts[k])
			if n < len(all) && amounts[k].Sign() != 0 {
				did.by[all[n].ID] = reference.Effect{ID: all[n].ID, Kind: all[n].Kind, Amount: plus(did.by[all[n].ID].Amount, amounts[k])}
			}
		}
		if before := own[k].Before; before != nil { // what stays
			for _, e := range before.Effects {
				if _, works := did.by[e.ID]; !works && !slices.ContainsFunc(all, func(a reference.Adjustment) bool { return a.ID == e.ID && a.Applies(k) }) {
					did.by[e.ID] = e
				}
			}
		}
		if !same(want, l.adjusted) {
			return differ("%s is %s after adjustments, expected %s", l.line, show(l.adjusted), show(want))
		}
		r.effects[l.line.key()] = did
	}
	return nil
}

// atWork are the periods of an adjustment that have lines on a document.
func (r *run) atWork(s *subscription, v *invoice, a work, lines, earlier []*charged) (all []reference.Adjustment, err error) {
	var periods []span
	of := map[span][]int{}
	for k, l := range lines {
		in, ok := a.period(l.piece)
		if !ok || !a.covers(l.piece, in) {
			continue
		}
		if of[in] == nil {
			periods = append(periods, in)
		}
		of[in] = append(of[in], k)
	}
	for _, in := range periods {
		if a.Kind == "minimum" {
			if last := a.settled(s, in); v.date.Before(last) || v.source == "partial" && !last.IsZero() {
				continue
			}
		}
		one := reference.Adjustment{ID: a.key, Kind: a.Kind, Value: rat(a.Amount), Invoice: a.names, Also: a.also, Applies: func(k int) bool { return slices.Contains(of[in], k) }}
		if a.amounts() {
			one.Value = a.amount(s, in)
		}
		var counts []int
		for e, l := range earlier {
			if own, ok := a.period(l.piece); ok && own == in && a.covers(l.piece, in) {
				if counts = append(counts, e); r.effects[l.line.key()] == nil {
					r.leftOut = true
					r.undecided("adjustments after a document whose own are not decided")
					return nil, nil
				}
			}
		}
		one.Earlier = func(e int) bool { return slices.Contains(counts, e) }
		if why := r.unclear(s, a, in, lines, of[in], earlier, counts); why != "" {
			r.leftOut = true
			r.undecided(why)
			return nil, nil
		}
		all = append(all, one)
	}
	return all, nil
}

// amounts reports whether it is worked out over its period.
func (a work) amounts() bool { return a.Kind != "usage_discount" && a.Kind != "percentage_discount" }

// unclear says why the model does not decide what an adjustment comes to in a period.
func (r *run) unclear(s *subscription, a work, in span, lines []*charged, on []int, earlier []*charged, before []int) string {
	for _, k := range on {
		if a.Kind == "usage_discount" && !same(r.w.quantity(lines[k].piece), lines[k].quantity) {
			return "a usage discount on a document that has seen other usage"
		}
	}
	if !a.amounts() {
		return ""
	}
	if !s.migrated.IsZero() {
		return "adjustments of amounts of a subscription that was migrated"
	}
	for _, k := range on {
		if lines[k].parts > 0 {
			return "an adjustment of an amount over the installments of a fee"
		}
	}
	for _, e := range before {
		if earlier[e].parts > 0 {
			return "an adjustment of an amount over the installments of a fee"
		}
		for _, n := range r.books.notes {
			if n.invoice == earlier[e].invoice.id && n.name == earlier[e].name {
				return "an adjustment of an amount over a line that was credited"
			}
		}
	}
	return ""
}

// row names the price of a subscription that a service is of.
func row(p piece) string { return fmt.Sprint(p.price, " ", clock(p.interval.from)) }

// referred is a price as adjustments look at it.
func (p piece) referred() reference.Price {
	kind := "usage"
	if p.spec.Metric == "" {
		kind = "fixed"
	}
	return reference.Price{ID: p.price, ItemID: p.spec.Item, Currency: "USD", Type: kind, InAdvance: p.spec.advance()}
}

// onOneInvoice reports whether an invoice bills the period of all adjustments that a service period of usage
// shares with other prices.
func (r *run) onOneInvoice(v *invoice, p piece, adjusts []adjustment) bool {
	for _, a := range adjusts {
		shares := func(i *interval) bool {
			return i.plan == p.plan && i.change == p.interval.change && slices.Contains(a.Prices, i.spec.Name)
		}
		if len(a.Prices) > 1 && slices.Contains(a.Prices, p.spec.Name) && (!p.aloneOn(v, shares) || r.billedByThreshold(p)) {
			return false
		}
	}
	return true
}

// billedByThreshold reports whether a partial invoice charged some of the subscription in the cycle.
func (r *run) billedByThreshold(p piece) bool {
	z := p.sub.customer.zone
	for _, v := range r.books.invoices {
		if v.sub == p.sub.id && v.source == "partial" && v.status != "void" && !v.date.Before(z.start(p.cycle.from)) && !v.date.After(z.start(p.cycle.to)) {
			return true
		}
	}
	return false
}

// aloneOn reports whether an invoice bills all that some prices charge in the cycle of a service period: they
// have its cycle and its mode, and no part on another invoice.
func (p piece) aloneOn(v *invoice, some func(*interval) bool) bool {
	for _, i := range p.sub.intervals {
		if !some(i) || !i.to.IsZero() && !i.to.After(p.from) || !i.from.Before(p.sub.customer.zone.start(p.cycle.to)) {
			continue
		}
		if i.spec.Cycle != p.spec.Cycle || i.spec.Invoiced != nil || i.spec.advance() != p.spec.advance() || i.spec.advance() && len(i.quantities) > 0 {
			return false
		}
		for _, other := range p.sub.pieces(i, p.to) {
			billed := other.billed()
			if i.spec.advance() {
				billed = other.from
			}
			if other.cycle == p.cycle && !other.trial && other.from.Before(other.to) && !billed.Equal(v.date) {
				return false
			}
		}
	}
	return true
}

// split cuts an amount in proportion to weights, exactly to the cent: what is left over goes
// one cent each to the largest remainders, ties to the earlier one (price-models.md 1.5.5).
func split(amount *big.Rat, weights []*big.Rat) []*big.Rat {
	whole := new(big.Rat)
	for _, w := range weights {
		whole.Add(whole, w)
	}
	if whole.Sign() == 0 {
		for n := range weights {
			weights[n] = num(1)
		}
		whole = num(len(weights))
	}
	size := new(big.Rat).Abs(amount)
	parts, rests, left := make([]*big.Rat, len(weights)), make([]*big.Rat, len(weights)), size
	for n, w := range weights {
		exact := quo(mul(size, w), whole)
		parts[n] = quo(sub(ceil(add(mul(exact, num(100)), tail)), num(1)), num(100))
		rests[n] = sub(exact, parts[n])
		left = sub(left, parts[n])
	}
	for cent := big.NewRat(1, 100); left.Cmp(cent) >= 0; left = sub(left, cent) {
		most := 0
		for n := range rests {
			if rests[n].Cmp(rests[most]) > 0 {
				most = n
			}
		}
		parts[most], rests[most] = add(parts[most], cent), num(-1)
	}
	if amount.Sign() < 0 {
		for n := range parts {
			parts[n].Neg(parts[n])
		}
	}
	return parts
}
