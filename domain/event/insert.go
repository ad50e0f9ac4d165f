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

// verdict is what the database answers to claims.
type verdict struct {
	oldest, newest time.Time       // bounds of timestamps, inclusive
	existing       map[string]bool // those of the customers asked for that exist
	stored         bool            // all claims with new keys; false: none, since one is no claim
	known          map[string]bool // keys that were not new
}

// insert stores claims whose keys are new, if each passes the checks, in one
// transaction and one round trip. It is refused when the backfill that they go into
// takes none any more.
func insert(ctx context.Context, st *store.Store, into *Backfill, known keyFilters, customers []string, claims []*entry) (j verdict, err error) {
	n := len(claims)
	keys, names, subjects := make([]string, n), make([]string, n), make([]string, n)
	timestamps, properties := make([]time.Time, n), make([]string, n)
	var first, last time.Time
	for i, c := range claims {
		e := c.event
		keys[i], names[i], subjects[i] = e.Key, e.Name, e.Subject
		timestamps[i], properties[i] = e.Timestamp, e.Properties
		if i == 0 || e.Timestamp.Before(first) {
			first = e.Timestamp
		}
		if e.Timestamp.After(last) {
			last = e.Timestamp
		}
	}
	var backfill *string
	if into != nil {
		backfill = &into.ID
	}
	left := known.doubts(store.AccountID(ctx), keys)
	var taking bool
	var existing, duplicate []string
	record := func() error {
		return st.Call(ctx, "record_events",
			[]any{backfill, customers, keys, names, subjects, timestamps, properties, first, last, left.seal, left.parts, left.keys},
			&taking, &j.oldest, &j.newest, &existing, &j.stored, &duplicate)
	}
	if err = record(); store.Raised(err, unsettled) { // a dump was restored while this server ran
		if _, err = Settle(ctx, st); err == nil {
			err = record()
		}
	}
	if err == nil && !taking {
		err = fault.Refused("this backfill takes no more events")
	}
	j.existing, j.known = set(existing), set(duplicate)
	return j, err
}

func set(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}
