package main

import (
	"fmt"
	"math/big"
	"slices"
	"time"
)

// half is how far rounding a line may move it.
var half = big.NewRat(1, 200)

// owed compares what documents charge for each service period with what is owed for it.
func (r *run) owed(s *subscription) error {
	for _, i := range s.intervals {
		covered := 0
		for _, p := range s.pieces(i, r.w.now.AddDate(2, 0, 0)) {
			lines := r.books.ofPiece(p)
			covered += len(lines)
			if err := r.piece(p, lines); err != nil {
				return fmt.Errorf("%w%s", err, r.books.print(s.id))
			}
		}
		_ = covered
	}
	for _, id := range r.books.order {
		v := r.books.invoices[id]
		if v.sub != s.id || v.status == "void" {
			continue
		}
		for _, l := range v.lines {
			if !s.isAdded(l) && !s.explains(l, r.w.now) {
				return fmt.Errorf("%w%s", differ("%s has a line that no price of it explains: %s", s.name, l), r.books.print(s.id))
			}
		}
	}
	return nil
}

// explains reports whether a line lies in a service period of the subscription.
func (s *subscription) explains(l *line, now time.Time) bool {
	gone := true
	for _, i := range s.intervals {
		if i.price != l.price {
			continue
		}
		gone = false
		for _, p := range s.pieces(i, now.AddDate(2, 0, 0)) {
			if !l.from.Before(p.from) && l.from.Before(p.to) {
				return true
			}
		}
	}
	_ = gone
	return l.amount.Sign() == 0 || s.noted(l)
}

// noted lines were charged before the price was taken away; credit notes gave the money back.
func (s *subscription) noted(l *line) bool { return l.status != "draft" }

func (r *run) piece(p piece, lines []*line) error {
	if r.w.voided[p.key()] {
		return nil
	}
	at := fmt.Sprintf("%s of %s in [%s, %s)", p.spec.Name, p.sub.name, clock(p.from), clock(p.to))
	if p.spec.Metric != "" {
		return r.usage(p, lines, at)
	}
	if p.spec.allocation() && p.sub.granted(p.interval, p.from) != nil {
		return nil // its grant says what is owed
	}
	billed := p.from
	if !p.spec.Advance {
		billed = p.billed()
	}
	// What lies ahead, an end or a quantity, is on documents that are dated then. So until
	// its service period is over a fee may be billed with or without that.
	seen := r.w.now
	if p.from.After(seen) {
		seen = p.from
	}
	if len(lines) == 0 && billed.After(r.w.now) {
		return nil
	}
	due, all, rounds, held := new(big.Rat), new(big.Rat), 0, false
	for _, l := range lines {
		if l.subtotal.Sign() != 0 && l.adjusted.Sign() == 0 { // of a fee that a discount made 0 nothing is given back
			for _, n := range r.books.notes {
				if n.invoice == l.invoice.id && n.name == l.name && n.amount.Sign() != 0 {
					return differ("%s gives back %s of a fee that a discount made 0", at, show(n.amount))
				}
			}
			return nil
		}
		held = held || l.status == "draft" && !l.date.After(r.w.now)
		amounts := []*big.Rat{l.subtotal}
		for _, n := range r.books.notes {
			switch {
			case n.invoice != l.invoice.id || n.name != l.name:
			case len(l.adjustments) == 0:
				amounts = append(amounts, new(big.Rat).Neg(n.amount))
			case l.adjusted.Sign() != 0: // as a part of what discounts left, which may be small: both were rounded
				amounts = append(amounts, new(big.Rat).Neg(quo(mul(n.amount, l.subtotal), l.adjusted)))
				whole := ceil(quo(new(big.Rat).Abs(l.subtotal), new(big.Rat).Abs(l.adjusted)))
				rounds += 2 * int(whole.Num().Int64())
			}
		}
		if l.to.After(p.to) && len(amounts) == 1 { // what is given back of it rounds to nothing
			rounds++
		}
		for _, amount := range amounts {
			rounds++
			all.Add(all, amount)
			if !p.spec.Advance || !l.date.After(seen) {
				due.Add(due, amount)
			}
		}
	}
	if len(lines) > 0 && (p.spec.Advance || p.parts > 0) { // what a change costs or gives back may round to nothing
		rounds = max(rounds, 1+p.changes())
	}
	exact := p.fee()
	if len(lines) == 0 && exact.Sign() == 0 {
		return nil
	}
	if p.parts > 0 && len(lines) == 1 && rounds == 1 && p.changes() == 0 && p.days == p.cycle && lines[0].from.Equal(p.from) && lines[0].to.Equal(p.to) {
		exact = p.instalment()
	} else if p.parts > 0 {
		rounds++
	}
	matches := func(billed, owed *big.Rat) bool {
		if rounds == 1 {
			return billed.Cmp(cents(owed)) == 0
		}
		return new(big.Rat).Abs(sub(billed, owed)).Cmp(mul(half, num(rounds))) <= 0
	}
	if matches(all, exact) {
		if len(lines) == 1 && !p.spec.Advance {
			return r.paid(p, lines[0], at)
		}
		return nil
	}
	if p.spec.Advance && held && len(p.quantities) > 0 && all.Cmp(exact) > 0 {
		return nil // what became less while its invoice is a draft is credited as that is issued
	}
	if p.spec.Advance && len(p.quantities) > 0 && (all.Cmp(exact) > 0 && r.under(p, "minimum") || r.under(p, "amount_discount")) {
		// Nothing as far as a minimum holds, all of it as far as a discount does (price-models.md 6.7.15); the adjusted
		// amounts are compared.
		r.undecided("what a decrease of a fee under a minimum, or a discount of an amount, gives back")
		return nil
	}
	if p.spec.Advance && p.to.After(r.w.now) {
		if len(p.quantities) > 0 && !p.interval.to.IsZero() {
			return nil // quantities for the days before the end, on what was billed beyond it
		}
		if matches(due, p.quantitiesBy(r.w.now).fee()) || matches(due, p.feeBy(r.w.now)) {
			return nil
		}
		// An end that was known when the fee was billed is on that document; what a later
		// change gives back is on one that is dated at the new end (semantics 6.3.5).
		for _, end := range append(append([]time.Time(nil), p.sub.former...), p.interval.former...) {
			short := p.quantitiesBy(r.w.now)
			if short.days.to = p.sub.customer.zone.day(end); end.After(r.w.now) && end.After(p.from) && end.Before(p.sub.customer.zone.start(p.cycle.to)) && (matches(due, short.fee()) || len(p.quantities) > 0) {
				return nil // the rest is billed from the end that was taken back
			}
		}
	}
	return differ("%s is billed at %s in %d documents, expected %s", at, show(all), rounds, show(cents(exact)))
}

// under reports whether an adjustment of a kind, of the plan or of the subscription, works on a price.
func (r *run) under(p piece, kind string) bool {
	return slices.ContainsFunc(r.w.plans[p.plan].adjust, func(a adjustment) bool {
		return a.Kind == kind && (len(a.Prices) == 0 || slices.Contains(a.Prices, p.spec.Name))
	}) || slices.ContainsFunc(p.sub.adjusts, func(a *ownAdjustment) bool { return a.Kind == kind && a.price == p.price })
}

func (r *run) usage(p piece, lines []*line, at string) error {
	var main []*line
	for _, l := range lines {
		if l.source == "subscription" {
			main = append(main, l)
		}
	}
	switch {
	case len(main) == 0 && p.billed().After(r.w.now):
		return nil
	case len(main) != 1:
		return differ("%s is on %d invoices, expected one", at, len(main))
	}
	l := main[0]
	currency := p.spec.unit("USD")
	if !l.from.Equal(p.since) || !l.to.Equal(p.to) {
		return differ("%s is billed as [%s, %s)", at, clock(l.from), clock(l.to))
	}
	if !l.invoice.date.Equal(p.billed()) {
		return differ("%s is billed on %s", at, clock(l.invoice.date))
	}
	if _, done := r.books.issued[l.invoice.id]; done {
		return nil // what was found right as it was issued stays
	}
	if p.spec.Metric == composite && r.takenBack(p) {
		r.undecided("a composite price over the fee of credits that were taken back")
		return r.paid(p, l, at)
	}
	quantity := r.w.quantity(p)
	if !same(quantity, l.quantity) {
		return differ("%s has quantity %s, expected %s", at, show(l.quantity), show(quantity))
	}
	subtotal := rounded(r.w.used(p, p.to), currency)
	if !same(subtotal, l.subtotal) {
		return differ("%s has subtotal %s, expected %s", at, show(l.subtotal), show(subtotal))
	}
	return r.paid(p, l, at)
}

// paid compares what credits paid of a line.
func (r *run) paid(p piece, l *line, at string) error {
	currency := p.spec.unit("USD")
	if _, done := r.books.issued[l.invoice.id]; done || l.source != "subscription" {
		return nil
	}
	if currency == "USD" && r.vague(p.sub.customer) {
		return nil
	}
	ledger := p.sub.customer.ledger(currency)
	drawn := ledger.drawn(p, p.sub.customer.zone)
	covered := r.w.covered(p, p.to)
	left := greatest(sub(l.adjusted, covered), new(big.Rat))
	if l.status != "draft" {
		if surplus := sub(drawn, left); surplus.Sign() > 0 {
			ledger.giveBack(p, surplus)
			drawn = ledger.drawn(p, p.sub.customer.zone)
		}
	} else {
		drawn = least(drawn, left)
	}
	if want := add(drawn, covered); !same(want, l.credits) {
		return differ("%s has credits_applied %s, expected %s%s", at, show(l.credits), show(want), printLedger(p.sub.customer, ledger, nil))
	}
	return nil
}

// vague reports whether credits in money of a customer are not compared, since what adjustments leave of a line on
// a day is not decided.
func (r *run) vague(c *customer) bool {
	why := r.w.vague[c]
	if why != "" {
		r.undecided("credits after " + why)
	}
	return why != ""
}

// issued reports whether the document of a service period was seen issued. A partial invoice of the instant
// at which the period ended is not: its days stay pending (semantics 10.2.7).
func (r *run) issued(p piece) bool {
	for _, l := range r.books.ofPiece(p) {
		if _, done := r.books.issued[l.invoice.id]; done && l.source == "subscription" && l.to.Equal(p.to) {
			return true
		}
	}
	return false
}
