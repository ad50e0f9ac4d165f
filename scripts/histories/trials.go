package main

import (
	"context"
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
	p.cycle = p.days
	return p
}

// billed is the date of the invoice that charges a service period of usage: of a trial where
// that ends, or the subscription.
func (p piece) billed() time.Time {
	if !p.trial {
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
	if s.Option == "date" {
		body["trial_end_date"] = s.At
		end = when(sub.customer.zone, s.At)
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/update_trial", body); err != nil {
		return err
	}
	sub.trial = end
	return nil
}

// trial is an update of a trial.
func (g *generator) trial() (step, bool) {
	sub := g.sub()
	if end := sub.trialEnd(); !g.w.now.Before(end) {
		return step{}, false
	}
	s := step{Do: "update trial", Of: sub.name, Option: pick(g, "immediate", "date", "date")}
	if s.Option == "date" {
		s.At = g.date(sub.customer, -5, 20)
	}
	return s, true
}
