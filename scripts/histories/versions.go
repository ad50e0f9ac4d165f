package main

import (
	"context"
	"fmt"
	"slices"
)

// A version of a plan is a plan of its own here, with the id of the first one and a number: new
// subscriptions and plan changes name it (semantics 5.2). Prices that it does not touch keep
// their ids, so two versions may share some.

// version makes the next version of a plan. Keys name the prices that are gone; of s.Prices the
// first takes the place of Price, if that names one, and the others are added.
func (r *run) version(ctx context.Context, s step) error {
	last := r.w.latest(s.Plan)
	if last == nil {
		return errSkipped
	}
	next := &plan{id: last.id, version: last.version + 1, adjust: last.adjust, replaces: map[string]string{}}
	body := object{"version": next.version}
	var removed, replaced, added []object
	for _, old := range last.prices {
		switch {
		case slices.Contains(s.Keys, old.Name):
			removed = append(removed, object{"price_id": last.ids[old.Name]})
		case s.Price == old.Name && len(s.Prices) > 0:
			made, err := r.price(ctx, s.Prices[0])
			if err != nil {
				return err
			}
			replaced = append(replaced, object{"replaces_price_id": last.ids[old.Name], "price": made})
			next.prices = append(next.prices, s.Prices[0])
			next.replaces[s.Prices[0].Name] = old.Name
		default:
			next.prices = append(next.prices, old)
		}
	}
	rest := s.Prices
	if len(replaced) > 0 {
		rest = rest[1:]
	}
	for _, p := range rest {
		made, err := r.price(ctx, p)
		if err != nil {
			return err
		}
		added = append(added, object{"price": made})
		next.prices = append(next.prices, p)
	}
	for name, entries := range map[string][]object{"remove_prices": removed, "replace_prices": replaced, "add_prices": added} {
		if len(entries) > 0 {
			body[name] = entries
		}
	}
	made, err := r.post(ctx, "/v1/plans/"+last.id+"/versions", body)
	if err != nil {
		return err
	}
	next.learn(made)
	r.w.plans[s.Name] = next
	return nil
}

// learn notes the ids of prices.
func (p *plan) learn(made node) {
	p.ids = map[string]string{}
	for _, price := range made.list("prices") {
		p.ids[price.str("name")] = price.str("id")
	}
}

// latest is the highest version of a plan.
func (w *world) latest(name string) *plan {
	last := w.plans[name]
	for n := 2; last != nil; n++ {
		next := w.plans[fmt.Sprint(name, "@", n)]
		if next == nil {
			break
		}
		last = next
	}
	return last
}

// version thinks up a version. Prices that an adjustment names stay.
func (g *generator) version() (step, bool) {
	name := fmt.Sprint("plan", 1+g.IntN(g.names["plan"]))
	last := g.w.latest(name)
	if last == nil || len(last.phases) > 0 || last.version > 2 || g.chance(50) {
		return step{}, false
	}
	s := step{Do: "version", Name: fmt.Sprint(name, "@", last.version+1), Plan: name}
	var free []string
	for _, p := range last.prices {
		if !slices.ContainsFunc(last.adjust, func(a adjustment) bool { return slices.Contains(a.Prices, p.Name) }) {
			free = append(free, p.Name)
		}
	}
	if len(free) > 0 && g.chance(70) {
		s.Price = pick(g, free...)
		s.Prices = append(s.Prices, g.price(name))
	}
	for _, gone := range free {
		if gone != s.Price && len(last.prices) > 1+len(s.Keys) && g.chance(30) {
			s.Keys = append(s.Keys, gone)
		}
	}
	if len(s.Prices) == 0 || g.chance(40) {
		s.Prices = append(s.Prices, g.price(name))
	}
	return s, true
}

// planName names a plan in some version.
func (g *generator) planName() string {
	name := fmt.Sprint("plan", 1+g.IntN(g.names["plan"]))
	if last := g.w.latest(name); last != nil && last.version > 1 && g.chance(60) {
		if n := 1 + g.IntN(last.version); n > 1 {
			return fmt.Sprint(name, "@", n)
		}
	}
	return name
}

// versioned is the body of a request that names a plan, with the version.
func (p *plan) versioned(body object) object {
	if body["plan_id"] = p.id; p.version > 1 {
		body["plan_version_number"] = p.version
	} else {
		body["plan_version_number"] = 1
	}
	return body
}
