package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"
)

// proposal is a change of a subscription that waits to be applied or cancelled. It keeps the request, not
// its result, and while it waits there is no other change (semantics 6.1.8).
type proposal struct {
	id      string
	change  step
	request string
	expires time.Time
}

// waits reports whether a change of the subscription is pending.
func (s *subscription) waits(now time.Time) bool {
	return s.pending != nil && now.Before(s.pending.expires)
}

// errProposed ends a change that is only proposed, before the model makes it.
var errProposed = errors.New("proposed")

// propose asks for a change that is to be pending.
func (r *run) propose(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil || s.Change == nil {
		return errSkipped
	}
	r.instead = func(path string, body any) (node, error) {
		r.c.pending = true
		made, err := r.c.ask(ctx, "POST", path, body)
		r.c.pending = false
		if err != nil {
			return made, err
		}
		text, _ := json.Marshal(body)
		waits := made.at("pending_subscription_change")
		if !waits.has("id") {
			return made, differ("a change of %s that was to be pending is not: %s", sub.name, made)
		}
		sub.pending = &proposal{id: waits.str("id"), change: *s.Change, request: path + string(text), expires: r.w.now.Add(30 * 24 * time.Hour)}
		return made, errProposed
	}
	err := steps[s.Change.Do](r, ctx, *s.Change)
	r.instead = nil
	if errors.Is(err, errProposed) {
		return nil
	}
	return err
}

// applyChange applies the change that is pending, as of now.
func (r *run) applyChange(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil || sub.pending == nil {
		return errSkipped
	}
	p := sub.pending
	r.instead = func(path string, body any) (node, error) {
		if text, _ := json.Marshal(body); path+string(text) != p.request {
			return node{}, errSkipped // by now it would be asked for otherwise
		}
		return r.c.ask(ctx, "POST", "/v1/subscription_changes/"+p.id+"/apply", object{})
	}
	err := steps[p.change.Do](r, ctx, p.change)
	r.instead = nil
	if err == nil {
		if !sub.waits(r.w.now) {
			return differ("a change of %s was applied that had expired at %s", sub.name, clock(p.expires))
		}
		sub.pending = nil
	}
	return err
}

// cancelChange lets go of it.
func (r *run) cancelChange(ctx context.Context, s step) error {
	sub := r.w.subs[s.Of]
	if sub == nil || sub.pending == nil {
		return errSkipped
	}
	if _, err := r.c.ask(ctx, "POST", "/v1/subscription_changes/"+sub.pending.id+"/cancel", nil); err != nil {
		return err
	}
	sub.pending = nil
	return nil
}

// proposed compares the pending change that a subscription shows.
func (s *subscription) proposed(n node, now time.Time) error {
	want := ""
	if s.waits(now) {
		want = s.pending.id
	}
	if got := n.at("pending_subscription_change").str("id"); got != want {
		return differ("the pending change of %s is %q, expected %q", s.name, got, want)
	}
	return nil
}

// changesThatWait are kinds of steps that may be proposed.
var changesThatWait = []func(*generator) (step, bool){
	(*generator).cancel, (*generator).quantity, (*generator).planChange, (*generator).addPrice, (*generator).endPrice, (*generator).trigger,
	(*generator).trial, (*generator).counting, (*generator).adjust, (*generator).unschedule,
}

// pendingChange is a change that is proposed, or what becomes of one.
func (g *generator) pendingChange() (step, bool) {
	for _, name := range g.w.order {
		sub := g.w.subs[name]
		if sub.pending == nil || g.chance(30) {
			continue
		}
		if g.chance(75) && g.applicable(sub) {
			return step{Do: "apply change", Of: name}, true
		}
		return step{Do: "cancel change", Of: name}, true
	}
	s, ok := pick(g, changesThatWait...)(g)
	if sub := g.w.subs[s.Of]; !ok || sub == nil || sub.pending != nil {
		return step{}, false
	}
	return step{Do: "propose", Of: s.Of, Change: &s}, true
}

// applicable reports whether a rule says what a change that waited does by now.
func (g *generator) applicable(sub *subscription) bool {
	s := sub.pending.change
	today := sub.customer.zone.day(g.w.now)
	past := s.At != "" && !strings.Contains(s.At, "T") && parseDay(s.At) < today
	ahead := slices.ContainsFunc(sub.changes, func(c planChange) bool { return c.at.After(g.w.now) })
	switch s.Do {
	case "add price", "end price", "add adjustment", "edit adjustment":
		return !past
	case "cancel", "plan change":
		return !(s.Option == "end_of_subscription_term" && ahead) && (sub.migrated.IsZero() || !past) && !(past && len(sub.adjusts) > 0)
	case "update trial":
		return g.w.now.Before(sub.trialEnd())
	case "quantity":
		return s.Option != "upcoming_invoice" || !g.w.now.Before(sub.trialEnd())
	}
	return true
}
