package main

import (
	"fmt"
	"math/big"
	"slices"
	"time"
)

// An adjustment belongs to a period, not to a document (price-models.md 6.7). What it comes to on lines says the
// reference model; which lines, which part of a full period and which document settles a minimum, says this one.

// work is an adjustment of a subscription, for one time on a plan.
type work struct {
	adjustment
	key    string // tells it from others of the subscription
	change int    // the plan change since which the plan is there: across plans each is a period of its own (6.7.3)
	names  bool   // it names several prices, or is a coupon: is_invoice_level

	prices []*interval // that it is for, whenever they are in force
	coupon *redemption
	chain  []*ownAdjustment // that were added, the last one of which it is
	also   []string         // keys of the others
}

// worksOf are the adjustments of a subscription, in order of their creation: those of its plans, those that were
// added and coupons.
func (w *world) worksOf(s *subscription) (all []work) {
	type time struct {
		plan   string
		change int
	}
	var times []time
	for _, i := range s.intervals {
		if at := (time{i.plan, i.change}); !slices.Contains(times, at) {
			times = append(times, at)
		}
	}
	slices.SortStableFunc(times, func(a, b time) int { return a.change - b.change })
	for _, at := range times {
		for n, a := range w.plans[at.plan].adjust {
			one := work{adjustment: a, key: fmt.Sprint("plan ", at, n), change: at.change, names: len(a.Prices) != 1}
			one.prices = s.pricesOf(at.change, func(i *interval) bool { return i.plan == at.plan && slices.Contains(a.Prices, i.spec.Name) })
			all = append(all, one)
		}
	}
	for n, a := range s.adjusts {
		one := work{adjustment: a.adjustment, key: fmt.Sprint("own ", n), change: a.change, chain: []*ownAdjustment{a}}
		one.prices = s.pricesOf(a.change, func(i *interval) bool { return i.price == a.price })
		all = append(all, one)
	}
	for n, d := range s.coupons {
		for _, at := range times {
			a := adjustment{Kind: "percentage_discount"}
			if d.part == nil {
				a = adjustment{Kind: "amount_discount", Amount: show(d.amount)}
			} else {
				a.Amount = d.part.RatString()
			}
			one := work{adjustment: a, key: fmt.Sprint("coupon ", n, at), change: at.change, names: true, coupon: &s.coupons[n]}
			one.prices = s.pricesOf(at.change, func(i *interval) bool { return i.plan == at.plan && slices.Contains(d.prices, i.price) })
			all = append(all, one)
		}
	}
	return slices.DeleteFunc(all, func(one work) bool { return len(one.prices) == 0 })
}

// pricesOf are the prices in a real currency of a time on a plan.
func (s *subscription) pricesOf(change int, some func(*interval) bool) (found []*interval) {
	for _, i := range s.intervals {
		if i.change == change && i.spec.unit("USD") == "USD" && some(i) {
			found = append(found, i)
		}
	}
	return found
}

// counted is the instant whose period a service belongs to (6.7.1).
func (p piece) countedAt() time.Time {
	if last := p.to.Add(-time.Microsecond); !p.spec.advance() && !last.Before(p.from) {
		return last
	}
	return p.from
}

// turn is a period of an adjustment.
type turn struct {
	span
	full int // days of the full billing period
}

// period is the period of an adjustment that a service belongs to: of several cadences the shortest one, of several
// anchors that of the earliest price. A price that ends has its last cycle to the end, and the next length
// goes on from there (6.7.1).
func (a work) period(p piece) (turn, bool) {
	if p.trial || !slices.Contains(a.prices, p.interval) {
		return turn{}, false
	}
	z := p.sub.customer.zone
	at := a.countedAt(p)
	today := z.day(at)
	var shortest *interval
	for _, i := range a.prices {
		if i.spec.Cycle == (cycle{}) || at.Before(i.from) || i.over(at) && i.lastDay(z) <= today {
			continue
		}
		if shortest == nil || i.spec.Cycle.length() < shortest.spec.Cycle.length() {
			shortest = i
		}
	}
	if shortest == nil {
		return turn{}, false
	}
	in := shortest.anchor.around(shortest.spec.Cycle, today)
	cut := turn{in, in.days()}
	for _, i := range a.prices {
		if i.spec.Cycle == (cycle{}) || !i.over(at) || i.spec.Cycle.length() >= shortest.spec.Cycle.length() {
			continue
		}
		if last := i.lastDay(z); last > cut.from && last <= today {
			cut.from = last
		}
	}
	return cut, true
}

// countedAt is the instant whose period a service belongs to. A fee in advance of a longer cycle that begins after the
// shortest price ended, in the rest of its last cycle, is for the period after that.
func (a work) countedAt(p piece) time.Time {
	at, z := p.countedAt(), p.sub.customer.zone
	if !p.spec.advance() || p.spec.Cycle == (cycle{}) {
		return at
	}
	for _, i := range a.prices {
		if i.spec.Cycle == (cycle{}) || i.to.IsZero() || i.spec.Cycle.length() >= p.spec.Cycle.length() || p.interval.from.Before(i.to) {
			continue
		}
		if end := z.start(i.lastDay(z)); i.to.After(i.from) && at.Before(end) && end.Before(p.to) {
			at = end
		}
	}
	return at
}

// length orders cycles.
func (c cycle) length() int { return c.Months*30 + c.Days }

// over reports whether a price has ended by an instant.
func (i *interval) over(at time.Time) bool { return !i.to.IsZero() && !at.Before(i.to) }

// lastDay is where the last cycle of a price that ends is over; exclusive.
func (i *interval) lastDay(z *zone) day {
	if !i.to.After(i.from) { // it never ran
		return 0
	}
	return i.anchor.around(i.spec.Cycle, z.day(i.to.Add(-time.Microsecond))).to
}

// covers reports whether it works on a service. A minimum works on all that is served while it is in force
// (6.7.12), anything else by the dates of the service (semantics 6.3.7), but for the amount of a coupon over both
// modes, which is for periods that end in its time, or with it (6.7.10).
func (a work) covers(p piece, of turn) bool {
	switch {
	case a.coupon != nil && slices.Contains(a.coupon.except, p.key()):
		return false
	case a.coupon != nil && a.coupon.part == nil && a.bothModes(p.sub.customer.zone, of):
		end := p.sub.customer.zone.start(of.to)
		if !p.sub.to.IsZero() {
			end = earlier(end, p.sub.to)
		}
		for _, c := range p.sub.changes {
			if c.at.After(p.countedAt()) {
				end = earlier(end, c.at)
			}
		}
		return end.After(a.coupon.from) && (a.coupon.to.IsZero() || !end.After(a.coupon.to))
	case a.coupon != nil:
		return a.coupon.covers(p)
	case a.Kind == "minimum" && a.chain != nil:
		return slices.ContainsFunc(a.chain, func(one *ownAdjustment) bool { return one.inForce(p) })
	case a.chain != nil:
		return slices.ContainsFunc(a.chain, func(one *ownAdjustment) bool { return one.covers(p) })
	}
	return true
}

// bothModes reports whether prices in advance and in arrears are in force in a period.
func (a work) bothModes(z *zone, of turn) bool {
	modes := map[bool]bool{}
	for _, i := range a.prices {
		if i.from.Before(z.start(of.to)) && (i.to.IsZero() || i.to.After(z.start(of.from))) {
			modes[i.spec.advance()] = true
		}
	}
	return len(modes) == 2
}

// fraction is f: the days of a period on which one of the prices runs, after the trial, of those of the full
// billing period (6.7.2). Of a minimum that was added those on which it is in force count (6.7.12).
func (a work) fraction(s *subscription, of turn, one *ownAdjustment) *big.Rat {
	z, runs, once := s.customer.zone, 0, true
	for d := of.from; d < of.to; d++ {
		if one != nil && (d < z.day(one.from) || !one.to.IsZero() && d >= z.day(one.to)) || d < z.day(s.trialEnd()) {
			continue
		}
		for _, i := range a.prices {
			if i.spec.Cycle == (cycle{}) {
				continue
			}
			once = false
			if d >= z.day(i.from) && (i.to.IsZero() || d < z.day(i.to)) {
				runs++
				break
			}
		}
	}
	if once {
		return num(1)
	}
	return quo(num(runs), num(of.full))
}

// amount of an adjustment in a period, in whole cents; of minimums or maximums of which one begins where the other
// ends, the sum of theirs by days.
func (a work) amount(s *subscription, of turn) *big.Rat {
	z := s.customer.zone
	chain := slices.DeleteFunc(slices.Clone(a.chain), func(one *ownAdjustment) bool {
		return !one.from.Before(z.start(of.to)) || !one.to.IsZero() && !one.to.After(z.start(of.from))
	})
	switch {
	case len(chain) == 0:
		return cents(mul(rat(a.Amount), a.fraction(s, of, nil)))
	case a.Kind != "minimum" && len(chain) == 1:
		return cents(mul(rat(chain[0].Amount), a.fraction(s, of, nil)))
	}
	sum := new(big.Rat)
	for _, one := range chain {
		sum.Add(sum, mul(rat(one.Amount), a.fraction(s, of, one)))
	}
	return cents(sum)
}

// settled is the date of the document that settles a minimum: the last one that bills a matching service in
// arrears of the period. It is zero where all are in advance, which have it from the first one on (6.7.11).
func (a work) settled(s *subscription, of turn) (last time.Time) {
	z := s.customer.zone
	for _, i := range a.prices {
		if i.spec.advance() {
			continue
		}
		for _, p := range s.pieces(i, z.start(of.to)) {
			if own, ok := a.period(p); ok && own == of && a.covers(p, of) && p.from.Before(p.to) && p.billed().After(last) {
				last = p.billed()
			}
		}
	}
	return last
}

// chained puts minimums, and maximums, together of which one begins where the other ends: they are one (6.7.12).
func chained(works []work) (all []work) {
	for _, a := range works {
		if a.chain == nil || a.Kind != "minimum" && a.Kind != "maximum" {
			all = append(all, a)
			continue
		}
		k := slices.IndexFunc(all, func(b work) bool {
			if b.chain == nil || b.Kind != a.Kind || b.change != a.change || b.chain[0].price != a.chain[0].price {
				return false
			}
			return b.chain[len(b.chain)-1].to.Equal(a.chain[0].from) || a.chain[0].to.Equal(b.chain[0].from) && !a.chain[0].to.IsZero()
		})
		switch {
		case k < 0:
			all = append(all, a)
		case all[k].chain[0].from.Equal(a.chain[0].to):
			all[k].chain = append(slices.Clone(a.chain), all[k].chain...)
			all[k].also = append(all[k].also, a.key)
		default:
			a.chain, a.also = append(slices.Clone(all[k].chain), a.chain...), append(all[k].also, all[k].key)
			all[k] = a
		}
	}
	return all
}
