package main

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// ownAdjustment is one that was added to a subscription, for a price and a time (semantics 6.3.7).
type ownAdjustment struct {
	adjustment
	name, id string
	price    string    // its id
	change   int       // the number of the plan change since which it is there
	from, to time.Time // to zero: open
}

// covers reports whether it works on usage of a service period: that ends within its time, or with it.
func (a *ownAdjustment) covers(p piece) bool {
	return p.price == a.price && p.interval.change == a.change && p.to.After(a.from) && (a.to.IsZero() || !p.to.After(a.to))
}

// adjust adds an adjustment to a subscription.
func (r *run) addAdjustment(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil || len(s.Adjust) != 1 {
		return errSkipped
	}
	i := sub.holding(s.Price, r.w.now)
	if i == nil || i.price == "" {
		return errSkipped
	}
	z := sub.customer.zone
	body := s.Adjust[0].body()
	body["applies_to_price_ids"] = []string{i.price}
	if s.Adjust[0].Kind == "minimum" {
		item, err := r.item(ctx, "Minimum")
		if err != nil {
			return err
		}
		body["item_id"] = item
	}
	a := &ownAdjustment{adjustment: s.Adjust[0], name: s.Name, price: i.price, from: when(z, s.At)}
	entry := object{"start_date": s.At, "adjustment": body}
	if s.Until != "" {
		entry["end_date"], a.to = s.Until, when(z, s.Until)
	}
	made, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/price_intervals", object{"add_adjustments": []object{entry}})
	if err != nil {
		return err
	}
	for n, c := range sub.changes {
		if !c.at.After(a.from) {
			a.change = n + 1
		} else if a.to.IsZero() || c.at.Before(a.to) {
			a.to = c.at
		}
	}
	if !sub.to.IsZero() && a.to.IsZero() {
		a.to = sub.to
	}
	if made.has("subscription") {
		made = made.at("subscription")
	}
	for _, shown := range made.list("adjustment_intervals") {
		id := shown.str("id")
		filters := shown.at("adjustment").list("filters")
		if len(filters) == 1 && filters[0].has("values") && slices.ContainsFunc(filters[0].list("values"), func(n node) bool { return n.v == i.price }) &&
			shown.instant("start_date").Equal(a.from) && shown.at("adjustment").str("adjustment_type") == a.Kind &&
			!slices.ContainsFunc(sub.adjusts, func(one *ownAdjustment) bool { return one.id == id }) && !sub.planAdjusts[id] {
			a.id = id
		}
	}
	if a.id == "" {
		return differ("the adjustment %s of %s is not shown: %s", s.Name, sub.name, nodes(made.list("adjustment_intervals")))
	}
	sub.adjusts = append(sub.adjusts, a)
	return nil
}

// editAdjustment changes when it ends.
func (r *run) editAdjustment(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil {
		return errSkipped
	}
	k := slices.IndexFunc(sub.adjusts, func(a *ownAdjustment) bool { return a.name == s.Name })
	if k < 0 {
		return errSkipped
	}
	a, z := sub.adjusts[k], sub.customer.zone
	edit := object{"adjustment_interval_id": a.id, "end_date": nil}
	to := sub.to
	if s.Until != "" {
		edit["end_date"], to = s.Until, when(z, s.Until)
	}
	if _, err := r.post(ctx, "/v1/subscriptions/"+sub.id+"/price_intervals", object{"edit_adjustments": []object{edit}}); err != nil {
		return err
	}
	for n, c := range sub.changes {
		if n+1 > a.change && (to.IsZero() || c.at.Before(to)) {
			to = c.at
		}
	}
	if a.to = to; a.to.Equal(a.from) {
		sub.adjusts = slices.Delete(sub.adjusts, k, k+1)
	}
	return nil
}

// cutAdjustments ends them where their prices end.
func (s *subscription) cutAdjustments(end time.Time) {
	s.adjusts = slices.DeleteFunc(s.adjusts, func(a *ownAdjustment) bool { return !a.from.Before(end) })
	for _, a := range s.adjusts {
		if a.to.IsZero() || a.to.After(end) {
			a.to = end
		}
	}
}

// discountsUsage reports whether a price has a usage discount already.
func (w *world) discountsUsage(s *subscription, i *interval) bool {
	own := slices.ContainsFunc(s.adjusts, func(a *ownAdjustment) bool { return a.price == i.price && a.Kind == "usage_discount" })
	return own || slices.ContainsFunc(w.plans[i.plan].adjust, func(a adjustment) bool {
		return a.Kind == "usage_discount" && slices.Contains(a.Prices, i.spec.Name)
	})
}

// adjust is an adjustment of a price of usage in money, from a day of today or later on, or the end of one.
func (g *generator) adjust() (step, bool) {
	sub := g.sub()
	if !sub.to.IsZero() && !sub.to.After(g.w.now) || sub.from.After(g.w.now) {
		return step{}, false
	}
	if len(sub.adjusts) > 0 && g.chance(45) {
		a := pick(g, sub.adjusts...)
		s := step{Do: "edit adjustment", Of: sub.name, Name: a.name}
		if g.chance(75) {
			s.Until = g.date(sub.customer, 0, 50)
		}
		return s, a.to.IsZero() || a.to.After(g.w.now)
	}
	for _, k := range g.Perm(len(sub.intervals)) {
		i := sub.intervals[k]
		if i.spec.Metric == "" || i.spec.Metric == composite || i.spec.Currency != "" || i.price == "" || i.from.After(g.w.now) || !i.to.IsZero() && !i.to.After(g.w.now) || sub.holding(i.spec.Name, g.w.now) != i {
			continue
		}
		a := adjustment{Kind: pick(g, "minimum", "maximum", "amount_discount", "percentage_discount", "usage_discount"), Prices: []string{i.spec.Name}, Amount: pick(g, "5.00", "12.50")}
		switch {
		case a.Kind == "usage_discount" && (grouped[i.spec.Model] && !g.wide || g.w.discountsUsage(sub, i)):
			continue
		case a.Kind == "usage_discount":
			a.Amount = pick(g, "3", "10")
		case a.Kind == "percentage_discount":
			a.Amount = pick(g, "0.25", "0.1")
		}
		s := step{Do: "add adjustment", Of: sub.name, Name: g.name("adjustment"), Price: i.spec.Name, Adjust: []adjustment{a}, At: g.date(sub.customer, 0, 20)}
		if g.chance(40) {
			s.Until = fmt.Sprint(parseDay(s.At) + day(1+g.IntN(60)))
		}
		return s, true
	}
	return step{}, false
}

// inForce reports whether a minimum is in force at some time of a service period.
func (a *ownAdjustment) inForce(p piece) bool {
	return p.price == a.price && p.interval.change == a.change && p.to.After(a.from) && (a.to.IsZero() || p.from.Before(a.to))
}
