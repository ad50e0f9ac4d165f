package main

import (
	"fmt"
	"math/big"
	"slices"
	"time"
)

// Adjustments of one price work over its billing cycle (price-models.md 6.7). Where invoices bill the cycle in
// parts, each has what an adjustment comes to to date, less what it did on the parts before; percentages
// work on what each part adds, and a minimum waits for the last part.

// working is an adjustment that works on a service period.
type working struct {
	adjustment
	key   string   // tells it from others of the price
	value *big.Rat // of an amount: for the period, in whole cents
}

// adjusting are the adjustments of one price and of several that work on a service period of usage: those of
// the plan that the price came with, and those that were added.
func (w *world) adjusting(p piece) []working {
	var all []working
	f := p.life()
	for n, a := range w.plans[p.plan].adjust {
		if slices.Contains(a.Prices, p.spec.Name) {
			all = append(all, working{a, fmt.Sprint("plan ", n), cents(mul(rat(a.Amount), f))})
		}
	}
	var chains [][]*ownAdjustment // of minimums that are one, since each begins where another one ends
	for n, a := range p.sub.adjusts {
		switch {
		case a.Kind != "minimum" && a.covers(p):
			all = append(all, working{a.adjustment, fmt.Sprint("own ", n), cents(mul(rat(a.Amount), f))})
		case a.Kind == "minimum" && a.inForce(p):
			k := slices.IndexFunc(chains, func(c []*ownAdjustment) bool {
				return c[len(c)-1].to.Equal(a.from) || a.to.Equal(c[0].from) && !a.to.IsZero()
			})
			switch {
			case k < 0:
				chains = append(chains, []*ownAdjustment{a})
			case chains[k][0].from.Equal(a.to):
				chains[k] = append([]*ownAdjustment{a}, chains[k]...)
			default:
				chains[k] = append(chains[k], a)
			}
		}
	}
	for _, chain := range chains {
		sum := new(big.Rat)
		for _, a := range chain {
			sum.Add(sum, mul(rat(a.Amount), a.daysIn(p)))
		}
		last := chain[len(chain)-1]
		all = append(all, working{last.adjustment, "minimum from " + clock(last.from), cents(sum)})
	}
	return all
}

// inForce reports whether a minimum is in force at some time of a service period.
func (a *ownAdjustment) inForce(p piece) bool {
	return p.price == a.price && p.interval.change == a.change && p.to.After(a.from) && (a.to.IsZero() || p.from.Before(a.to))
}

// daysIn is the part of the billing cycle on which the adjustment and the price of a service period are in
// force.
func (a *ownAdjustment) daysIn(p piece) *big.Rat {
	if p.spec.Cycle == (cycle{}) {
		return num(1)
	}
	z, days := p.sub.customer.zone, p.wholeDays()
	if from := z.day(a.from); a.from.After(p.since) && from > days.from {
		days.from = from
	}
	if !a.to.IsZero() && z.day(a.to) < days.to {
		days.to = z.day(a.to)
	}
	return quo(num(max(days.days(), 0)), num(p.cycle.days()))
}

// wholeDays are the days of the billing cycle on which the price of a service period is in force.
func (p piece) wholeDays() span {
	days := p.days
	if p.spec.Invoiced != nil && p.spec.Metric != "" {
		if days.to = p.cycle.to; !p.interval.to.IsZero() {
			days.to = min(days.to, p.sub.customer.zone.day(p.interval.to))
		}
	}
	return days
}

// life is f of an adjustment: the part of the billing cycle on which the price is in force.
func (p piece) life() *big.Rat {
	if p.spec.Invoiced == nil || p.spec.Metric == "" {
		return p.fraction()
	}
	return quo(num(p.wholeDays().days()), num(p.cycle.days()))
}

// settles reports whether the invoice of a service period of usage is the last one of its cycle.
func (p piece) settles() bool { return p.days.to == p.wholeDays().to }

// inOnePart reports whether one invoice bills the cycle of a price.
func (p piece) inOnePart() bool { return p.spec.Invoiced == nil || p.spec.Metric == "" }

// worthInParts is the amount to date of a line of usage that is billed in parts, until an instant.
func (w *world) worthInParts(p piece, until time.Time, without string) *big.Rat {
	currency := p.spec.unit("USD")
	did := map[string]*big.Rat{} // by adjustments, to date
	before, amount := new(big.Rat), new(big.Rat)
	for _, part := range p.sub.pieces(p.interval, p.from) {
		if !part.since.Equal(p.since) || part.from.After(p.from) || part.trial {
			continue
		}
		end := part.to
		if part.from.Equal(p.from) {
			end = until
		}
		subtotal := rounded(w.used(part, end), currency)
		share := sub(subtotal, before)
		amount, before = subtotal, subtotal
		works := w.adjusting(part)
		for _, step := range []string{"usage_discount", "amount_discount", "percentage_discount", "minimum", "maximum"} {
			if step == "minimum" {
				for n, d := range part.sub.coupons {
					if d.part != nil && d.covers(part) {
						key := fmt.Sprint("coupon ", n)
						share = add(share, w.percent(did, key, share, d.part))
					}
				}
				for key, sum := range did { // coupons come after all other percentages
					if len(key) > 6 && key[:6] == "coupon" {
						amount = add(amount, sum)
					}
				}
			}
			for _, a := range works {
				if a.Kind != step || a.Kind == without || len(a.Prices) > 1 {
					continue
				}
				was := plus(did[a.key], new(big.Rat))
				switch a.Kind {
				case "usage_discount":
					did[a.key] = sub(cents(w.usedBeyond(part, end, rat(a.Amount))), subtotal)
				case "amount_discount":
					did[a.key] = new(big.Rat).Neg(least(a.value, greatest(amount, new(big.Rat))))
				case "percentage_discount":
					w.percent(did, a.key, share, rat(a.Amount))
				case "minimum":
					if part.settles() && !end.Before(part.to) {
						did[a.key] = greatest(sub(a.value, amount), new(big.Rat))
					}
				case "maximum":
					did[a.key] = new(big.Rat).Neg(greatest(sub(amount, a.value), new(big.Rat)))
				}
				now := plus(did[a.key], new(big.Rat))
				share, amount = add(share, sub(now, was)), add(amount, now)
			}
		}
	}
	return amount
}

// percent takes a percentage off what a part adds, and returns what that changes. Where the part is below 0 it
// takes back no more than it gave.
func (w *world) percent(did map[string]*big.Rat, key string, share, part *big.Rat) *big.Rat {
	was := plus(did[key], new(big.Rat))
	change := new(big.Rat).Neg(cents(mul(share, part)))
	if change.Sign() > 0 {
		change = least(change, greatest(new(big.Rat).Neg(was), new(big.Rat)))
	}
	did[key] = add(was, change)
	return change
}

// undecided counts a comparison that the model leaves out, by its reason.
func (r *run) undecided(reason string) bool {
	r.known.undecided[reason]++
	return false
}
