package usage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

// Request asks what a metric counts. Its restrictions are ANDed (semantics 4.2.6).
type Request struct {
	Query    *metric.Query
	Subjects []string           // whose events: see event.Subjects
	Groups   []*metric.Computed // values to ask of each by itself; none for all events together
	Split    []string           // properties to ask by; none for one total
	Cuts     []time.Time        // ascending: cuts[i] begins slice i and ends the one before
	Match    []rating.Property  // values that properties must have
	Filter   *metric.Condition  // nil for none

	MostTuples int // of values of Split that an answer may have; 0: any number

	timed bool          // what counts is not the same all the time: see Of
	spans []countedSpan // whose events count when, and by which filter; nil: Subjects and Filter all the time
}

// Reading is what a metric counted from the first cut to the end of a slice. A
// metric that found nothing counted 0.
type Reading struct {
	Total money.Decimal // of a request without Split, and 0 with it

	// Cells are the metric's value for each distinct tuple of the properties in
	// Split, asked of the events that have it, in order of the values, missing
	// ones first.
	Cells []rating.Cell

	// Groups are the readings of a request with Groups, which has no other, in order
	// of the values. An event without one of them is in no group.
	Groups []Group
}

// Group is the reading of the events that have certain values.
type Group struct {
	Values []string // one for each of Request.Groups, as JSON: a string, number or boolean
	Reading
}

// Group is the reading of one group; of a group without events, nothing.
func (r Reading) Group(values []string) Reading {
	i, found := slices.BinarySearchFunc(r.Groups, values, func(g Group, values []string) int { return compareGroups(g.Values, values) })
	if !found {
		return Reading{}
	}
	return r.Groups[i].Reading
}

// Measure returns one reading for each slice, each cumulative from the first
// cut: element i covers [cuts[0], cuts[i+1]). It reads the events once, however
// many slices there are, as a role that can read nothing else.
func Measure(tx *store.Tx, req Request) ([]Reading, error) {
	all, err := MeasureAll(tx, nil, []Request{req})
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

// MeasureAll is Measure for several requests, of the events that are stored or, if
// there is one, of a sample. Equal requests are asked once. Usage in more groups than
// MostGroups is refused, and so is a metric that meets the deadline of its statement.
func MeasureAll(tx *store.Tx, sample *Sample, requests []Request) (readings [][]Reading, err error) {
	if sample != nil {
		return sample.source(tx.AccountID, requests).answer(tx, requests)
	}
	if len(requests) == 0 {
		return nil, nil
	}
	for attempt := range attempts {
		if attempt == patience {
			if err := lockBuckets(tx); err != nil {
				return nil, err
			}
		}
		from, err := stored(tx, requests)
		if err != nil {
			return nil, err
		}
		readings, err = from.answer(tx, requests)
		if !errors.Is(err, errMoved) {
			return readings, err
		}
	}
	return nil, errMoved
}

// Usage that changes while it is read is read again: that takes an aggregator that
// finishes, or a change of history, between two statements. Where there is no end to
// them, they are made to wait.
const (
	patience = 3
	attempts = patience + 3 // the first change of an account's history has nothing to wait for
)

// lockBuckets keeps buckets and history as they are until the transaction ends. It takes
// the locks in the order in which the aggregator does.
func lockBuckets(tx *store.Tx) error {
	for _, table := range []string{"usage_progress", "usage_history"} {
		if err := tx.Exec("SELECT FROM "+table+" WHERE account_id = ? FOR UPDATE", tx.AccountID).Error; err != nil {
			return fmt.Errorf("hold usage still: %w", err)
		}
	}
	return nil
}

// answer reads requests from a source.
func (s source) answer(tx *store.Tx, requests []Request) ([][]Reading, error) {
	questions, asked := []*question{}, map[string]*question{}
	answers := make([]*question, len(requests))
	for i, req := range requests {
		q := newQuestion(s, req)
		if known := asked[q.statement.key()]; known != nil {
			q = known
		} else if len(req.Cuts) > 1 {
			asked[q.statement.key()] = q
			questions = append(questions, q)
		}
		answers[i] = q
	}
	if err := askAll(tx, s, questions); err != nil {
		return nil, err
	}
	readings := make([][]Reading, len(requests))
	for i, q := range answers {
		readings[i] = q.answer.readings()
	}
	return readings, nil
}

type readEvents struct{}

// ReadEvents returns a context in which usage is read from events alone. The answers
// are the same, which is the use of it.
func ReadEvents(ctx context.Context) context.Context {
	return context.WithValue(ctx, readEvents{}, true)
}

func readsEvents(ctx context.Context) bool { return ctx.Value(readEvents{}) != nil }

type asOfSnapshot struct{}

// AsOf returns the transaction for reading usage in it as of a moment: of the events that
// were there then. Those that were changed since count as they are.
func AsOf(tx *store.Tx, moment event.Snapshot) *store.Tx {
	then := *tx
	then.DB = tx.WithContext(context.WithValue(tx.Context(), asOfSnapshot{}, moment))
	return &then
}

// moment is that as of which usage is read, nil for now.
func moment(ctx context.Context) *event.Snapshot {
	if seen, some := ctx.Value(asOfSnapshot{}).(event.Snapshot); some {
		return &seen
	}
	return nil
}
