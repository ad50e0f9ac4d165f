package main

import (
	"context"
	"slices"
	"time"
)

// A trial is a cycle of its own: usage in it is one service, all of which the trial discounts,
// and fees begin where it ends (semantics 6.3.8, price-models.md 5.7). It ends with the plan
// that the subscription began with.

// trialEnd is where the trial ends, zero without one.
func (s *subscription) trialEnd() time.Time {
	end := s.trial
	if !end.IsZero() && len(s.changes) > 0 && s.changes[0].at.Before(end) {
		end = s.changes[0].at
	}
	if !end.After(s.from) {
		return time.Time{}
	}
	return end
}

// inTrial is the service of a usage price in the trial.
func (s *subscription) inTrial(i *interval, end time.Time) piece {
	z := s.customer.zone
	p := piece{interval: i, sub: s, from: i.from, to: end, trial: true}
	if !i.to.IsZero() && i.to.Before(end) {
		p.to = i.to
	}
	p.days = span{z.day(p.from), max(z.day(p.to), z.day(p.from)+1)}
	p.cycle, p.window, p.since = p.days, p.days, p.from
	return p
}

// billed is the date of the invoice that charges a service period in arrears: of a trial where
// that ends, or the subscription.
func (p piece) billed() time.Time {
	switch {
	case !p.trial && p.deferred && p.to.Equal(p.interval.to) && p.to.Before(p.sub.customer.zone.start(p.window.to)):
		return p.sub.deferredTo(p.interval)
	case !p.trial:
		return p.to
	}
	end := p.sub.trialEnd()
	if !p.sub.to.IsZero() && p.sub.to.Before(end) {
		return p.sub.to
	}
	return end
}

// termEnd is where the term ends that is in force: the trial, or the longest cycle.
func (s *subscription) termEnd(now time.Time) (time.Time, bool) {
	if end := s.trialEnd(); now.Before(end) {
		return end, true
	}
	longest, ok := s.longest(now)
	if !ok {
		return time.Time{}, false
	}
	end := s.customer.zone.start(s.anchored(now).around(longest, s.today(now)).to)
	for _, one := range s.phases {
		if one.anchor != nil && one.from.After(now) && one.from.After(s.from) { // where cycles begin again
			end = earlier(end, one.from)
		}
	}
	return end, true
}

func (r *run) updateTrial(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	body := object{"trial_end_date": "immediate"}
	end := r.w.now
	if end.Before(sub.from) {
		end = sub.from
	}
	if s.At != "" {
		body["trial_end_date"] = s.At
		end = when(sub.customer.zone, s.At)
	}
	if s.Option == "shift" {
		body["shift"] = true
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/update_trial", body); err != nil {
		return err
	}
	if s.Option == "shift" {
		shift{sub.trial, end, sub.customer.zone}.move(sub)
	}
	sub.trial = end
	return nil
}

// shift moves what lies behind the end of a trial as far as that end moves: by local days and the
// time of the day (semantics 6.3.8).
type shift struct {
	from, to time.Time
	*zone
}

func (s shift) of(at time.Time) time.Time {
	if at.IsZero() || at.Before(s.from) {
		return at
	}
	d := s.day(at)
	clock := s.to.Sub(s.start(s.day(s.to))) - s.from.Sub(s.start(s.day(s.from))) + at.Sub(s.start(d))
	return s.start(d + s.day(s.to) - s.day(s.from)).Add(clock)
}

// move moves phases, intervals and quantities. The end of the subscription stays, and what it does not
// let be reached is gone.
func (s shift) move(sub *subscription) {
	bounds := func(from, to time.Time) (time.Time, time.Time, bool) {
		from = s.of(from)
		if sub.to.IsZero() || !to.Equal(sub.to) {
			to = s.of(to)
		}
		if !sub.to.IsZero() && (to.IsZero() || to.After(sub.to)) {
			to = sub.to
		}
		return from, to, to.IsZero() || from.Before(to)
	}
	var phases []placed
	anchors := map[int]anchor{}
	a := sub.anchor
	for _, one := range sub.phases { // in the order of time
		var reached bool
		if one.from, one.to, reached = bounds(one.from, one.to); !reached {
			continue
		}
		if one.anchor != nil {
			y, m, d := s.day(one.from).date()
			one.anchor = &anchor{y, m, d, s.day(one.from)}
		}
		a = aligned(a, []placed{one})
		anchors[one.order] = a
		phases = append(phases, one)
	}
	sub.phases = phases
	sub.adjusts = slices.DeleteFunc(sub.adjusts, func(a *ownAdjustment) (gone bool) {
		a.from, a.to, gone = bounds(a.from, a.to)
		return !gone
	})
	sub.intervals = slices.DeleteFunc(sub.intervals, func(i *interval) bool {
		from, to, reached := bounds(i.from, i.to)
		if !reached {
			return true
		}
		if !i.to.IsZero() && !i.to.Equal(to) {
			i.former = append(i.former, i.to)
		}
		i.from, i.to = from, to
		if i.spec.Phase > 0 {
			i.anchor = anchors[i.spec.Phase]
		}
		s.quantities(i)
		return false
	})
	sub.troubled = true
}

// quantities moves those of a fee. Of the days that a trial loses the last one is left, at its new end.
func (s shift) quantities(i *interval) {
	lost := transition{from: -1}
	var moved []transition
	for _, t := range i.quantities {
		switch at := s.start(t.from); {
		case !at.Before(s.from):
			moved = append(moved, transition{s.day(s.of(at)), t.quantity})
		case !at.Before(s.to):
			lost = t
		default:
			moved = append(moved, t)
		}
	}
	i.quantities = nil
	if lost.from >= 0 {
		i.set(s.day(s.to), lost.quantity)
	}
	for _, t := range moved {
		i.set(t.from, t.quantity)
	}
}

// trial is an update of a trial.
func (g *generator) trial() (step, bool) {
	sub := g.sub()
	if end := sub.trialEnd(); !g.w.now.Before(end) {
		return step{}, false
	}
	s := step{Do: "update trial", Of: sub.name, Option: pick(g, "immediate", "date", "date", "shift", "shift")}
	if s.Option == "shift" && len(sub.changes) > 0 {
		return step{}, false // a plan change ahead hides the dates that move behind it
	}
	if s.Option == "date" || s.Option == "shift" && g.chance(70) {
		s.At = g.date(sub.customer, -5, 20)
	}
	return s, true
}
