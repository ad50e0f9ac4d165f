package usage

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// Bounds of a search for events that a metric cannot count.
const (
	uncountedDays     = 7       // of 24 hours, by the time at which events were taken in
	uncountedMost     = 100_000 // events that are looked at: the last ones
	uncountedExamples = 20
)

// Uncounted is what a metric made of the events that were taken in last. They are accepted
// whatever they carry, so usage that the metric has no number of would be missed in silence
// (semantics 4.2.8).
type Uncounted struct {
	Since    time.Time      // when the first of the events that were looked at was taken in, at the earliest
	Complete bool           // those of all the days were looked at
	Events   int            // how many were looked at: those that count
	Matched  int            // of these, those that pass the conditions of the metric
	Lacking  int            // of these, those that have no number
	Examples []event.Stored // of these the last ones, the latest first
}

// FindUncounted looks for events of the last days that match a metric, with the values that its
// parameters have by themselves, and have no number. Filters and dimensions of prices do not
// matter. It reads only, and fails with fault.Missing for a metric that is not there.
func FindUncounted(tx *store.Tx, metricID string) (u Uncounted, err error) {
	m, err := catalog.FindMetric(tx, metricID)
	if err != nil {
		return u, err
	}
	since := tx.Now.Add(-uncountedDays * 24 * time.Hour)
	return uncountedOf(tx, m.Query(), 0, since)
}

// FindUncountedFrom is FindUncounted of the events from a seq on, whenever they were taken in.
// Those of a backfill are looked at before it is closed, too.
func FindUncountedFrom(tx *store.Tx, m catalog.Metric, seq int64) (Uncounted, error) {
	return uncountedOf(tx, m.Query(), seq, time.Time{})
}

// Began is the seq for FindUncountedFrom of the events that are taken in from now on.
func Began(tx *store.Tx) (seq int64, err error) {
	if err := tx.Raw("SELECT " + event.Horizon).Scan(&seq).Error; err != nil {
		return 0, fmt.Errorf("look how far events have come: %w", err)
	}
	return seq, nil
}

func uncountedOf(tx *store.Tx, query *metric.Query, from int64, since time.Time) (u Uncounted, err error) {
	u.Since = since
	if err := tx.Exec("SELECT set_config('statement_timeout', ?, true)", previewTimeout).Error; err != nil {
		return u, err
	}
	var lowest sql.NullInt64
	var count int
	var first, start, end sql.NullTime
	err = tx.Conn().QueryRowContext(tx.Context(), `
		SELECT min(seq), count(*), min(ingested_at), min("timestamp"), max("timestamp") FROM (
			SELECT seq, ingested_at, "timestamp" FROM events WHERE account_id = $1 AND seq >= $2 ORDER BY seq DESC LIMIT $3) AS e
		WHERE ingested_at >= $4`, tx.AccountID, from, uncountedMost, since).Scan(&lowest, &count, &first, &start, &end)
	if err != nil {
		return u, fmt.Errorf("look for the last events: %w", err)
	}
	if u.Complete = count < uncountedMost; !u.Complete {
		u.Since = first.Time.UTC()
	}
	if count == 0 {
		return u, nil
	}
	counted := metric.Fragment{SQL: "NOT e.deprecated"}
	if from == 0 {
		effects, err := effectsWhere(tx, "start_at <= $2 AND end_at > $3", end.Time, start.Time)
		if err != nil {
			return u, err
		}
		if counted, err = counting(effects); err != nil {
			return u, err
		}
	}
	events := &statement{}
	events.add("SELECT 1 AS slice, e.* FROM events AS e WHERE e.account_id = ? AND e.seq >= ? AND e.ingested_at >= ? AND ", tx.AccountID, lowest.Int64, since)
	events.fragment(counted)
	seqs, err := u.read(tx, query, metric.Fragment{SQL: events.text.String(), Args: events.args})
	if err != nil {
		return u, err
	}
	u.Examples, err = event.FindBySeq(tx, seqs)
	return u, err
}

// read counts the events, and gives the seqs of the examples.
func (u *Uncounted) read(tx *store.Tx, query *metric.Query, events metric.Fragment) (seqs []int64, err error) {
	q := &statement{}
	q.add("WITH looked AS MATERIALIZED (")
	q.fragment(events)
	q.add("), answer AS (")
	q.fragment(query.Uncounted(metric.Fragment{SQL: "SELECT * FROM looked"}))
	q.add(`) SELECT (SELECT count(*) FROM looked), count(*), count(*) FILTER (WHERE lacking),
		(SELECT coalesce(json_agg(seq), '[]') FROM (SELECT seq FROM answer WHERE lacking ORDER BY seq DESC LIMIT ?) AS last) FROM answer`, uncountedExamples)
	var found []byte
	err = tx.As(readerRole, func() error {
		err := tx.Conn().QueryRowContext(tx.Context(), q.numbered(), q.args...).Scan(&u.Events, &u.Matched, &u.Lacking, &found)
		if err != nil {
			return failed(tx, err)
		}
		return nil
	})
	if err == nil {
		err = json.Unmarshal(found, &seqs)
	}
	return seqs, err
}
