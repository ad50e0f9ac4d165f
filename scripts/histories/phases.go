package main

import (
	"context"
	"slices"
	"time"
)

// placed is the time that a phase of a plan takes in a subscription.
type placed struct {
	order    int
	change   int       // the number of the plan change that brought it
	from, to time.Time // to zero: open
	anchor   *anchor   // where cycles begin from then on; nil: as before
}

// place puts the phases of a plan from an order on, one after the other from an instant. Months
// keep the day of the month that the first of them starts on (semantics 1.1.6). What would
// begin at the end of the subscription or after it is left out.
func (s *subscription) place(phases []phase, order, change int, at time.Time) (all []placed) {
	z := s.customer.zone
	y, m, d := z.day(at).date()
	months, start := 0, at
	for n := order; n <= len(phases); n++ {
		if !s.to.IsZero() && !start.Before(s.to) {
			break
		}
		one := placed{order: n, change: change, from: start, to: s.to}
		if phases[n-1].Align {
			y, m, d := z.day(start).date()
			one.anchor = &anchor{y, m, d, z.day(start)}
		}
		if length := phases[n-1].Months; length > 0 {
			months += length
			end := z.start(addMonths(y, m, d, months))
			if s.to.IsZero() || end.Before(s.to) {
				one.to = end
			}
			start = end
		}
		all = append(all, one)
	}
	return all
}

// begin adds the intervals of a plan's prices from an instant on, each for its phase.
func (s *subscription) begin(p *plan, name string, change int, at time.Time, a anchor) {
	phases := s.place(p.phases, 1, change, at)
	s.phases = append(s.phases, phases...)
	for _, spec := range p.prices {
		i := &interval{spec: spec, plan: name, from: at, to: s.to, anchor: a, counted: s.counts(), change: change}
		if spec.Phase > 0 {
			k := slices.IndexFunc(phases, func(one placed) bool { return one.order == spec.Phase })
			if k < 0 {
				continue // not reached
			}
			i.from, i.to, i.anchor = phases[k].from, phases[k].to, aligned(a, phases[:k+1])
		}
		s.intervals = append(s.intervals, i)
	}
}

// aligned is where cycles begin after phases, if they begin at a before them.
func aligned(a anchor, phases []placed) anchor {
	for _, one := range phases {
		if one.anchor != nil {
			a = *one.anchor
		}
	}
	return a
}

// cutPhases ends the phases at an instant, as cut does the intervals.
func (s *subscription) cutPhases(end time.Time) {
	s.phases = slices.DeleteFunc(slices.Clone(s.phases), func(p placed) bool { return !p.from.Before(end) })
	for k := range s.phases {
		if p := &s.phases[k]; p.to.IsZero() || p.to.After(end) {
			p.to = end
		}
	}
}

// phaseAt is the phase in force at an instant.
func (s *subscription) phaseAt(at time.Time) (placed, bool) {
	for _, one := range s.phases {
		if !at.Before(one.from) && (one.to.IsZero() || at.Before(one.to)) {
			return one, true
		}
	}
	return placed{}, false
}

// triggerPhase starts the next phase on a local day (semantics 6.3.9).
func (r *run) triggerPhase(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	z := sub.customer.zone
	at := z.start(z.day(r.w.now))
	body := object{}
	if s.At != "" {
		at, body["effective_date"] = when(z, s.At), s.At
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/trigger_phase", body); err != nil {
		return err
	}
	current, ok := sub.phaseAt(r.w.now)
	if !ok {
		return differ("a phase of %s was triggered, though it is in none", sub.name)
	}
	name := sub.plan
	if current.change > 0 {
		name = sub.changes[current.change-1].plan
	}
	was := map[int]placed{}
	var others []placed
	most := 0
	for _, one := range sub.phases {
		if one.change == current.change {
			was[one.order], most = one, max(most, one.order)
		}
		if one.change != current.change || one.order < current.order {
			others = append(others, one)
		}
	}
	now := map[int]placed{current.order: {current.order, current.change, current.from, at, current.anchor}}
	for _, one := range sub.place(r.w.plans[name].phases[:most], current.order+1, current.change, at) {
		if one.order == most && (!sub.to.IsZero() || was[most].to.IsZero()) {
			one.to = sub.to // the last one that an end of the subscription has left
		}
		now[one.order] = one
	}
	a := sub.anchor
	if current.change > 0 {
		a = sub.changes[current.change-1].anchor
	}
	for _, one := range others {
		if one.change == current.change {
			a = aligned(a, []placed{one})
		}
	}
	anchors := map[int]anchor{}
	for n := current.order; n <= most; n++ {
		a = aligned(a, []placed{now[n]})
		anchors[n] = a
	}
	sub.phases = others
	for n := current.order; n <= most; n++ {
		if one, reached := now[n]; reached {
			sub.phases = append(sub.phases, one)
		}
	}
	sub.intervals = slices.DeleteFunc(sub.intervals, func(i *interval) bool {
		if i.change != current.change || i.spec.Phase < current.order || i.spec.Phase == 0 {
			return false
		}
		old := was[i.spec.Phase]
		next, reached := now[i.spec.Phase]
		if !reached {
			return true
		}
		i.move(old, next, z)
		if i.spec.Phase > current.order {
			i.anchor = anchors[i.spec.Phase]
		}
		return false
	})
	sub.troubled = true
	return nil
}

// move gives an interval of a phase the time that the phase has now. Bounds of its own stay.
func (i *interval) move(old, now placed, z *zone) {
	began := z.day(i.from)
	if i.from.Equal(old.from) || i.from.Before(now.from) {
		i.from = now.from
	}
	if i.to.Equal(old.to) || !now.to.IsZero() && (i.to.IsZero() || i.to.After(now.to)) {
		if !i.to.IsZero() {
			i.former = append(i.former, i.to)
		}
		i.to = now.to
	}
	if !i.to.IsZero() && i.to.Before(i.from) {
		i.from = i.to
	}
	for k, t := range i.quantities { // the quantity that it is to begin with
		if t.from == began {
			i.quantities[k].from = z.day(i.from)
		}
	}
}

// phased gives a plan phases, and its prices one of them each.
func (g *generator) phased(s *step) {
	s.Phases = []phase{{Months: 1 + g.IntN(2)}, {}}
	if g.chance(40) {
		s.Phases = []phase{{Months: 1}, {Months: 1 + g.IntN(3)}, {}}
	}
	for k := range s.Phases {
		s.Phases[k].Align = g.chance(40)
	}
	g.pricesInPhases(s)
}

// pricesInPhases gives each price of a plan a phase, and each phase a price.
func (g *generator) pricesInPhases(s *step) {
	for k := range s.Prices {
		s.Prices[k].Phase = 1 + (k+g.IntN(2))%len(s.Phases)
	}
	for k := len(s.Prices); k < len(s.Phases); k++ {
		p := g.price(s.Name)
		p.Phase = k + 1
		s.Prices = append(s.Prices, p)
	}
}

// trigger is the start of the next phase.
func (g *generator) trigger() (step, bool) {
	sub := g.sub()
	current, ok := sub.phaseAt(g.w.now)
	if !ok || current.to.IsZero() || slices.ContainsFunc(sub.changes, func(c planChange) bool { return c.at.After(g.w.now) }) {
		return step{}, false
	}
	s := step{Do: "trigger phase", Of: sub.name}
	if g.chance(60) {
		s.At = g.date(sub.customer, pick(g, -6, 0, 0), 30)
	}
	return s, true
}
