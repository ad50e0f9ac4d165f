package main

import (
	"context"
	"slices"
	"time"
)

func (r *run) planChange(ctx context.Context, s step) error {
	sub, p := r.w.subs[s.Of], r.w.plans[s.Plan]
	if sub == nil || p == nil {
		return errSkipped
	}
	z := sub.customer.zone
	body := p.versioned(object{"change_option": s.Option})
	var at time.Time
	switch s.Option {
	case "immediate":
		if at = r.w.now; at.Before(sub.from) {
			at = sub.from
		}
	case "requested_date":
		body["change_date"] = s.At
		at = when(z, s.At)
	case "end_of_subscription_term":
		var ok bool
		if at, ok = sub.termEnd(r.w.now); !ok {
			return errSkipped
		}
	}
	align := s.Filter
	if align != "" {
		body["billing_cycle_alignment"] = align
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/schedule_plan_change", body); err != nil {
		return err
	}
	sub.troubled = true
	if !sub.to.IsZero() && !sub.to.Before(at) {
		sub.former = append(sub.former, sub.to)
		sub.open()
	}
	for n, c := range sub.changes { // those at or after it go, and one on the same day too
		if c.at.After(r.w.now) && !c.at.Before(at) || z.day(c.at) == z.day(at) {
			r.undo(sub, n)
			break
		}
	}
	before, phases := sub.ends(), slices.Clone(sub.phases)
	sub.cut(at)
	a := sub.anchored(at)
	y, m, d := z.day(at).date()
	switch align {
	case "plan_change_date":
		a = anchor{y, m, d, z.day(at)}
	case "start_of_month":
		a = anchor{y, m, 1, z.day(at)}
	}
	sub.begin(p, s.Plan, len(sub.changes)+1, at, a)
	sub.changes = append(sub.changes, planChange{at, s.Plan, a, before, phases})
	return nil
}

// today is the local day, of a subscription that has not begun its first.
func (s *subscription) today(now time.Time) day {
	return max(s.customer.zone.day(now), s.customer.zone.day(s.from))
}

// anchored is where the cycles of the plan in force begin.
func (s *subscription) anchored(now time.Time) anchor {
	if now.Before(s.from) {
		now = s.from
	}
	a, since := s.anchor, time.Time{}
	for _, c := range s.changes {
		if !c.at.After(now) {
			a, since = c.anchor, c.at
		}
	}
	for _, one := range s.phases { // in the order of time
		if one.anchor != nil && !one.from.After(now) && !one.from.Before(since) {
			a, since = *one.anchor, one.from
		}
	}
	return a
}

// undo takes plan changes from the nth on back.
func (r *run) undo(sub *subscription, n int) {
	sub.former = append(sub.former, sub.changes[n].at)
	at, before := sub.changes[n].at, sub.changes[n].before
	sub.phases = sub.changes[n].phases
	if !sub.to.IsZero() {
		sub.cutPhases(sub.to)
	}
	sub.changes = sub.changes[:n]
	sub.intervals = slices.DeleteFunc(sub.intervals, func(i *interval) bool { return i.change > n })
	for _, i := range sub.intervals {
		if i.to.Equal(at) {
			i.to = sub.to
		}
	}
	sub.adjusts = slices.DeleteFunc(sub.adjusts, func(a *ownAdjustment) bool { return a.change > n })
	for _, a := range sub.adjusts {
		if a.to.Equal(at) {
			a.to = sub.to
		}
	}
	for _, e := range before {
		if e.interval.to.Equal(sub.to) && !e.to.IsZero() && !e.to.Before(at) {
			e.interval.to = e.to
		}
		if !slices.Contains(sub.intervals, e.interval) && !e.from.Before(at) && (sub.to.IsZero() || e.from.Before(sub.to)) {
			if e.interval.to = e.to; !sub.to.IsZero() && (e.to.IsZero() || e.to.After(sub.to)) {
				e.interval.to = sub.to
			}
			sub.intervals = append(sub.intervals, e.interval)
		}
	}
}

// ending is an interval with its end.
type ending struct {
	*interval
	to time.Time
}

func (s *subscription) ends() []ending {
	var all []ending
	for _, i := range s.intervals {
		all = append(all, ending{i, i.to})
	}
	return all
}

func (r *run) unschedulePlanChange(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/unschedule_pending_plan_changes", object{}); err != nil {
		return err
	}
	for n, c := range sub.changes {
		if c.at.After(r.w.now) {
			r.undo(sub, n)
			break
		}
	}
	return nil
}

func (r *run) addPrice(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil || len(s.Prices) != 1 {
		return errSkipped
	}
	spec := s.Prices[0]
	price, err := r.price(ctx, spec)
	if err != nil {
		return err
	}
	delete(price, "reference_id")
	price["currency"] = spec.unit("USD")
	entry := object{"price": price, "start_date": s.At}
	if s.Flag {
		entry["can_defer_billing"] = true
	}
	if s.Until != "" {
		entry["end_date"] = s.Until
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/price_intervals", object{"add": []object{entry}}); err != nil {
		return err
	}
	z := sub.customer.zone
	i := &interval{spec: spec, plan: sub.plan, from: when(z, s.At), to: sub.to, counted: sub.counts(), deferred: s.Flag}
	if s.Until != "" {
		if end := when(z, s.Until); i.to.IsZero() || end.Before(i.to) {
			i.to = end
		}
	}
	i.anchor = sub.anchor // overlapping intervals share their cycles
	for n, c := range sub.changes {
		if !c.at.After(i.from) {
			i.anchor, i.change = c.anchor, n+1
		} else if i.to.IsZero() || c.at.Before(i.to) {
			i.to = c.at
		}
	}
	sub.intervals = append(sub.intervals, i)
	return nil
}

func (r *run) endPrice(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	i := sub.holding(s.Price, r.w.now)
	if i == nil || i.id == "" {
		return errSkipped
	}
	edit := object{"price_interval_id": i.id, "end_date": s.At}
	if s.Flag {
		edit["can_defer_billing"] = true
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/price_intervals", object{"edit": []object{edit}}); err != nil {
		return err
	}
	i.deferred = i.deferred || s.Flag
	sub.troubled = true
	if !i.to.IsZero() {
		i.former = append(i.former, i.to)
	}
	i.to = when(sub.customer.zone, s.At)
	if !i.from.Before(i.to) {
		sub.intervals = slices.DeleteFunc(sub.intervals, func(one *interval) bool { return one == i })
	}
	return nil
}

// invoiceOf is the issued invoice of a subscription that is dated so.
func (r *run) invoiceOf(s step) *invoice {
	sub := r.w.subs[s.Of]
	for _, id := range r.books.order {
		if v := r.books.invoices[id]; sub != nil && v.sub == sub.id && v.status == "issued" && v.source == "subscription" && clock(v.date) == s.At {
			return v
		}
	}
	return nil
}

func (r *run) markPaid(ctx context.Context, s step) error {
	v := r.invoiceOf(s)
	if v == nil {
		return errSkipped
	}
	_, err := r.post(ctx, "/v1/invoices/"+v.id+"/mark_paid", object{"payment_received_date": s.Until})
	return err
}

func (r *run) void(ctx context.Context, s step) error {
	v := r.invoiceOf(s)
	if v == nil {
		return errSkipped
	}
	sub := r.w.subs[s.Of]
	if _, err := r.post(ctx, "/v1/invoices/"+v.id+"/void", object{}); err != nil {
		return err
	}
	r.w.voidedByHand[v.id] = true
	back := map[string][]returned{}
	for _, i := range sub.intervals {
		for _, p := range sub.pieces(i, r.w.now) {
			for _, l := range v.lines {
				if l.price == i.price && p.isOf(l) {
					r.w.voided[p.key()] = true
					currency := i.spec.unit("USD")
					back[currency] = append(back[currency], sub.customer.ledger(currency).giveBackAll(p, r.w.now)...)
				}
			}
		}
	}
	for currency, l := range sub.customer.ledgers {
		if len(l.blocks) > 0 { // what came back pays for overage, as a new block does
			if err := r.revive(ctx, sub.customer, currency, back[currency]); err != nil {
				return err
			}
		}
	}
	return nil
}

// isOf reports whether a line of its price charges a service: usage that is invoiced in parts to date, from the beginning of the cycle.
func (p piece) isOf(l *line) bool {
	if p.spec.Metric != "" && p.spec.Invoiced != nil {
		return l.from.Equal(p.since) && l.to.Equal(p.to)
	}
	return !l.from.Before(p.from) && l.from.Before(p.to)
}

// note credits a part of a line of usage.
func (r *run) note(ctx context.Context, s step) error {
	v := r.invoiceOf(s)
	if v == nil {
		return errSkipped
	}
	for _, l := range v.lines {
		if l.name == s.Price && l.amount.Cmp(rat(s.Amount)) >= 0 {
			_, err := r.post(ctx, "/v1/credit_notes", object{"reason": "order_change", "line_items": []object{{"invoice_line_item_id": l.id, "amount": s.Amount}}})
			return err
		}
	}
	return errSkipped
}

func (r *run) backfill(ctx context.Context, s step) error {
	buyer := r.w.customers[s.Of]
	if buyer == nil {
		return errSkipped
	}
	made, err := r.post(ctx, "/v1/events/backfills", object{"customer_id": buyer.id, "timeframe_start": s.At, "timeframe_end": s.Until, "replace_existing_events": s.Flag,
		"close_time": r.w.now.AddDate(2, 0, 0).Format(time.RFC3339)})
	if err != nil {
		return err
	}
	b := &backfill{id: made.str("id"), customer: s.Of, from: when(nil, s.At), to: when(nil, s.Until), replace: s.Flag, state: "pending"}
	var events []object
	for _, e := range s.Events {
		events = append(events, object{"event_name": "use", "idempotency_key": e.Key, "external_customer_id": e.Customer, "timestamp": e.At,
			"properties": e.properties()})
	}
	if _, err := r.post(ctx, "/v1/ingest?backfill_id="+b.id, object{"events": events}); err != nil {
		return err
	}
	for _, e := range s.Events {
		r.w.came(e, b)
	}
	r.w.backfills[s.Name] = b
	return nil
}

// settled waits until the work of a backfill is done.
func (r *run) settled(ctx context.Context) error {
	return r.advance(ctx, clock(r.w.now))
}

func (r *run) closeBackfill(ctx context.Context, s step) error {
	b := r.w.backfills[s.Name]
	if b == nil {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/events/backfills/"+b.id+"/close", nil); err != nil {
		return err
	}
	b.state = "reflected"
	r.w.recount()
	for _, key := range r.w.keys {
		e := r.w.events[key]
		if b.replace && !e.replaced && e.backfill != b && e.customer == b.customer && !e.at.Before(b.from) && e.at.Before(b.to) && (e.backfill == nil || e.backfill.state == "reflected") {
			e.replaced = true
			b.gone = append(b.gone, e)
		}
	}
	return r.settled(ctx)
}

func (r *run) revertBackfill(ctx context.Context, s step) error {
	b := r.w.backfills[s.Name]
	if b == nil {
		return errSkipped
	}
	if _, err := r.post(ctx, "/v1/events/backfills/"+b.id+"/revert", nil); err != nil {
		return err
	}
	b.state = "reverted"
	r.w.recount()
	for _, e := range b.gone {
		e.replaced = false
	}
	return r.settled(ctx)
}
