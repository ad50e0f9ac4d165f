package usage

import (
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// Bounds of one unit of the aggregator's work.
const (
	foldSize = 50_000 // events
	// What to do with a series that failed: to try again when that long has passed.
	retryAfter = "10 minutes"
)

// Aggregate does one unit of work on the account's buckets, and tells whether there may be
// more: it puts in the events that came last, or brings up a new series, or makes hours
// again whose history changed, or puts hours together. It does nothing while another server
// is at it.
func Aggregate(tx *store.Tx) (more bool, err error) {
	p, free, err := lockProgress(tx)
	if err != nil || !free {
		return false, err
	}
	for _, do := range []func(*store.Tx, progress) (bool, error){refineSeries, aggregateLatest, aggregateBehind, rebuildGap, aggregateSixHours} {
		did, err := do(tx, p)
		if err != nil || did {
			return did, err
		}
	}
	return false, nil
}

// progress is how far an account's buckets have come.
type progress struct {
	mark        int64     // seq that the events in them are below
	sixHourlyTo time.Time // six-hour buckets that start before are there too; the zero time: none
	coarse      bool      // a series may have quotients of too few digits
}

// lockProgress locks the account's progress, unless another has it, and makes it first.
func lockProgress(tx *store.Tx) (p progress, free bool, err error) {
	const lock = `SELECT mark, six_hourly_to, EXISTS (SELECT FROM usage_series WHERE account_id = $1 AND quotient_places < $2)
		FROM usage_progress WHERE account_id = $1 FOR UPDATE SKIP LOCKED`
	var sixHourlyTo sql.NullTime
	err = tx.Conn().QueryRowContext(tx.Context(), lock, tx.AccountID, metric.QuotientPlaces).Scan(&p.mark, &sixHourlyTo, &p.coarse)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = tx.Conn().ExecContext(tx.Context(),
			"INSERT INTO usage_progress (account_id, mark) VALUES ($1, 0) ON CONFLICT DO NOTHING", tx.AccountID)
		return p, false, err
	}
	p.sixHourlyTo = sixHourlyTo.Time
	return p, err == nil, err
}

// aggregateLatest moves the mark. No event below the horizon is to come: that is the oldest
// transaction under way.
func aggregateLatest(tx *store.Tx, p progress) (bool, error) {
	upTo, events, err := nextEvents(tx, p.mark, event.Horizon, `, volumes AS (
		INSERT INTO usage_volumes AS v (account_id, hour, events) SELECT $1, hour, events FROM hours
		ON CONFLICT (account_id, hour) DO UPDATE SET events = v.events + excluded.events)`)
	if err != nil || events == 0 {
		return false, err
	}
	all, err := seriesWhere(tx, "mark = $2", p.mark)
	if err != nil {
		return false, err
	}
	if err := aggregateAll(tx, all, p.mark, upTo, p.sixHourlyTo); err != nil {
		return false, err
	}
	if err := analyze(tx, "analyze_outgrown_usage"); err != nil {
		return false, err
	}
	if err := tx.Exec("UPDATE usage_progress SET mark = ? WHERE account_id = ?", upTo, tx.AccountID).Error; err != nil {
		return false, fmt.Errorf("move the mark: %w", err)
	}
	return events == foldSize, nil
}

// aggregateBehind brings series nearer to the mark: those that have come as far as the first.
func aggregateBehind(tx *store.Tx, p progress) (bool, error) {
	all, err := seriesWhere(tx, "mark < $2 AND coalesce(failed_at < clock_timestamp() - interval '"+retryAfter+"', true)", p.mark)
	if err != nil || len(all) == 0 {
		return false, err
	}
	from := all[0].Mark
	upTo, events, err := nextEvents(tx, from, fmt.Sprint(p.mark), "")
	if err != nil {
		return false, err
	}
	if events < foldSize {
		upTo = p.mark
	}
	if err := aggregateAll(tx, byMark(all)[from], from, upTo, p.sixHourlyTo); err != nil {
		return true, err
	}
	if upTo == p.mark && events > 0 || from == 0 && events == foldSize {
		return true, analyze(tx, "analyze_usage")
	}
	return true, nil
}

// analyze tells the planner of buckets: when there are many more than it knows of, since
// readers and the next unit look for theirs among them, and when a series has caught up,
// since it is read from now on.
func analyze(tx *store.Tx, function string) error {
	if err := tx.Exec("SELECT " + function + "()").Error; err != nil {
		return fmt.Errorf("analyze buckets: %w", err)
	}
	return nil
}

// nextEvents counts the events of one unit of work from a seq on, and gives the seq
// that they end before. Another part of the statement may read their number by the hour
// too, called hours.
func nextEvents(tx *store.Tx, from int64, horizon, also string) (upTo int64, events int, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `
		WITH h AS (SELECT `+horizon+` AS horizon), part AS (
			SELECT seq, "timestamp" FROM events, h WHERE account_id = $1 AND seq >= $2 AND seq < horizon ORDER BY seq LIMIT $3),
		hours AS (SELECT `+hourOf(`"timestamp"`)+` AS hour, count(*) AS events, max(seq) AS last FROM part GROUP BY hour)`+also+`
		SELECT coalesce(sum(events), 0)::bigint, CASE WHEN sum(events) >= $3 THEN max(last) + 1 ELSE (SELECT horizon FROM h) END FROM hours`,
		tx.AccountID, from, foldSize).Scan(&events, &upTo)
	if err != nil {
		return 0, 0, fmt.Errorf("look for events to fold: %w", err)
	}
	return upTo, events, nil
}

// aggregateAll puts events into the buckets of series. One that fails is left behind and
// keeps no other.
func aggregateAll(tx *store.Tx, all []series, from, upTo int64, sixHourlyTo time.Time) error {
	effects, err := effectsWhere(tx, event.Next("seen")+" > $2", from)
	if err != nil {
		return err
	}
	count, err := counting(effects)
	if err != nil {
		return err
	}
	latest := metric.Fragment{SQL: "e.seq >= ? AND e.seq < ? AND " + count.SQL, Args: append([]any{from, upTo}, count.Args...)}
	failed, err := put(tx, all, latest, sixHourlyTo)
	if err != nil {
		return err
	}
	ids := []int64{}
	for _, s := range all {
		if !slices.Contains(failed, s.ID) {
			ids = append(ids, s.ID)
		}
	}
	_, err = tx.Conn().ExecContext(tx.Context(),
		"UPDATE usage_series SET mark = $1, failed_at = NULL, failure = NULL WHERE account_id = $2 AND id = ANY ($3)", upTo, tx.AccountID, ids)
	if err != nil {
		return fmt.Errorf("move the marks of series: %w", err)
	}
	return nil
}
