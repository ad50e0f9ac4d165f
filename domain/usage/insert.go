package usage

import (
	"context"
	"time"

	"tollkeeper/store"
)

// insertSize is how many events one transaction takes at most. The lower bits of
// seq, which number them, hold more.
const insertSize = 10_000

// judgement is what the database answers to claims.
type judgement struct {
	oldest, newest time.Time       // bounds of timestamps, inclusive
	existing       map[string]bool // those of the customers asked for that exist
	stored         bool            // all claims with new keys; false: none, since one is no claim
	known          map[string]bool // keys that were not new
}

// insert stores claims whose keys are new, if each passes the checks, in one
// transaction and one round trip.
func insert(ctx context.Context, st *store.Store, customers []string, claims []*entry) (j judgement, err error) {
	n := len(claims)
	keys, names, subjects := make([]string, n), make([]string, n), make([]string, n)
	timestamps, properties := make([]time.Time, n), make([]string, n)
	for i, c := range claims {
		e := c.event
		keys[i], names[i], subjects[i] = e.Key, e.Name, e.Subject
		timestamps[i], properties[i] = e.Timestamp, e.Properties
	}
	var existing, known []string
	err = st.Call(ctx, "record_events", []any{customers, keys, names, subjects, timestamps, properties},
		&j.oldest, &j.newest, &existing, &j.stored, &known)
	j.existing, j.known = set(existing), set(known)
	return j, err
}

func set(texts []string) map[string]bool {
	set := make(map[string]bool, len(texts))
	for _, text := range texts {
		set[text] = true
	}
	return set
}
