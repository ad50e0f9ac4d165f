package event

import (
	"context"
	"errors"
	"fmt"
	"slices"
)

// batch is the events of a group, in the order of the queue.
type batch struct {
	into    *Backfill // that of all requests but for who belongs to it; nil: no backfill
	entries []entry
}

type entry struct {
	event    *Event
	failures []failure // of the request and of the database
	stored   bool
}

func gather(group []*request) *batch {
	n := 0
	for _, req := range group {
		n += len(req.events)
	}
	b := &batch{into: group[0].into, entries: make([]entry, 0, n)}
	for _, req := range group {
		for i := range req.events {
			e := entry{event: &req.events[i], failures: req.events[i].failures}
			if req.into != nil {
				e.checkBackfillScope(*req.into)
			}
			b.entries = append(b.entries, e)
		}
	}
	return b
}

// record stores what can be stored, some entries after the other if there are many.
func (b *batch) record(ctx context.Context, in inserter) error {
	for part := range slices.Chunk(b.entries, insertSize) {
		open := make([]*entry, len(part))
		for i := range part {
			open[i] = &part[i]
		}
		if err := record(ctx, in, b.into, open); err != nil {
			return fmt.Errorf("record events: %w", err)
		}
		if err := failDeprecated(ctx, in.store, part); err != nil {
			return err
		}
	}
	return nil
}

// record asks the database to store the claims among the entries. It takes all of
// them or none, and tells by what it judged: entries that fail by that are left
// out, and the rest is tried again.
func record(ctx context.Context, in inserter, into *Backfill, open []*entry) error {
	for {
		claims := claimsOf(open)
		j, err := in.insert(ctx, into, customersOf(open), claims)
		if err != nil {
			return err
		}
		for _, e := range open {
			e.check(j)
		}
		if j.stored {
			for _, c := range claims {
				c.stored = !j.known[c.event.Key]
			}
			return in.noteChanged(ctx, changedOf(open, claims))
		}
		rest := slices.DeleteFunc(open, func(e *entry) bool { return e.failures != nil })
		if len(rest) == len(open) {
			return errors.New("the database refused events that pass every check")
		}
		open = rest
	}
}

// claimsOf are the entries to be stored if their keys are new. Of several with one
// key it is the first in the queue.
func claimsOf(open []*entry) []*entry {
	claims := make([]*entry, 0, len(open))
	claimed := make(map[string]bool, len(open))
	for _, e := range open {
		if e.failures == nil && !claimed[e.event.Key] {
			claimed[e.event.Key] = true
			claims = append(claims, e)
		}
	}
	return claims
}

// changedOf are the entries that have the key of a claim and another body. A request has no such
// two; they came at once in several, or a file has them.
func changedOf(open, claims []*entry) (changed []*entry) {
	if len(open) == len(claims) {
		return nil
	}
	claim := make(map[string]*entry, len(claims))
	for _, c := range claims {
		claim[c.event.Key] = c
	}
	for _, e := range open {
		if c := claim[e.event.Key]; e.failures == nil && c != nil && c != e && !same(c.event, e.event) {
			changed = append(changed, e)
		}
	}
	return changed
}

// customersOf are the customers named by id, once each.
func customersOf(open []*entry) []string {
	ids := []string{}
	named := map[string]bool{}
	for _, e := range open {
		if id := e.event.customerID; id != "" && !named[id] {
			named[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

const tooOld = "timestamp: is older than the grace period"

// check adds the failures that only the account's records and clock can tell.
func (e *entry) check(j verdict) {
	if id := e.event.customerID; id != "" && !j.existing[id] {
		e.fail(stepCustomer, "customer_id: no customer with this id")
	}
	switch at := e.event.Timestamp; {
	case at.IsZero():
	case at.Before(j.oldest):
		e.fail(stepTooOld, tooOld)
	case at.After(j.newest):
		e.fail(stepTooNew, "timestamp: is too far in the future")
	}
}

// checkBackfillScope adds the failures of an event that lies outside a backfill (semantics 2.2,
// step 14).
func (e *entry) checkBackfillScope(into Backfill) {
	if at := e.event.Timestamp; !at.IsZero() && !into.Period.Contains(at) {
		e.fail(stepScope, "timestamp: outside the backfill timeframe")
	}
	if who := e.event.Subject; who != "" && into.Subjects != nil && !slices.Contains(into.Subjects, who) {
		e.fail(stepScope, "customer_id: outside the backfill scope")
	}
}

func (e *entry) fail(at step, reason string) {
	e.failures = append(slices.Clip(e.failures), failure{at, reason}) // the event keeps its own
}

// answer tells each request of the group what became of its events.
func (b *batch) answer(group []*request) {
	entries := b.entries
	for _, req := range group {
		var o Outcome
		for _, e := range entries[:len(req.events)] {
			switch {
			case e.failures != nil:
				o.Failed = append(o.Failed, e.event.failed(slices.Clone(e.failures)))
			case e.stored:
				o.Ingested = append(o.Ingested, e.event.Key)
			default:
				o.Duplicate = append(o.Duplicate, e.event.Key)
			}
		}
		req.outcome = o
		entries = entries[len(req.events):]
	}
}
