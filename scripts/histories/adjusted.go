package main

import (
	"math/big"
	"slices"
	"time"
)

// charged is a line of an invoice with the service that it charges, on its way through adjustments.
type charged struct {
	*line
	piece
	amount *big.Rat
}

// adjusted compares the lines of usage of an invoice with what adjustments, those of one price
// and those of several, make of them (price-models.md 6.3 to 6.5).
func (r *run) adjusted(v *invoice) error {
	var lines []*charged
	var adjusts []adjustment
	var plans []string // that the lines' prices came with
	for _, s := range r.w.subs {
		if s.id != v.sub {
			continue
		}
		for _, i := range s.intervals {
			for _, p := range s.pieces(i, v.date) {
				for _, l := range v.lines {
					if i.spec.Metric == "" && l.price == i.price && !l.from.Before(p.from) && l.from.Before(p.to) {
						service := p
						service.from = l.from // what a change of the quantity adds is a service of its own
						if service.amountOff() && l.from.Equal(p.from) {
							if p.spec.Advance && r.chargedAgain(p) {
								return nil // parts of a fee that was charged again share the coupon with other lines
							}
							service.days.to = s.customer.zone.day(l.to)
							lines = append(lines, &charged{l, service, l.subtotal})
							continue
						}
						if want := service.discount(l.subtotal); !same(want, l.adjusted) {
							return differ("the fee %s is %s after coupons, expected %s", l, show(l.adjusted), show(want))
						}
					}
					if i.spec.Metric != "" && l.price == i.price && l.from.Equal(p.since) && l.to.Equal(p.to) {
						if p.trial {
							continue // which nothing else adjusts
						}
						lines = append(lines, &charged{l, p, l.subtotal})
						if !slices.Contains(plans, i.plan) {
							plans, adjusts = append(plans, i.plan), append(adjusts, r.w.plans[i.plan].adjust...)
						}
					}
				}
			}
		}
	}
	for _, l := range lines {
		if l.piece.spec.Invoiced == nil || l.piece.spec.Metric == "" {
			continue
		}
		shares := func(a adjustment) bool { return len(a.Prices) > 1 && slices.Contains(a.Prices, l.piece.spec.Name) }
		if l.piece.amountOff() || slices.ContainsFunc(adjusts, shares) {
			return nil // no rule says what is shared of a line that is charged to date
		}
	}
	for _, kind := range []string{"usage_discount", "amount_discount", "percentage_discount", "minimum", "maximum"} {
		if kind == "percentage_discount" && len(lines) > 0 && !lines[0].sub.couponsOff(v, lines) { // after all amounts
			return nil
		}
		if kind == "minimum" { // after all percentages
			for _, l := range lines {
				l.amount = l.piece.discount(l.amount)
			}
		}
		for _, level := range []bool{false, true} {
			for _, a := range adjusts {
				if a.Kind != kind || (len(a.Prices) > 1) != level {
					continue
				}
				var hit []*charged
				for _, name := range a.Prices {
					for _, l := range lines {
						if l.piece.spec.Name == name {
							hit = append(hit, l)
						}
					}
				}
				if len(hit) == 0 {
					continue
				}
				if !level || kind == "percentage_discount" {
					for _, l := range hit {
						l.amount = r.w.adjust(l.piece, a, l.amount, l.piece.to)
					}
					continue
				}
				slices.SortStableFunc(hit, func(a, b *charged) int { return slices.Index(v.lines, a.line) - slices.Index(v.lines, b.line) })
				for _, l := range hit[1:] {
					if !same(l.piece.fraction(), hit[0].piece.fraction()) {
						return nil // no rule says whose part counts
					}
				}
				sum, weights := new(big.Rat), []*big.Rat{}
				for _, l := range hit {
					w := greatest(l.amount, new(big.Rat))
					weights = append(weights, w)
					if kind == "amount_discount" {
						sum.Add(sum, w)
					} else {
						sum.Add(sum, l.amount)
					}
				}
				change := sub(r.w.adjust(hit[0].piece, a, sum, hit[0].piece.to), sum)
				for n, part := range split(change, weights) {
					hit[n].amount = add(hit[n].amount, part)
				}
			}
			for _, l := range lines {
				for _, a := range l.sub.adjusts {
					if !level && a.Kind == kind && a.covers(l.piece) {
						l.amount = r.w.adjust(l.piece, a.adjustment, l.amount, l.piece.to)
					}
				}
			}
		}
	}
	for _, l := range lines {
		if !same(l.amount, l.line.adjusted) {
			return differ("%s comes to %s after adjustments, expected %s", l.line.name, show(l.line.adjusted), show(l.amount))
		}
	}
	return nil
}

// chargedAgain reports whether several lines charge a fee from the start of its service on.
func (r *run) chargedAgain(p piece) bool {
	n := 0
	for _, l := range r.books.of(p.sub.id, p.price, p.from, p.from.Add(time.Microsecond)) {
		if l.from.Equal(p.from) {
			n++
		}
	}
	return n > 1
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
