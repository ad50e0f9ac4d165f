package event

import (
	"context"
	"time"

	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// insertSize is how many events one transaction takes at most. The lower bits of
// seq, which number them, hold more.
const insertSize = 10_000

// inserter stores claims in the database.
type inserter struct {
	store   *store.Store
	known   keyFilters
	resends *resends
}

// verdict is what the database answers to claims.
type verdict struct {
	oldest, newest time.Time       // bounds of timestamps, inclusive
	existing       map[string]bool // those of the customers asked for that exist
	stored         bool            // all claims with new keys; false: none, since one is no claim
	known          map[string]bool // keys that were not new
}

// columns are claims as the functions of the database take them.
type columns struct {
	keys, names, subjects, properties []string
	timestamps                        []time.Time
	first, last                       time.Time // of the timestamps
}

func columnsOf(claims []*entry) columns {
	n := len(claims)
	c := columns{keys: make([]string, n), names: make([]string, n), subjects: make([]string, n), properties: make([]string, n),
		timestamps: make([]time.Time, n)}
	for i, claim := range claims {
		e := claim.event
		c.keys[i], c.names[i], c.subjects[i] = e.Key, e.Name, e.Subject
		c.timestamps[i], c.properties[i] = e.Timestamp, e.Properties
		if i == 0 || e.Timestamp.Before(c.first) {
			c.first = e.Timestamp
		}
		if e.Timestamp.After(c.last) {
			c.last = e.Timestamp
		}
	}
	return c
}

// insert stores claims whose keys are new, if each passes the checks, in one
// transaction and one round trip. It is refused when the backfill that they go into
// takes none any more.
func (in inserter) insert(ctx context.Context, into *Backfill, customers []string, claims []*entry) (verdict, error) {
	account := store.AccountID(ctx)
	c := columnsOf(claims)
	left := in.known.doubts(account, c.keys)
	if into == nil && len(customers) == 0 && len(claims) > 0 && len(left.keys) == 0 && in.resends.unlikely(account) {
		if j, done, err := in.insertNew(ctx, c, left.seal); done || err != nil {
			return j, err
		}
	}
	j, err := in.insertAny(ctx, into, customers, c, left)
	if len(j.known) > 0 {
		in.resends.again(account)
	}
	return j, err
}

// insertNew stores claims by the short way, which most recordings take: it assumes that all keys are
// new. It is not done where the assumption is wrong or more has to be looked at; nothing is stored then.
func (in inserter) insertNew(ctx context.Context, c columns, seal string) (j verdict, done bool, err error) {
	const uniqueViolation = "23505"
	err = in.store.Call(ctx, "record_new_events",
		[]any{c.keys, c.names, c.subjects, c.timestamps, c.properties, c.first, c.last, seal}, &j.oldest, &j.newest, &j.stored)
	switch {
	case store.Raised(err, uniqueViolation):
		in.resends.found(store.AccountID(ctx))
		return verdict{}, false, nil
	case store.Raised(err, unsettled):
		return verdict{}, false, nil
	}
	return j, j.stored, err
}

func (in inserter) insertAny(ctx context.Context, into *Backfill, customers []string, c columns, left doubts) (j verdict, err error) {
	var backfill *string
	if into != nil {
		backfill = &into.ID
	}
	var taking bool
	var existing, duplicate []string
	record := func() error {
		return in.store.Call(ctx, "record_events",
			[]any{backfill, customers, c.keys, c.names, c.subjects, c.timestamps, c.properties, c.first, c.last, left.seal, left.parts, left.keys},
			&taking, &j.oldest, &j.newest, &existing, &j.stored, &duplicate)
	}
	if err = record(); store.Raised(err, unsettled) { // a dump was restored while this server ran
		if _, err = Settle(ctx, in.store); err == nil {
			err = record()
		}
	}
	if err == nil && !taking {
		err = fault.Refused("this backfill takes no more events")
	}
	j.existing, j.known = set(existing), set(duplicate)
	return j, err
}

// noteChanged notes events that came with a claim and another body under its key.
func (in inserter) noteChanged(ctx context.Context, changed []*entry) error {
	for len(changed) > 0 {
		var once []*entry // of each key, since a statement notes a key once
		seen := map[string]bool{}
		var rest []*entry
		for _, e := range changed {
			if seen[e.event.Key] {
				rest = append(rest, e)
				continue
			}
			seen[e.event.Key] = true
			once = append(once, e)
		}
		c := columnsOf(once)
		var noted int64
		if err := in.store.Call(ctx, "record_changed_resends", []any{c.keys, c.names, c.subjects, c.timestamps, c.properties}, &noted); err != nil {
			return err
		}
		changed = rest
	}
	return nil
}

func set(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}
