package usage

import (
	"fmt"
	"slices"
	"strings"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/store"
)

// batch is the events of a group, in the order of the queue.
type batch struct{ entries []entry }

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
	b := &batch{entries: make([]entry, 0, n)}
	for _, req := range group {
		for i := range req.events {
			b.entries = append(b.entries, entry{event: &req.events[i], failures: req.events[i].failures})
		}
	}
	return b
}

func (e *entry) fail(at step, reason string) {
	e.failures = append(slices.Clip(e.failures), failure{at, reason}) // the event keeps its own
}

// check adds the failures that only the account's records and clock can tell.
func (b *batch) check(tx *store.Tx) error {
	a, err := account.Of(tx)
	if err != nil {
		return fmt.Errorf("read the bounds of timestamps: %w", err)
	}
	oldest, newest := tx.Now.Add(-a.GracePeriod()), tx.Now.Add(a.FutureBound())
	exists, err := b.customers(tx)
	if err != nil {
		return err
	}
	for i := range b.entries {
		e := &b.entries[i]
		if id := e.event.customerID; id != "" && !exists[id] {
			e.fail(stepCustomer, "customer_id: no customer with this id")
		}
		switch at := e.event.Timestamp; {
		case at.IsZero():
		case at.Before(oldest):
			e.fail(stepTooOld, "timestamp: is older than the grace period")
		case at.After(newest):
			e.fail(stepTooNew, "timestamp: is too far in the future")
		}
	}
	return nil
}

// customers tells which of the customers named by id exist.
func (b *batch) customers(tx *store.Tx) (map[string]bool, error) {
	seen := map[string]bool{}
	var ids []string
	for i := range b.entries {
		if id := b.entries[i].event.customerID; id != "" && !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	if ids == nil {
		return nil, nil
	}
	return customer.Existing(tx, ids)
}

// claims are the entries to be stored if their keys are new, in the order of
// those keys. Of several with one key it is the first in the queue.
func (b *batch) claims() []*entry {
	var claims []*entry
	for i := range b.entries {
		if b.entries[i].failures == nil {
			claims = append(claims, &b.entries[i])
		}
	}
	slices.SortStableFunc(claims, func(a, b *entry) int { return strings.Compare(a.event.Key, b.event.Key) })
	return slices.CompactFunc(claims, func(a, b *entry) bool { return a.event.Key == b.event.Key })
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
