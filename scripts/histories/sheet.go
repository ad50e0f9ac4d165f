package main

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"time"

	"tollkeeper/domain/reference"
)

// sheet is a document whose lines are adjusted: one that was made, or what one would be at an instant.
type sheet struct {
	sub     *subscription
	date    time.Time // of the invoice
	partial bool
	invoice *invoice  // nil: of none that was made
	accrues bool      // it is of what usage has accrued: without minimums that later documents settle
	until   time.Time // of a document that is only thought of: usage before it counts; zero: of one that was made
	items   []item
}

// item is a line before adjustments.
type item struct {
	piece
	until    time.Time
	subtotal *big.Rat // to date
	quantity *big.Rat // that the line shows; nil: of none that was made
}

// earlier are the lines of the documents before a sheet, by date, and whether a price of one was taken away.
func (r *run) earlier(d sheet) (earlier []*charged, others bool) {
	for _, w := range r.books.byDate() {
		if w == d.invoice { // of those of one date the last ones were made later
			break
		}
		if w.sub != d.sub.id || w.status == "void" || !d.until.IsZero() && w.date.After(d.until) {
			continue
		}
		if w.date.Before(d.date) || w.date.Equal(d.date) && w.source == "partial" && (!d.partial || d.invoice != nil) {
			before, gone := r.chargedBy(d.sub, w)
			earlier, others = append(earlier, before...), others || gone
		}
	}
	return earlier, others
}

// work is what adjustments make of the lines of a sheet, and what they did to each, to date; or why the model
// does not decide it.
func (r *run) work(d sheet) (amounts []*big.Rat, did []*effects, why string) {
	works := chained(r.w.worksOf(d.sub))
	earlier, others := r.earlier(d)
	if others && len(works) > 0 {
		return nil, nil, "adjustments after a document of which a price was taken away"
	}
	own := make([]reference.Line, len(d.items))
	for k, one := range d.items {
		own[k] = r.referred(one)
		if b := one.piece.before(earlier); b != nil {
			known := r.effects[b.line.key()]
			if known == nil {
				return nil, nil, "adjustments after a document whose own are not decided"
			}
			own[k].Before = known.billed(own[k].Row, nil)
		}
	}
	billed := make([]reference.Billed, len(earlier))
	for k, e := range earlier {
		billed[k] = reference.Billed{Row: row(e.piece), Subtotal: e.subtotal}
		if known := r.effects[e.line.key()]; known != nil {
			var was *effects
			if b := e.piece.before(earlier[:k]); b != nil {
				was = r.effects[b.line.key()]
			}
			billed[k] = *known.billed(row(e.piece), was)
		}
	}
	var all []reference.Adjustment
	for _, a := range works {
		found, why := r.atWork(d, a, earlier)
		if why != "" {
			return nil, nil, why
		}
		all = append(all, found...)
	}
	added, err := reference.Adjust(own, billed, all)
	if err != nil {
		panic(err)
	}
	for k, one := range d.items {
		amount, to := one.subtotal, &effects{subtotal: one.subtotal, by: map[string]reference.Effect{}}
		if one.trial { // free, whatever adjustments there are
			amounts, did = append(amounts, new(big.Rat)), append(did, to)
			continue
		}
		for n, row := range added {
			amount = add(amount, row[k])
			if n < len(all) && row[k].Sign() != 0 {
				to.by[all[n].ID] = reference.Effect{ID: all[n].ID, Kind: all[n].Kind, Amount: plus(to.by[all[n].ID].Amount, row[k])}
			}
		}
		if own[k].Before != nil {
			to.keep(own[k].Before.Effects, func(id string) bool {
				return slices.ContainsFunc(all, func(a reference.Adjustment) bool { return (a.ID == id || slices.Contains(a.Also, id)) && a.Applies(k) })
			})
		}
		amounts, did = append(amounts, amount), append(did, to)
	}
	return amounts, did, ""
}

// referred is a line as the reference model adjusts it.
func (r *run) referred(one item) reference.Line {
	l := reference.Line{Row: row(one.piece), Price: one.piece.referred(), Subtotal: one.subtotal, Places: 2}
	if one.spec.Metric != "" && one.spec.Metric != composite {
		l.ModelType, l.Config, l.Usage = one.spec.Model, one.spec.configText(), r.w.usage(one.piece, one.until)
		l.Usage.Share = one.fraction()
	}
	return l
}

// billed is what a line charged, beyond what an earlier one of the same usage did.
func (e *effects) billed(row string, was *effects) *reference.Billed {
	b := &reference.Billed{Row: row, Subtotal: e.subtotal}
	if was != nil {
		b.Subtotal = sub(e.subtotal, was.subtotal)
	}
	for _, key := range slices.Sorted(maps.Keys(e.by)) {
		one := e.by[key]
		if was != nil && was.by[key].Amount != nil {
			one.Amount = sub(one.Amount, was.by[key].Amount)
		}
		b.Effects = append(b.Effects, one)
	}
	return b
}

// keep adds what adjustments gave that work on the line no more: it stays.
func (e *effects) keep(given []reference.Effect, works func(id string) bool) {
	for _, one := range given {
		if !works(one.ID) {
			e.by[one.ID] = one
		}
	}
}

// atWork are the periods of an adjustment that have lines on a sheet.
func (r *run) atWork(d sheet, a work, earlier []*charged) (all []reference.Adjustment, why string) {
	var periods []turn
	of := map[turn][]int{}
	for k, one := range d.items {
		in, ok := a.period(one.piece)
		if !ok || !a.covers(one.piece, in) {
			continue
		}
		if of[in] == nil {
			periods = append(periods, in)
		}
		of[in] = append(of[in], k)
	}
	for _, in := range periods {
		if a.Kind == "minimum" && !d.settles(a, in) {
			continue
		}
		one := reference.Adjustment{ID: a.key, Kind: a.Kind, Value: rat(a.Amount), Invoice: a.names, Also: a.also, Applies: func(k int) bool { return slices.Contains(of[in], k) }}
		if a.amounts() {
			one.Value = a.amount(d.sub, in)
		}
		var counts []int
		for e, l := range earlier {
			if own, ok := a.period(l.piece); ok && own == in && a.covers(l.piece, in) {
				if counts = append(counts, e); r.effects[l.line.key()] == nil {
					return nil, "adjustments after a document whose own are not decided"
				}
			}
		}
		one.Earlier = func(e int) bool { return slices.Contains(counts, e) }
		if why := r.unclear(d, a, of[in], earlier, counts); why != "" {
			return nil, why
		}
		if r.hides(d, a, in) {
			return nil, "an adjustment of an amount over a line that a partial invoice does not show"
		}
		all = append(all, one)
	}
	return all, ""
}

// settles reports whether a sheet has the minimum of a period: not a partial invoice or a day before its last
// one, where something bills in arrears.
func (d sheet) settles(a work, in turn) bool {
	last := a.settled(d.sub, in)
	return last.IsZero() || !d.accrues && !d.partial && !d.date.Before(last) && (d.until.IsZero() || !d.until.Before(d.lastOf()))
}

// lastOf is where the services of a sheet end.
func (d sheet) lastOf() (last time.Time) {
	for _, one := range d.items {
		if one.to.After(last) {
			last = one.to
		}
	}
	return last
}

// worth is the amount that a line of usage would have on a document of an instant, after all adjustments
// (price-models.md 6.7.20). It is not decided where why says something.
func (r *run) worth(p piece, until time.Time) (amount *big.Rat, why string) {
	until = earlier(until, p.to)
	switch {
	case p.trial:
		return new(big.Rat), ""
	case p.spec.unit("USD") != "USD":
		return r.w.used(p, until), ""
	case p.spec.Metric == composite && until.Before(p.to):
		return new(big.Rat), "a composite price before its period is over"
	}
	name := fmt.Sprint(p.sub.name, clock(p.billed()), clock(until))
	if r.w.worths[name] == nil {
		r.w.worths[name] = r.worthsOf(sheet{sub: p.sub, date: p.billed(), until: until})
	}
	one := r.w.worths[name][p.service()]
	if one.amount == nil {
		return rounded(r.w.used(p, until), "USD"), "credits of a line that no document has"
	}
	return one.amount, one.why
}

// service names a service period also where the price has no id yet.
func (p piece) service() string { return fmt.Sprintf("%p %s", p.interval, clock(p.from)) }

// lineWorth is what a line would be, or why that is not decided.
type lineWorth struct {
	amount *big.Rat
	why    string
}

// accrued is what usage of a service period that is over would charge on its document without a minimum
// (semantics 6.2.7).
func (r *run) accrued(p piece) (*big.Rat, string) {
	one := r.worthsOf(sheet{sub: p.sub, date: p.billed(), until: p.to, accrues: true})[p.service()]
	if one.amount == nil {
		return nil, "a line that no document has"
	}
	return one.amount, one.why
}

// worthsOf are the lines of a sheet as they would be at an instant, by their service.
func (r *run) worthsOf(d sheet) map[string]lineWorth {
	for _, i := range d.sub.intervals {
		if i.spec.unit("USD") != "USD" || i.spec.Metric == composite && d.until.Before(d.date) || i.spec.advance() || i.spec.allocation() || !i.from.Before(d.until) {
			continue
		}
		for _, one := range d.sub.pieces(i, d.until) {
			if one.from.Before(d.until) && !one.trial && one.from.Before(one.to) && one.billed().Equal(d.date) {
				end := earlier(d.until, one.to)
				d.items = append(d.items, item{piece: one, until: end, subtotal: r.subtotalAt(one, end)})
			}
		}
	}
	r.books.inOrder(d)
	amounts, _, why := r.work(d)
	all := map[string]lineWorth{}
	for k, one := range d.items {
		if all[one.service()] = (lineWorth{one.subtotal, why}); why == "" {
			all[one.service()] = lineWorth{amounts[k], ""}
		}
	}
	return all
}

// subtotalAt is the subtotal of a line at an instant. The roundings of instalments are carried on.
func (r *run) subtotalAt(p piece, until time.Time) *big.Rat {
	if p.spec.Metric == "" && p.parts > 0 && p.changes() == 0 {
		return p.instalment()
	}
	return cents(r.w.used(p, until))
}

// inOrder sorts the lines of a sheet as its document has them.
func (b *books) inOrder(d sheet) {
	place := map[string]int{}
	for _, v := range b.invoices {
		if v.sub == d.sub.id && v.date.Equal(d.date) && v.source == "subscription" && v.status != "void" {
			for n, l := range v.lines {
				place[l.price+clock(l.from)] = n
			}
		}
	}
	slices.SortStableFunc(d.items, func(x, y item) int {
		return place[x.price+clock(x.since)] - place[y.price+clock(y.since)]
	})
}
