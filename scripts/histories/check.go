package main

import (
	"context"
	"fmt"
	"sort"
	"time"
)

// check compares everything that the server says with the model.
func (r *run) check(ctx context.Context) error {
	if err := r.read(ctx); err != nil {
		return err
	}
	for _, name := range r.w.order {
		if s := r.w.subs[name]; r.known.untouched(name) && !s.bounds(r.known.now, r.w.now) {
			continue
		}
		if err := r.intervals(ctx, r.w.subs[name]); err != nil {
			return err
		}
	}
	if err := r.adjustments(); err != nil {
		return err
	}
	r.giveBackIssued()
	for _, c := range r.w.customers {
		r.w.settle(c)
	}
	for _, name := range r.w.order {
		if err := r.owed(r.w.subs[name]); err != nil {
			return err
		}
		if err := r.grants(r.w.subs[name]); err != nil {
			return err
		}
		if err := r.addedLines(r.w.subs[name]); err != nil {
			return err
		}
	}
	if err := r.documents(); err != nil {
		return err
	}
	for _, name := range r.w.order {
		if err := r.thresholds(r.w.subs[name]); err != nil {
			return err
		}
	}
	for _, c := range r.customers() {
		if err := r.ledgers(ctx, c); err != nil {
			return err
		}
		if err := r.oneOffs(c); err != nil {
			return err
		}
		if err := r.balance(ctx, c); err != nil {
			return err
		}
	}
	for _, name := range r.w.order {
		if err := r.costs(ctx, r.w.subs[name]); err != nil {
			return err
		}
		if err := r.costTotals(ctx, r.w.subs[name]); err != nil {
			return err
		}
	}
	if err := r.redemptions(ctx); err != nil {
		return err
	}
	r.known.now, r.known.touched, r.known.used = r.w.now, map[string]bool{}, map[string]bool{}
	return nil
}

func (r *run) customers() []*customer {
	var all []*customer
	for _, c := range r.w.customers {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// intervals compares the price intervals of a subscription, and learns their identifiers.
func (r *run) intervals(ctx context.Context, s *subscription) error {
	n, err := r.c.get(ctx, "/v1/subscriptions/"+s.id)
	if err != nil {
		return err
	}
	said, wanted := []string{}, []string{}
	shown := n.list("price_intervals")
	for _, p := range shown {
		said = append(said, fmt.Sprintf("%s from %s to %s", p.at("price").str("name"), clock(p.instant("start_date")), clock(p.instant("end_date"))))
	}
	for _, i := range s.intervals {
		text := fmt.Sprintf("%s from %s to %s", i.spec.Name, clock(i.from), clock(i.to))
		wanted = append(wanted, text)
		for k, p := range shown {
			if said[k] == text {
				i.id, i.price = p.str("id"), p.at("price").str("id")
			}
		}
	}
	sort.Strings(said)
	sort.Strings(wanted)
	if fmt.Sprint(said) != fmt.Sprint(wanted) {
		return differ("intervals of %s are %q, expected %q", s.name, said, wanted)
	}
	if err := s.proposed(n, r.w.now); err != nil {
		return err
	}
	if got := n.instant("end_date"); !got.Equal(s.to) {
		return differ("%s ends %s, expected %s", s.name, clock(got), clock(s.to))
	}
	for _, i := range s.intervals {
		if i.spec.Metric != "" || i.spec.allocation() {
			continue
		}
		last := map[day]node{} // of the changes on a day
		for _, entry := range n.list("fixed_fee_quantity_schedule") {
			if at := entry.instant("start_date"); entry.str("price_id") == i.price && !at.Before(i.from) && (i.to.IsZero() || at.Before(i.to)) {
				d := s.customer.zone.day(at)
				if before, ok := last[d]; !ok || before.instant("start_date").Before(at) {
					last[d] = entry
				}
			}
		}
		for d, entry := range last {
			if !i.to.IsZero() && d == s.customer.zone.day(i.to) {
				continue // the day of the end is not billed
			}
			if got, want := entry.num("quantity"), i.quantity(d); got.Cmp(want) != 0 {
				return differ("quantity of %s of %s from %s is %s, expected %s: %s", i.spec.Name, s.name, d, show(got), show(want), n.at("fixed_fee_quantity_schedule"))
			}
		}
	}
	return nil
}

func clock(at time.Time) string {
	if at.IsZero() {
		return "open"
	}
	return at.Format("2006-01-02T15:04:05.999999Z")
}
