package usage

import (
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// retryAfter is how long a series that failed is left alone.
const retryAfter = "10 minutes"

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
