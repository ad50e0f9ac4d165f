package main

import (
	"context"
	"slices"
	"time"
)

// A migration puts subscriptions of a plan on its next version, from now on (semantics 5.2.6 to 5.2.8).
// Only an operator can ask for one, so it needs a server that this command has started itself.

// migrate puts the subscriptions that are on one version of a plan on the next one.
func (r *run) migrate(ctx context.Context, s step) error {
	from, to := r.w.plans[s.Plan], r.w.plans[s.Name]
	if from == nil || to == nil || from.id != to.id || to.version != from.version+1 || r.c.migrate == nil {
		return errSkipped
	}
	for _, sub := range r.w.subs {
		if sub.planAt(sub.begun(r.w.now)) == s.Plan && slices.ContainsFunc(sub.changes, func(c planChange) bool {
			return c.at.After(r.w.now) || sub.customer.zone.day(c.at) == sub.customer.zone.day(r.w.now)
		}) {
			return errSkipped // what a plan change of the same day or later hides is left out
		}
	}
	if err := r.c.migrate(ctx, from.id, from.version, to.version); err != nil {
		return err
	}
	if err := r.settled(ctx); err != nil {
		return err
	}
	status := "completed"
	for _, name := range r.w.order {
		sub := r.w.subs[name]
		switch {
		case sub.planAt(sub.begun(r.w.now)) != s.Plan || !sub.to.IsZero() && !sub.to.After(sub.begun(r.w.now)):
		case sub.holds(from, to, r.w.now) || sub.waits(r.w.now):
			status = "action_needed"
		default:
			sub.migrate(from, to, s.Name, r.w.now)
			r.known.touched[name], r.known.touched[sub.customer.name] = true, true
		}
	}
	all, err := r.c.get(ctx, "/v1/plans/"+from.id+"/migrations")
	if err != nil {
		return err
	}
	if got := all.list("data")[0].str("status"); got != status {
		return differ("the migration of %s to %s is %s, expected %s", s.Plan, s.Name, got, status)
	}
	return nil
}

// begun is an instant, or the start of a subscription that has not begun.
func (s *subscription) begun(now time.Time) time.Time {
	if now.Before(s.from) {
		return s.from
	}
	return now
}

// planAt names the plan that a subscription has at an instant.
func (s *subscription) planAt(at time.Time) string {
	name := s.plan
	for _, c := range s.changes {
		if !c.at.After(at) {
			name = c.plan
		}
	}
	return name
}

// leaves reports whether an interval's price is one of a version that the next one does not have.
func (i *interval) leaves(from, to *plan) bool {
	id, had := from.ids[i.spec.Name]
	return had && to.ids[i.spec.Name] != id
}

// holds reports whether a coupon, or an adjustment that was added, names a price that the next version does not
// have: it would be lost.
func (s *subscription) holds(from, to *plan, now time.Time) bool {
	at := s.begun(now)
	for _, i := range s.intervals {
		if !i.leaves(from, to) || !i.to.IsZero() && !i.to.After(at) {
			continue
		}
		for _, a := range s.adjusts {
			if a.price == i.price && (a.to.IsZero() || a.to.After(at)) {
				return true
			}
		}
		for _, d := range s.coupons {
			if (d.to.IsZero() || d.to.After(at)) && slices.Contains(d.prices, i.price) {
				return true
			}
		}
	}
	return false
}

// migrate ends the prices that the next version does not have, and begins those that it adds. What takes
// the place of a price has its quantity, and counts what that counted.
func (s *subscription) migrate(from, to *plan, name string, now time.Time) {
	at := s.begun(now)
	change := len(s.changes)
	if change == 0 {
		s.plan = name
	} else {
		s.changes[change-1].plan = name
	}
	var next []*interval
	for _, i := range s.intervals {
		if i.change == change {
			i.plan = name // whose adjustments are the same
		}
		switch {
		case i.change != change || !i.to.IsZero() && !i.to.After(at):
			next = append(next, i)
		case !i.leaves(from, to):
			next = append(next, i)
		default:
			for _, spec := range to.prices {
				if to.replaces[spec.Name] == i.spec.Name {
					next = append(next, i.followed(spec, name, s.customer.zone, at))
				}
			}
			if i.from.Before(at) {
				if !i.to.IsZero() {
					i.former = append(i.former, i.to)
				}
				i.to, i.deferred = at, true
				next = append(next, i)
			}
		}
	}
	for _, spec := range to.prices {
		if from.ids[spec.Name] == "" && to.replaces[spec.Name] == "" {
			next = append(next, &interval{spec: spec, plan: name, from: at, to: s.to, anchor: s.anchored(at), counted: s.counts(), change: change})
		}
	}
	s.intervals = next
	s.migrated, s.troubled = at, true
}

// followed is the interval of a price that takes the place of another one.
func (i *interval) followed(spec priceSpec, plan string, z *zone, at time.Time) *interval {
	next := &interval{spec: spec, plan: plan, from: at, to: i.to, anchor: i.anchor, counted: slices.Clone(i.counted), change: i.change}
	if i.from.After(at) {
		next.from = i.from
	}
	for _, t := range i.quantities {
		if t.from < z.day(next.from) {
			next.set(z.day(next.from), t.quantity)
		}
	}
	for _, t := range i.quantities {
		if t.from >= z.day(next.from) {
			next.set(t.from, t.quantity)
		}
	}
	return next
}

// deferredTo is when a price in arrears that a migration ended in the middle of its cycle is billed: with
// the next regular invoice of the prices until then, or where the plan or the subscription ends (6.2.8).
func (s *subscription) deferredTo(i *interval) time.Time {
	z := s.customer.zone
	last := i.to.Add(-time.Microsecond)
	var shortest cycle
	for _, one := range s.intervals {
		c := one.spec.invoicing()
		if c == (cycle{}) || one.from.After(last) || !one.to.IsZero() && !one.to.After(last) {
			continue
		}
		if shortest == (cycle{}) || c.Months*30+c.Days < shortest.Months*30+shortest.Days {
			shortest = c
		}
	}
	return sooner(sooner(z.start(i.anchor.around(shortest, z.day(last)).to), s.leaves(i)), s.to)
}

// migrate thinks up one to a version that a subscription can go to.
func (g *generator) migrate() (step, bool) {
	sub := g.sub()
	name := sub.planAt(sub.begun(g.w.now))
	from := g.w.plans[name]
	if !sub.to.IsZero() && !sub.to.After(g.w.now) {
		return step{}, false
	}
	for next, p := range g.w.plans {
		if p.id == from.id && p.version == from.version+1 {
			return step{Do: "migrate", Of: sub.name, Plan: name, Name: next}, true
		}
	}
	return step{}, false
}
