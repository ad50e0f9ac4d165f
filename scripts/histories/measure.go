package main

import (
	"context"
	"encoding/json"
	"time"
)

// counting says what a price counts from an instant on: whose usage, and of that what meets
// the filter and has at least so much. Who is empty for the subscriber's own usage.
type counting struct {
	from   time.Time
	who    []string
	filter string
	least  string // the parameter of the metric; "" is none
}

// sqls are the metrics that prices may have.
var sqls = map[string]string{
	"sum":       "SELECT SUM(n) FROM events WHERE event_name = 'use'",
	"count":     "SELECT COUNT(*) FROM events WHERE event_name = 'use'",
	"max":       "SELECT MAX(n) FROM events WHERE event_name = 'use'",
	"distinct":  "SELECT COUNT(DISTINCT who) FROM events WHERE event_name = 'use'",
	"ratio":     "SELECT SUM(n / 3) FROM events WHERE event_name = 'use'",
	"parameter": "SELECT SUM(n) FROM events WHERE event_name = 'use' AND n >= COALESCE({{least}}, 0)",
}

// filters of price intervals.
var filters = []string{"", "n > 5", "who = 'a'"}

// counts is what an interval counts at an instant.
func (i *interval) counts(at time.Time) counting {
	now := i.counted[0]
	for _, c := range i.counted[1:] {
		if !at.Before(c.from) {
			now = c
		}
	}
	return now
}

// editPrice changes what a price counts, from now on (semantics 4.2.7, 6.3.7).
func (r *run) editPrice(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	i := sub.holding(s.Price, r.w.now)
	if i == nil || i.id == "" || i.spec.Metric == "" || i.spec.Metric == composite {
		return errSkipped
	}
	next := i.counts(r.w.now)
	change := object{"price_interval_id": i.id}
	switch s.Option {
	case "filter":
		next.filter = s.Filter
		if change["filter"] = nil; s.Filter != "" {
			change["filter"] = s.Filter
		}
	case "parameters":
		next.least = s.Amount
		if change["metric_parameter_overrides"] = nil; s.Amount != "" {
			change["metric_parameter_overrides"] = object{"least": json.Number(s.Amount)}
		}
	case "customers":
		var ids []string
		for _, name := range s.Who {
			c := r.w.customers[name]
			if c == nil {
				return errSkipped
			}
			ids = append(ids, c.id)
		}
		next.who = s.Who
		if change["usage_customer_ids"] = nil; ids != nil {
			change["usage_customer_ids"] = ids
		}
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/price_intervals", object{"edit": []object{change}}); err != nil {
		return err
	}
	if next.from = r.w.now; !r.w.now.After(i.from) { // nothing was counted before
		next.from = time.Time{}
		i.counted = nil
	}
	i.counted = append(i.counted, next)
	r.w.recount()
	return nil
}

// counting is an edit of what a price counts.
func (g *generator) counting() (step, bool) {
	sub := g.sub()
	var of []*interval
	for _, i := range sub.intervals {
		if i.spec.Metric != "" && i.spec.Metric != composite && i.id != "" && sub.holding(i.spec.Name, g.w.now) == i {
			of = append(of, i)
		}
	}
	if len(of) == 0 {
		return step{}, false
	}
	i := pick(g, of...)
	s := step{Do: "edit price", Of: sub.name, Price: i.spec.Name, Option: pick(g, "filter", "customers")}
	if i.spec.Metric == "parameter" {
		s.Option = pick(g, "parameters", "parameters", "filter", "customers")
	}
	switch s.Option {
	case "filter":
		s.Filter = pick(g, filters...)
	case "parameters":
		s.Amount = pick(g, "", "3", "8")
	case "customers":
		for _, c := range g.r.customers() {
			if c.parent == sub.customer.name {
				s.Who = pick(g, nil, []string{sub.customer.name, c.name}, []string{c.name})
			}
		}
		if s.Who == nil && len(i.counts(g.w.now).who) == 0 {
			return step{}, false
		}
	}
	return s, true
}

// counts is what prices of a subscription count at first.
func (s *subscription) counts() []counting { return []counting{{who: s.who}} }
