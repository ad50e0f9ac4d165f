package usage

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// gap is whole hours whose buckets have to be rebuilt.
type gap struct {
	ID       int64
	Subjects []string // nil: everybody's
	Period   period.Period
}

// rebuildGap rebuilds the buckets of a part of the oldest gap from the events below each
// series' mark. A change of history that it cannot see yet comes with a gap of its own.
func rebuildGap(tx *store.Tx, p progress) (bool, error) {
	g, found, err := oldestGap(tx)
	if err != nil || !found {
		return false, err
	}
	part, events, err := g.part(tx, fillSize)
	if err != nil {
		return false, err
	}
	if err := extendDeadline(tx, events); err != nil {
		return false, err
	}
	effects, err := effectsWhere(tx, "start_at < $2 AND end_at > $3 AND ($4::text[] IS NULL OR subjects IS NULL OR subjects && $4)",
		part.End, part.Start, g.Subjects)
	if err != nil {
		return false, err
	}
	count, err := counting(effects)
	if err != nil {
		return false, err
	}
	if err := clearBuckets(tx, g.Subjects, part); err != nil {
		return false, err
	}
	all, err := seriesWhere(tx, "mark > 0")
	if err != nil {
		return false, err
	}
	for mark, level := range byMark(all) {
		about := &statement{}
		about.add(`e.seq < ? AND e."timestamp" >= ? AND e."timestamp" < ? AND `, mark, part.Start, part.End)
		if g.Subjects != nil {
			about.add("e.subject = ANY(?::text[]) AND ", g.Subjects)
		}
		about.fragment(count)
		failed, err := put(tx, level, metric.Fragment{SQL: about.text.String(), Args: about.args}, time.Time{})
		if err != nil {
			return false, err
		}
		if err := restart(tx, failed); err != nil {
			return false, err
		}
	}
	touched := period.Period{Start: part.Start.Truncate(bucketLength), End: ceil(part.End, bucketLength)}
	if sixHourly, some := touched.Intersect(period.Period{Start: touched.Start, End: p.sixHourlyTo}); some {
		if err := rebuildSixHours(tx, g.Subjects, sixHourly); err != nil {
			return false, err
		}
	}
	return true, g.shrink(tx, part.End)
}

// byMark are series by how far they have come: nearly always all as far.
func byMark(all []series) map[int64][]series {
	levels := map[int64][]series{}
	for _, s := range all {
		levels[s.Mark] = append(levels[s.Mark], s)
	}
	return levels
}

// emptied sets the totals of a series to those of nothing.
const emptied = `AS b SET totals[s.first:s.last] = array_fill(NULL::numeric, ARRAY[s.last - s.first + 1])
	FROM usage_series AS s WHERE b.account_id = $1 AND s.account_id = $1 AND s.id = $2 AND b.grain = s.grain
		AND NOT EXISTS (SELECT FROM ` + event.DroppedMonths + ` WHERE b.hour >= start_at AND b.hour < end_at)`

// restart begins series again that failed and whose buckets say nothing any more, but for
// those of months whose events were dropped: nothing changes there, nor could they be
// rebuilt.
func restart(tx *store.Tx, failed []int64) error {
	for _, id := range failed {
		for _, sql := range []string{
			"DELETE FROM usage_values WHERE account_id = $1 AND series = $2 AND month NOT IN (SELECT start_at FROM " + event.DroppedMonths + ")",
			"UPDATE usage_buckets " + emptied,
			"UPDATE usage_buckets_6h " + emptied,
			"UPDATE usage_series SET mark = 0 WHERE account_id = $1 AND id = $2",
		} {
			if _, err := tx.Conn().ExecContext(tx.Context(), sql, tx.AccountID, id); err != nil {
				return fmt.Errorf("begin a series again: %w", err)
			}
		}
	}
	if len(failed) == 0 {
		return nil
	}
	return changed(tx) // who is about to read them reads events
}

func oldestGap(tx *store.Tx) (g gap, found bool, err error) {
	var subjects []byte
	err = tx.Conn().QueryRowContext(tx.Context(),
		"SELECT id, to_json(subjects), start_at, end_at FROM usage_gaps WHERE account_id = $1 ORDER BY id LIMIT 1",
		tx.AccountID).Scan(&g.ID, &subjects, &g.Period.Start, &g.Period.End)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return g, false, nil
	case err == nil && subjects != nil:
		err = json.Unmarshal(subjects, &g.Subjects)
	}
	if err != nil {
		return g, false, fmt.Errorf("look for gaps: %w", err)
	}
	return g, true, nil
}

// fillSize is how many events are read again at once, if they are of more than one hour. What is
// noted of a month changes once for all of them, so many hours together cost less than one
// after the other.
const fillSize = 10 * foldSize

// part is as much of the gap, from its start, as is rebuilt at once: an hour, or hours of a
// month in UTC with so many events at most. It comes with the events that lie there.
func (g gap) part(tx *store.Tx, most int64) (part period.Period, events int64, err error) {
	start := g.Period.Start.UTC()
	part = period.Period{Start: start, End: time.Date(start.Year(), start.Month()+1, 1, 0, 0, 0, 0, time.UTC)}
	if g.Period.End.Before(part.End) {
		part.End = g.Period.End
	}
	err = tx.Conn().QueryRowContext(tx.Context(), `
		WITH there AS (`+g.hours()+`), summed AS (SELECT hour, n, sum(n) OVER (ORDER BY hour) AS upto FROM there)
		SELECT coalesce(min(hour) FILTER (WHERE upto > $5::bigint AND upto > n), $4), coalesce(sum(n) FILTER (WHERE upto <= $5::bigint OR upto = n), 0)::bigint
		FROM summed`, tx.AccountID, g.Subjects, part.Start, part.End, most).Scan(&part.End, &events)
	if err != nil {
		return part, 0, fmt.Errorf("count the events of a gap: %w", err)
	}
	return part, events, nil
}

// hours is a query for the hours from $3 to $4 in which events of the subjects $2 lie, and how
// many do. Of everybody's events that is known.
func (g gap) hours() string {
	if g.Subjects == nil {
		return "SELECT hour, events AS n FROM usage_volumes WHERE account_id = $1 AND $2::text[] IS NULL AND hour >= $3 AND hour < $4"
	}
	return "SELECT " + hourOf(`"timestamp"`) + ` AS hour, count(*) AS n FROM events
		WHERE account_id = $1 AND subject = ANY ($2) AND "timestamp" >= $3 AND "timestamp" < $4 GROUP BY 1`
}

// extendDeadline gives each statement of the transaction the time that so many events take on
// a machine that has other things to do: a series that fails here begins again from the first
// event of all.
func extendDeadline(tx *store.Tx, events int64) error {
	deadline := store.StatementTimeout * time.Duration(1+events/foldSize)
	if err := tx.Exec("SELECT set_config('statement_timeout', ?, true)", fmt.Sprint(deadline.Milliseconds())).Error; err != nil {
		return fmt.Errorf("extend the deadline: %w", err)
	}
	return nil
}

// shrink takes what lies before an instant out of the gap.
func (g gap) shrink(tx *store.Tx, to time.Time) (err error) {
	if to.Before(g.Period.End) {
		err = tx.Exec("UPDATE usage_gaps SET start_at = ? WHERE account_id = ? AND id = ?", to, tx.AccountID, g.ID).Error
	} else {
		err = tx.Exec("DELETE FROM usage_gaps WHERE account_id = ? AND id = ?", tx.AccountID, g.ID).Error
	}
	if err != nil {
		return fmt.Errorf("close a gap: %w", err)
	}
	return nil
}

// clearBuckets empties the buckets of some hours of one month, and of their six-hour buckets.
func clearBuckets(tx *store.Tx, subjects []string, hours period.Period) error {
	_, err := tx.Conn().ExecContext(tx.Context(), `
		DELETE FROM usage_buckets WHERE account_id = $1 AND grain IN (SELECT id FROM usage_grains WHERE account_id = $1)
			AND ($2::text[] IS NULL OR subject = ANY ($2)) AND hour >= $3 AND hour < $4`, tx.AccountID, subjects, hours.Start, hours.End)
	if err == nil {
		_, err = tx.Conn().ExecContext(tx.Context(), `
			DELETE FROM usage_buckets_6h WHERE account_id = $1 AND grain IN (SELECT id FROM usage_grains WHERE account_id = $1)
				AND ($2::text[] IS NULL OR subject = ANY ($2)) AND hour >= $3 AND hour < $4`,
			tx.AccountID, subjects, hours.Start.Truncate(bucketLength), hours.End)
	}
	if err == nil {
		months, masks := monthMasks([]period.Period{hours})
		_, err = tx.Conn().ExecContext(tx.Context(), `
			UPDATE usage_values SET hours = hours & ~ $4::text::bit(744)
			WHERE account_id = $1 AND series IN (SELECT id FROM usage_series WHERE account_id = $1)
				AND ($2::text[] IS NULL OR subject = ANY ($2)) AND month = $3 AND (hours & $4::text::bit(744)) <> 0::bit(744)`,
			tx.AccountID, subjects, months[0], masks[0])
	}
	if err != nil {
		return fmt.Errorf("clear buckets: %w", err)
	}
	return nil
}

// effectsWhere are the revisions in effect that a condition, with arguments from $2 on,
// holds for.
func effectsWhere(tx *store.Tx, condition string, args ...any) (effects []effect, err error) {
	var text []byte
	err = tx.Conn().QueryRowContext(tx.Context(), "SELECT coalesce("+effectsAsJSON+", '[]') FROM usage_revisions WHERE account_id = $1 AND "+condition,
		append([]any{tx.AccountID}, args...)...).Scan(&text)
	if err == nil {
		err = json.Unmarshal(text, &effects)
	}
	if err != nil {
		return nil, fmt.Errorf("list revisions: %w", err)
	}
	return effects, nil
}
