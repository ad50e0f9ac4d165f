package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// lostUsage is what an import stored and nothing counts, so that it does not pass for success.
type lostUsage struct {
	WithoutNumber []lostByMetric `json:"without_number,omitempty"`
	NotAsked      []string       `json:"metrics_not_asked,omitempty"` // ids of metrics that took too long
}

// lostByMetric are events that match a metric and have no number.
type lostByMetric struct {
	MetricID string   `json:"metric_id"`
	Name     string   `json:"name"`
	Events   int      `json:"events"`
	Examples []string `json:"examples"` // idempotency keys of the last ones
}

// shownKeys is how many examples are told of a metric.
const shownKeys = 3

// began is a seq: the events that are stored from now on have no lower one.
func began(ctx context.Context, st *store.Store) (seq int64, err error) {
	err = st.View(ctx, func(tx *store.Tx) (err error) {
		seq, err = usage.Began(tx)
		return err
	})
	return seq, err
}

// uncounted asks each metric for the events from a seq on that it has no number of. Those that
// another client sent meanwhile are among them.
func uncounted(ctx context.Context, st *store.Store, from int64) (lost lostUsage, err error) {
	page := store.Page{Limit: 100}
	for more := true; more; more = page.Cursor != "" {
		var metrics []catalog.Metric
		err = st.View(ctx, func(tx *store.Tx) (err error) {
			metrics, page.Cursor, err = catalog.ListMetrics(tx, store.Range{}, page)
			return err
		})
		if err != nil {
			return lost, err
		}
		for _, m := range metrics {
			var found usage.Uncounted
			err := st.View(ctx, func(tx *store.Tx) (err error) { // each has a time limit of its own
				found, err = usage.FindUncountedFrom(tx, m, from)
				return err
			})
			var slow *fault.Fault
			if errors.As(err, &slow) { // the events are stored all the same
				lost.NotAsked = append(lost.NotAsked, m.ID)
				continue
			}
			if err != nil {
				return lost, fmt.Errorf("ask the metric %s what it counts: %w", m.ID, err)
			}
			if found.Lacking == 0 {
				continue
			}
			told := lostByMetric{MetricID: m.ID, Name: m.Name, Events: found.Lacking}
			for _, e := range found.Examples[:min(shownKeys, len(found.Examples))] {
				told.Examples = append(told.Examples, e.Key)
			}
			lost.WithoutNumber = append(lost.WithoutNumber, told)
		}
	}
	return lost, nil
}

func (l lostUsage) print(out io.Writer) error {
	for _, m := range l.WithoutNumber {
		_, err := fmt.Fprintf(out, "%d events match the metric %s (%s) and have no number, such as %s\n", m.Events, m.Name, m.MetricID, strings.Join(m.Examples, ", "))
		if err != nil {
			return err
		}
	}
	for _, id := range l.NotAsked {
		if _, err := fmt.Fprintf(out, "the metric %s takes too long to ask whether it counts all of them\n", id); err != nil {
			return err
		}
	}
	return nil
}
