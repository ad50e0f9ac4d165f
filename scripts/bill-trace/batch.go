package main

import (
	"slices"
	"time"
)

// Limits of a batch. The span keeps rows well within the grace period of a
// clock that is set to their end.
const (
	batchRows = 500
	batchSpan = time.Hour
)

// batch is what one request sends.
type batch struct {
	trace *trace
	rows  []row // by time, at least one
}

func (b batch) first() time.Time { return b.rows[0].At }
func (b batch) last() time.Time  { return b.rows[len(b.rows)-1].At }

// batches cuts all traces into batches, in the order in which a clock that only
// goes forward comes to their ends.
func batches(traces []trace) []batch {
	var all []batch
	for i := range traces {
		t := &traces[i]
		rows := slices.SortedStableFunc(slices.Values(t.Rows), func(a, b row) int { return a.At.Compare(b.At) })
		for from := 0; from < len(rows); {
			to := from + 1
			for to < len(rows) && to-from < batchRows && rows[to].At.Sub(rows[from].At) <= batchSpan {
				to++
			}
			all = append(all, batch{t, rows[from:to]})
			from = to
		}
	}
	slices.SortStableFunc(all, func(a, b batch) int { return a.last().Compare(b.last()) })
	return all
}
