package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// lostUsage is what an import stored and nothing counts, so that it does not pass for success.
type lostUsage struct {
	WithoutNumber []lostByMetric `json:"without_number,omitempty"`
	Changed       *changedBodies `json:"changed_bodies,omitempty"`
	NotAsked      []string       `json:"metrics_not_asked,omitempty"` // ids of metrics that took too long
}

// lostByMetric are events that match a metric and have no number.
type lostByMetric struct {
	MetricID string   `json:"metric_id"`
	Name     string   `json:"name"`
	Events   int      `json:"events"`
	Examples []string `json:"examples"` // idempotency keys of the last ones
}

// changedBodies are events that came again with another body than is stored, and were ignored.
type changedBodies struct {
	Events   int      `json:"events"`
	Examples []string `json:"examples"` // idempotency keys of the last ones
}

// shownKeys is how many examples are told of a metric.
const shownKeys = 3

// mark is where an account's events and changed resends have come to.
type mark struct{ event, resend int64 }

func markOf(ctx context.Context, st *store.Store) (m mark, err error) {
	err = st.View(ctx, func(tx *store.Tx) (err error) {
		if m.event, err = usage.Began(tx); err != nil {
			return err
		}
		m.resend, err = event.LastChangedResend(tx)
		return err
	})
	return m, err
}

// lostSince asks each metric for the events since a mark that it has no number of, and for those that
// came again with another body. What another client sent meanwhile is among them.
func lostSince(ctx context.Context, st *store.Store, m mark) (lost lostUsage, err error) {
	err = st.View(ctx, func(tx *store.Tx) error {
		found, err := event.FindChangedResendsFrom(tx, m.resend)
		if err != nil || found.Events == 0 {
			return err
		}
		lost.Changed = &changedBodies{Events: found.Events}
		for _, r := range found.Examples[:min(shownKeys, len(found.Examples))] {
			lost.Changed.Examples = append(lost.Changed.Examples, r.Sent.Key)
		}
		return nil
	})
	if err != nil {
		return lost, err
	}
	return lost, lost.askMetrics(ctx, st, m.event)
}

// askMetrics asks each metric for the events from a seq on that it has no number of.
func (l *lostUsage) askMetrics(ctx context.Context, st *store.Store, from int64) error {
	page := store.Page{Limit: 100}
	for more := true; more; more = page.Cursor != "" {
		var metrics []catalog.Metric
		err := st.View(ctx, func(tx *store.Tx) (err error) {
			metrics, page.Cursor, err = catalog.ListMetrics(tx, store.Range{}, page)
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range metrics {
			var found usage.Uncounted
			err := st.View(ctx, func(tx *store.Tx) (err error) { // each has a time limit of its own
				found, err = usage.FindUncountedFrom(tx, m, from)
				return err
			})
			var slow *fault.Fault
			if errors.As(err, &slow) { // the events are stored all the same
				l.NotAsked = append(l.NotAsked, m.ID)
				continue
			}
			if err != nil {
				return fmt.Errorf("ask the metric %s what it counts: %w", m.ID, err)
			}
			if found.Lacking == 0 {
				continue
			}
			told := lostByMetric{MetricID: m.ID, Name: m.Name, Events: found.Lacking}
			for _, e := range found.Examples[:min(shownKeys, len(found.Examples))] {
				told.Examples = append(told.Examples, e.Key)
			}
			l.WithoutNumber = append(l.WithoutNumber, told)
		}
	}
	return nil
}

func (l lostUsage) print(out io.Writer) error {
	for _, m := range l.WithoutNumber {
		_, err := fmt.Fprintf(out, "%d events match the metric %s (%s) and have no number, such as %s\n", m.Events, m.Name, m.MetricID, strings.Join(m.Examples, ", "))
		if err != nil {
			return err
		}
	}
	if c := l.Changed; c != nil {
		_, err := fmt.Fprintf(out, "%d events came again with another body and are ignored, such as %s\n", c.Events, strings.Join(c.Examples, ", "))
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
