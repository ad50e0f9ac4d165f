package main

import (
	"context"
	"slices"
	"time"
)

func (r *run) subscribe(ctx context.Context, s step) error {
	buyer, p := r.w.customers[s.Of], r.w.plans[s.Plan]
	if buyer == nil || p == nil {
		return errSkipped
	}
	body := p.versioned(object{"customer_id": buyer.id, "align_billing_with_subscription_start_date": s.Flag})
	from := buyer.zone.start(buyer.zone.day(r.w.now))
	if s.Amount != "" {
		body["invoicing_threshold"] = s.Amount
	}
	if s.Day > 0 {
		body["trial_duration_days"] = s.Day
	}
	if s.At != "" {
		from = when(buyer.zone, s.At)
		body["start_date"] = s.At
	}
	var who []string
	for _, name := range s.Who {
		c := r.w.customers[name]
		if c == nil {
			return errSkipped
		}
		who = append(who, c.id)
	}
	if len(who) > 0 {
		body["usage_customer_ids"] = who
	}
	made, err := r.post(ctx, "/v1/subscriptions", body)
	if err != nil {
		return err
	}
	began := buyer.zone.day(from)
	y, m, d := began.date()
	sub := &subscription{who: s.Who, name: s.Name, id: made.str("id"), customer: buyer, plan: s.Plan, from: from, anchor: anchor{y, m, 1, began}, reduced: map[*interval]bool{}, planAdjusts: map[string]bool{}}
	if s.Flag {
		sub.anchor.day = d
	}
	if s.Amount != "" {
		sub.threshold = rat(s.Amount)
	}
	if s.Day > 0 {
		sub.trial = buyer.zone.start(began + day(s.Day))
	}
	sub.begin(p, s.Plan, 0, from, sub.anchor)
	r.w.subs[s.Name] = sub
	r.w.order = append(r.w.order, s.Name)
	return nil
}

func (r *run) cancel(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	z := sub.customer.zone
	body := object{"cancel_option": s.Option}
	var end time.Time
	switch s.Option {
	case "immediate":
		end = r.w.now
		if sub.from.After(end) {
			end = sub.from
		}
	case "requested_date":
		body["cancellation_date"] = s.At
		end = when(z, s.At)
	case "end_of_subscription_term":
		var ok bool
		if end, ok = sub.termEnd(r.w.now); !ok {
			return errSkipped
		}
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/cancel", body); err != nil {
		return err
	}
	if !sub.to.IsZero() {
		sub.former = append(sub.former, sub.to)
	}
	sub.open()
	sub.coupons = slices.DeleteFunc(sub.coupons, func(d redemption) bool { return !d.from.Before(end) && d.from.After(sub.from) })
	if !sub.from.Before(end) { // it had not begun: its first intervals stay, without any time
		if len(sub.changes) > 0 { // the end takes back the changes of its date or later (semantics 6.3.4)
			r.undo(sub, 0)
		}
		sub.intervals = slices.DeleteFunc(sub.intervals, func(i *interval) bool { return i.from.After(end) })
		for _, i := range sub.intervals {
			i.to = i.from
		}
		sub.phases = nil
	} else {
		sub.cut(end)
	}
	sub.to, sub.canceled, sub.troubled = end, true, true
	for n, c := range sub.changes {
		if !c.at.Before(end) {
			sub.changes = sub.changes[:n]
			break
		}
	}
	for n := range sub.changes {
		sub.changes[n].shorten(end)
	}
	return nil
}

// shorten lets a cancellation end what would be again if the plan change were taken back, too:
// what would begin then is gone, and what was to go on ends with the subscription, whatever
// its end is by then (semantics 6.3.3).
func (c *planChange) shorten(end time.Time) {
	c.before = slices.DeleteFunc(slices.Clone(c.before), func(e ending) bool { return !e.from.Before(end) })
	for k := range c.before {
		if !c.before[k].to.Before(end) {
			c.before[k].to = time.Time{}
		}
	}
	c.phases = slices.DeleteFunc(slices.Clone(c.phases), func(p placed) bool { return !p.from.Before(end) })
	for k := range c.phases {
		if !c.phases[k].to.Before(end) {
			c.phases[k].to = time.Time{}
		}
	}
}

// open takes the end of a subscription away: intervals that ended there are open again.
func (s *subscription) open() {
	for _, i := range s.intervals {
		if !i.to.IsZero() && i.to.Equal(s.to) {
			i.to = time.Time{}
		}
	}
	for _, a := range s.adjusts {
		if !a.to.IsZero() && a.to.Equal(s.to) {
			a.to = time.Time{}
		}
	}
	for k := range s.phases {
		if s.phases[k].to.Equal(s.to) {
			s.phases[k].to = time.Time{}
		}
	}
	s.to, s.canceled = time.Time{}, false
}

// cut ends all intervals at an instant; those that would begin later are gone.
func (s *subscription) cut(end time.Time) {
	s.cutPhases(end)
	s.cutAdjustments(end)
	s.intervals = slices.DeleteFunc(s.intervals, func(i *interval) bool { return !i.from.Before(end) })
	for _, i := range s.intervals {
		if i.to.IsZero() || i.to.After(end) {
			if !i.to.IsZero() {
				i.former = append(i.former, i.to)
			}
			i.to = end
		}
	}
}

func (r *run) unscheduleCancellation(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/unschedule_cancellation", object{}); err != nil {
		return err
	}
	sub.former = append(sub.former, sub.to)
	if !sub.canceled || !sub.to.After(r.w.now) {
		return differ("unscheduling the cancellation of %s was granted, though none is ahead", s.Of)
	}
	sub.open()
	return nil
}
