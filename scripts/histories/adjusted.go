package main

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
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
		shares := slices.ContainsFunc(adjusts, func(a adjustment) bool { return len(a.Prices) > 1 && slices.Contains(a.Prices, l.piece.spec.Name) })
		switch {
		case l.piece.inOnePart() && shares && !r.onOneInvoice(v, l.piece, adjusts):
			r.undecided("an adjustment of several prices whose period has several invoices")
			return nil
		case l.piece.inOnePart():
		case l.piece.amountOff() || shares:
			r.undecided("an adjustment of several prices, or the amount of a coupon, on a price that is billed in parts")
			return nil
		case !r.decided(l.piece):
			return nil
		}
	}
	for _, kind := range []string{"usage_discount", "amount_discount", "percentage_discount", "minimum", "maximum"} {
		if kind == "percentage_discount" && len(lines) > 0 && !lines[0].sub.couponsOff(v, lines) { // after all amounts
			r.undecided("the amount of a coupon whose period has several invoices")
			return nil
		}
		if kind == "minimum" { // after all percentages
			for _, l := range lines {
				l.amount = l.piece.discount(l.amount)
			}
		}
		for _, level := range []bool{false, true} {
			for n, a := range adjusts {
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
				works := func(l *charged) working {
					return working{a, fmt.Sprint("plan ", n), cents(mul(rat(a.Amount), l.piece.life()))}
				}
				if !level || kind == "percentage_discount" {
					for _, l := range hit {
						l.amount = r.w.adjust(l.piece, works(l), l.amount, l.piece.to)
					}
					continue
				}
				slices.SortStableFunc(hit, func(a, b *charged) int { return slices.Index(v.lines, a.line) - slices.Index(v.lines, b.line) })
				for _, l := range hit[1:] {
					if !same(l.piece.fraction(), hit[0].piece.fraction()) {
						r.undecided("an adjustment of prices with different days")
						return nil
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
				change := sub(r.w.adjust(hit[0].piece, works(hit[0]), sum, hit[0].piece.to), sum)
				for n, part := range split(change, weights) {
					hit[n].amount = add(hit[n].amount, part)
				}
			}
			for _, l := range lines {
				for _, a := range r.w.adjusting(l.piece) {
					if !level && a.Kind == kind && !strings.HasPrefix(a.key, "plan") {
						l.amount = r.w.adjust(l.piece, a, l.amount, l.piece.to)
					}
				}
			}
		}
	}
	for _, l := range lines {
		if !l.piece.inOnePart() {
			l.amount = r.w.worth(l.piece, l.piece.to)
		}
	}
	for _, l := range lines {
		if !same(l.amount, l.line.adjusted) {
			return differ("%s comes to %s after adjustments, expected %s", l.line.name, show(l.line.adjusted), show(l.amount))
		}
	}
	return nil
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
