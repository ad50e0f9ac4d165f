package usage

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tollkeeper/domain/metric"
	"tollkeeper/store"
)

// Bounds of one unit of the aggregator's work.
const (
	foldSize = 50_000 // events
	// What to do with a series that failed: to try again when that long has passed.
	retryAfter = "10 minutes"
)

// aggregatorRole reads events and writes buckets, and nothing else.
const aggregatorRole = "tollkeeper_aggregator"

// Fold does one unit of work on the account's buckets, and tells whether there may be
// more: it puts in the events that came last, or brings up a new series, or makes hours
// anew whose history changed. It does nothing while another server is at it.
func Fold(tx *store.Tx) (more bool, err error) {
	mark, free, err := lockProgress(tx)
	if err != nil || !free {
		return false, err
	}
	for _, do := range []func(*store.Tx, int64) (bool, error){foldLatest, foldBehind, fillGap} {
		did, err := do(tx, mark)
		if err != nil || did {
			return did, err
		}
	}
	return false, nil
}

// lockProgress locks the account's mark, unless another has it, and makes it first.
func lockProgress(tx *store.Tx) (mark int64, free bool, err error) {
	const lock = "SELECT mark FROM usage_progress WHERE account_id = $1 FOR UPDATE SKIP LOCKED"
	err = tx.Conn().QueryRowContext(tx.Context(), lock, tx.AccountID).Scan(&mark)
	if errors.Is(err, sql.ErrNoRows) {
		_, err = tx.Conn().ExecContext(tx.Context(),
			"INSERT INTO usage_progress (account_id, mark) VALUES ($1, 0) ON CONFLICT DO NOTHING", tx.AccountID)
		return 0, false, err
	}
	return mark, err == nil, err
}

// foldLatest moves the mark. No event below the horizon is to come: that is the oldest
// transaction under way.
func foldLatest(tx *store.Tx, mark int64) (bool, error) {
	upTo, events, err := nextEvents(tx, mark, "pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 20")
	const worthIt = 10_000 << 20 // other accounts' transactions, which readers pass over
	if err != nil || events == 0 && upTo-mark < worthIt {
		return false, err
	}
	err = tx.Exec(`
		INSERT INTO usage_volumes AS v (account_id, hour, events)
		SELECT account_id, date_trunc('hour', "timestamp") AS hour, count(*) FROM events
		WHERE account_id = ? AND seq >= ? AND seq < ? GROUP BY account_id, hour
		ON CONFLICT (account_id, hour) DO UPDATE SET events = v.events + excluded.events`, tx.AccountID, mark, upTo).Error
	if err != nil {
		return false, fmt.Errorf("count events: %w", err)
	}
	all, err := seriesWhere(tx, "mark = ?", mark)
	if err != nil {
		return false, err
	}
	if err := foldAll(tx, all, mark, upTo); err != nil {
		return false, err
	}
	if err := tx.Exec("UPDATE usage_progress SET mark = ? WHERE account_id = ?", upTo, tx.AccountID).Error; err != nil {
		return false, fmt.Errorf("move the mark: %w", err)
	}
	return events == foldSize, nil
}

// foldBehind brings one series nearer to the mark.
func foldBehind(tx *store.Tx, mark int64) (bool, error) {
	all, err := seriesWhere(tx, "mark < ? AND coalesce(failed_at < clock_timestamp() - interval '"+retryAfter+"', true)", mark)
	if err != nil || len(all) == 0 {
		return false, err
	}
	behind := all[:1]
	upTo, events, err := nextEvents(tx, behind[0].Mark, fmt.Sprint(mark))
	if err != nil {
		return false, err
	}
	if events < foldSize {
		upTo = mark
	}
	return true, foldAll(tx, behind, behind[0].Mark, upTo)
}

// nextEvents counts the events of one unit of work from a seq on, and gives the seq
// that they end before.
func nextEvents(tx *store.Tx, from int64, horizon string) (upTo int64, events int, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `
		WITH h AS (SELECT `+horizon+` AS horizon), part AS (
			SELECT seq FROM events, h WHERE account_id = $1 AND seq >= $2 AND seq < horizon ORDER BY seq LIMIT $3)
		SELECT count(*), CASE WHEN count(*) < $3 THEN (SELECT horizon FROM h) ELSE max(seq) + 1 END FROM part`,
		tx.AccountID, from, foldSize).Scan(&events, &upTo)
	if err != nil {
		return 0, 0, fmt.Errorf("look for events to fold: %w", err)
	}
	return upTo, events, nil
}

// standingSeries is a series with how far it has come.
type standingSeries struct {
	series
	Mark int64 `json:"mark"`
}

func seriesWhere(tx *store.Tx, condition string, args ...any) (all []standingSeries, err error) {
	var text []byte
	err = tx.Raw(`SELECT coalesce(json_agg(json_build_object('id', id, 'metric', metric, 'keys', keys, 'mark', mark) ORDER BY id), '[]')
		FROM usage_series WHERE account_id = ? AND `+condition, append([]any{tx.AccountID}, args...)...).Row().Scan(&text)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil {
		return nil, fmt.Errorf("list series: %w", err)
	}
	return all, nil
}

// foldAll puts events into the buckets of series. One that fails is left behind and
// keeps no other.
func foldAll(tx *store.Tx, all []standingSeries, from, upTo int64) error {
	effects, err := effectsWhere(tx, "pg_snapshot_xmax(seen)::text::bigint << 20 > $2", from)
	if err != nil {
		return err
	}
	count, err := counting(effects)
	if err != nil {
		return err
	}
	latest := metric.Fragment{SQL: "e.seq >= ? AND e.seq < ? AND " + count.SQL, Args: append([]any{from, upTo}, count.Args...)}
	failed, err := eachSeries(tx, all, func(tx *store.Tx, s standingSeries) error { return s.put(tx, latest) })
	if err != nil {
		return err
	}
	ids := []int64{}
	for _, s := range all {
		if failed[s.ID] == nil {
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

// eachSeries works on series as the aggregator's role, on each by itself: what failed
// is undone and noted.
func eachSeries(tx *store.Tx, all []standingSeries, do func(*store.Tx, standingSeries) error) (failed map[int64]error, err error) {
	failed = map[int64]error{}
	err = tx.As(aggregatorRole, func() error {
		for _, s := range all {
			if err := tx.Try(func(tx *store.Tx) error { return do(tx, s) }); err != nil {
				if tx.Context().Err() != nil {
					return err
				}
				failed[s.ID] = err
			}
		}
		return nil
	})
	for id, reason := range failed {
		if err == nil {
			err = tx.Exec("UPDATE usage_series SET failed_at = clock_timestamp(), failure = ? WHERE account_id = ? AND id = ?",
				reason.Error(), tx.AccountID, id).Error
		}
	}
	return failed, err
}

// put adds the events that a condition on e holds for to the buckets of the series.
func (s standingSeries) put(tx *store.Tx, condition metric.Fragment) error {
	query, err := metric.Parse(s.Metric)
	if err != nil {
		return err
	}
	summary := query.Summary()
	to := &statement{}
	to.add("WITH counted AS (")
	to.fragment(summary.Counted(metric.Frame{Events: s.hourly(tx.AccountID, condition), Keys: 1 + len(s.Keys)}))
	keys := make([]string, len(s.Keys))
	for i := range keys {
		keys[i] = fmt.Sprintf("key%d", i+1)
	}
	row := "ARRAY[" + strings.Join(keys, ", ") + "]::text[]"
	digest := "''::bytea"
	if len(keys) > 0 {
		digest = "sha256(convert_to(" + row + "::text, 'UTF8'))"
	}
	to.add("), values AS (")
	if values := summary.Values(1 + len(keys)); values != "" {
		to.add(`INSERT INTO usage_values AS b (account_id, series, subject, month, digest, keys, total, value, hours)
			SELECT ?, ?, key0, date_trunc('month', slice) AS month, `+digest+`, `+row+`, total, value,
				bit_or(set_bit(0::bit(744), (extract(epoch FROM slice - date_trunc('month', slice)) / 3600)::integer, 1))
			FROM (`+values+`) AS v GROUP BY key0, month, `+strings.Join(append(keys, "total, value"), ", ")+`
			ON CONFLICT (account_id, series, subject, month, digest, total, value) DO UPDATE SET hours = b.hours | excluded.hours
			WHERE b.hours | excluded.hours <> b.hours`, tx.AccountID, s.ID)
	} else {
		to.add("SELECT")
	}
	to.add(`) INSERT INTO usage_buckets AS b (account_id, series, subject, hour, digest, keys, totals)
		SELECT ?, ?, key0, slice, `+digest+`, `+row+`, totals FROM (`+summary.Totals(1+len(keys))+`) AS t
		ON CONFLICT (account_id, series, subject, hour, digest) DO UPDATE SET totals = `+summary.Merged("b.totals", "excluded.totals"), tx.AccountID, s.ID)
	if _, err := tx.Conn().ExecContext(tx.Context(), to.numbered(), to.args...); err != nil {
		return fmt.Errorf("fold events into series %d: %w", s.ID, err)
	}
	return nil
}

// hourly are events of the account by hour, subject and the keys of the series.
func (s standingSeries) hourly(account string, condition metric.Fragment) metric.Fragment {
	from := &statement{}
	from.add(`SELECT date_trunc('hour', e."timestamp") AS slice, e.subject AS key0, `)
	for i, key := range s.Keys {
		from.fragment(metric.Property("e", key))
		from.add(fmt.Sprintf(" AS key%d, ", i+1))
	}
	from.add("e.* FROM events AS e WHERE e.account_id = ? AND ", account)
	from.fragment(condition)
	return metric.Fragment{SQL: from.text.String(), Args: from.args}
}
