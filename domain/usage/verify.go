package usage

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// verifySize is how many events one transaction compares with buckets, if they are of more
// than one hour.
const verifySize = 4 * foldSize

// Verify compares the buckets of the account with the events that they were made of: the
// number of events of each hour, the totals of each hour and of each six hours, and the
// values that are counted once. It goes on at an instant, the zero time at first, and returns
// the next one; the zero time when there are no more. It leaves out what readers do not take
// from buckets: hours in gaps, series that failed, have not begun or begin again; and months whose events
// were dropped.
func Verify(tx *store.Tx, from time.Time) (found []store.Finding, next time.Time, err error) {
	var first sql.NullTime
	err = tx.Conn().QueryRowContext(tx.Context(), `SELECT min(hour) FROM usage_volumes WHERE account_id = $1 AND hour >= $2
		AND NOT EXISTS (SELECT FROM `+event.DroppedMonths+` WHERE hour >= start_at AND hour < end_at)`, tx.AccountID, from).Scan(&first)
	if err != nil {
		return nil, next, fmt.Errorf("look for buckets to verify: %w", err)
	}
	if !first.Valid {
		return nil, next, nil
	}
	start := first.Time.UTC()
	all := gap{Period: period.Period{Start: start, End: start.AddDate(0, 1, 0)}}
	part, events, err := all.part(tx, verifySize)
	if err != nil {
		return nil, next, err
	}
	if err := extendDeadline(tx, events); err != nil {
		return nil, next, err
	}
	for _, check := range []func(*store.Tx, period.Period) ([]store.Finding, error){wrongVolumes, wrongBuckets, wrongSixHours} {
		wrong, err := check(tx, part)
		if err != nil {
			return nil, next, err
		}
		found = append(found, wrong...)
	}
	return found, part.End, nil
}

// VerifyStray returns the hours for which there are buckets of the account, but no events
// were ever taken in.
func VerifyStray(tx *store.Tx) ([]store.Finding, error) {
	found, err := tx.Findings(`
		SELECT subject, 'it has a bucket of the hour ' || hour::text || ', in which there was no event' FROM usage_buckets AS b
		WHERE account_id = $1 AND NOT EXISTS (SELECT FROM usage_volumes AS v WHERE v.account_id = $1 AND v.hour = b.hour)
		ORDER BY 1, 2 LIMIT 100`, tx.AccountID)
	if err != nil {
		return nil, fmt.Errorf("look for buckets without events: %w", err)
	}
	return found, nil
}

// wrongVolumes compares the number of events of each hour.
func wrongVolumes(tx *store.Tx, part period.Period) ([]store.Finding, error) {
	found, err := tx.Findings(`
		WITH stored AS (SELECT `+hourOf(`"timestamp"`)+` AS hour, count(*) AS events FROM events
				WHERE account_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 AND seq < (SELECT mark FROM usage_progress WHERE account_id = $1)
				GROUP BY 1),
			said AS (SELECT hour, events FROM usage_volumes WHERE account_id = $1 AND hour >= $2 AND hour < $3)
		SELECT hour::text, format('there are %s events in that hour, and %s are said to be', coalesce(stored.events, 0), coalesce(said.events, 0))
		FROM stored FULL JOIN said USING (hour) WHERE stored.events IS DISTINCT FROM said.events ORDER BY hour LIMIT 100`,
		tx.AccountID, part.Start, part.End)
	if err != nil {
		return nil, fmt.Errorf("count events by the hour: %w", err)
	}
	return found, nil
}

// wrongBuckets compares the totals of hours and the values that are counted once.
func wrongBuckets(tx *store.Tx, part period.Period) (found []store.Finding, err error) {
	effects, err := effectsWhere(tx, "start_at < $2 AND end_at > $3", part.End, part.Start)
	if err != nil {
		return nil, err
	}
	count, err := counting(effects)
	if err != nil {
		return nil, err
	}
	all, err := seriesWhere(tx, "mark > 0 AND failed_at IS NULL AND quotient_places >= $2", metric.QuotientPlaces)
	if err != nil {
		return nil, err
	}
	for mark, level := range byMark(all) {
		about := &statement{}
		about.add(`e.seq < ? AND e."timestamp" >= ? AND e."timestamp" < ? AND `, mark, part.Start, part.End)
		about.fragment(count)
		condition := metric.Fragment{SQL: about.text.String(), Args: about.args}
		for _, together := range grainGroups(level, map[int64]error{}) {
			var wrong []store.Finding
			err := tx.As(aggregatorRole, func() (err error) {
				wrong, err = together.compare(tx, condition, part)
				return err
			})
			if err != nil {
				return nil, err
			}
			found = append(found, wrong...)
		}
	}
	return found, nil
}

// notInGap is a condition: readers take the buckets of that subject and hour for what they are.
const notInGap = ` AND NOT EXISTS (SELECT FROM usage_gaps AS g WHERE g.account_id = ? AND g.start_at < %s AND g.end_at > %s
	AND (g.subjects IS NULL OR subject = ANY (g.subjects)))`

// compare makes the totals of a part from its events, as put does, and returns what is kept
// otherwise. A total of nothing is 0 or null.
func (t grainGroup) compare(tx *store.Tx, condition metric.Fragment, part period.Period) ([]store.Finding, error) {
	var counting metric.Counting
	ids := make([]int64, len(t))
	for k, s := range t {
		counting = append(counting, s.summary)
		ids[k] = s.ID
	}
	grain := t[0].grain()
	totals, _ := t.totals(counting)
	var differ []string
	for k, s := range t {
		for i := range counting[k].Width() {
			differ = append(differ, fmt.Sprintf("coalesce(made.totals[%[1]d], 0) <> coalesce(kept.totals[%[1]d], 0)", s.First+i))
		}
	}
	q := &statement{}
	q.add("WITH counted AS (")
	q.fragment(counting.Rows(metric.Frame{Events: grain.hourly(tx.AccountID, condition), Keys: 1 + len(grain.keys)}))
	q.add(`), made AS (SELECT key0 COLLATE "C" AS subject, slice AS hour, `+grain.digest+` AS digest, ARRAY[`+strings.Join(totals, ", ")+`] AS totals
			FROM counted GROUP BY slice, key0`+grain.columns+`),
		kept AS (SELECT subject, hour, digest, totals FROM usage_buckets WHERE account_id = ? AND grain = ? AND hour >= ? AND hour < ?)
		(SELECT subject, 'its bucket of the hour ' || hour::text || ' does not hold what its events come to'
		FROM made FULL JOIN kept USING (subject, hour, digest) WHERE (`+strings.Join(differ, " OR ")+")"+
		fmt.Sprintf(notInGap, "hour + interval '1 hour'", "hour")+" ORDER BY hour, subject LIMIT 100)",
		tx.AccountID, grain.id, part.Start, part.End, tx.AccountID)
	if values := counting.Values(1 + len(grain.keys)); values != "" {
		months, masks := monthMasks([]period.Period{part})
		q.add(" UNION ALL (SELECT subject, 'a value that it used in the month ' || month::text || ' is noted for other hours than its events say' FROM (")
		q.fragment(noted(tx.AccountID, ids, grain, values))
		q.add(`) AS made FULL JOIN (
				SELECT series, subject, month, digest, total, value, hours & ?::text::bit(744) AS hours FROM usage_values
				WHERE account_id = ? AND series = ANY (?) AND month = ? AND (hours & ?::text::bit(744)) <> 0::bit(744)) AS kept
			USING (series, subject, month, digest, total, value)
			WHERE made.hours IS DISTINCT FROM kept.hours`+fmt.Sprintf(notInGap, "?", "?")+" LIMIT 100)",
			masks[0], tx.AccountID, ids, months[0], masks[0], tx.AccountID, part.End, part.Start)
	}
	found, err := tx.Findings(q.numbered(), q.args...)
	if err != nil {
		return nil, fmt.Errorf("compare buckets with events: %w", err)
	}
	return found, nil
}

// wrongSixHours compares buckets of six hours with those of their hours. Hours of a part may
// begin and end amid six; those are compared as a whole.
func wrongSixHours(tx *store.Tx, part period.Period) (found []store.Finding, err error) {
	var until sql.NullTime
	err = tx.Conn().QueryRowContext(tx.Context(), "SELECT max(six_hourly_to) FROM usage_progress WHERE account_id = $1", tx.AccountID).Scan(&until)
	if err != nil {
		return nil, fmt.Errorf("look for six hours that are over: %w", err)
	}
	whole := period.Period{Start: part.Start.Truncate(bucketLength), End: ceil(part.End, bucketLength)}
	if until.Time.Before(whole.End) {
		whole.End = until.Time
	}
	if !until.Valid || whole.Empty() {
		return nil, nil
	}
	all, err := seriesWhere(tx, "mark > 0 AND failed_at IS NULL AND quotient_places >= $2", metric.QuotientPlaces)
	if err != nil {
		return nil, err
	}
	merges := map[int64][]string{} // by grain
	for _, s := range all {
		if summary, err := s.summary(); err == nil {
			merges[s.Grain] = placed(merges[s.Grain], s.First, summary.Merges())
		}
	}
	for grain, of := range merges {
		wrong, err := compareSixHours(tx, grain, of, whole)
		if err != nil {
			return nil, err
		}
		found = append(found, wrong...)
	}
	return found, nil
}

func compareSixHours(tx *store.Tx, grain int64, merges []string, whole period.Period) ([]store.Finding, error) {
	differ := []string{"false"}
	for k, merge := range merges {
		if merge != "" {
			differ = append(differ, fmt.Sprintf("coalesce(made.totals[%[1]d], 0) <> coalesce(kept.totals[%[1]d], 0)", k+1))
		}
	}
	q := &statement{}
	q.add(`WITH made AS (SELECT subject, `+sixHoursOf("hour")+` AS hour, digest, `+mergedTotals(merges)+` AS totals FROM usage_buckets
			WHERE account_id = ? AND grain = ? AND hour >= ? AND hour < ? GROUP BY subject, `+sixHoursOf("hour")+`, digest),
		kept AS (SELECT subject, hour, digest, totals FROM usage_buckets_6h WHERE account_id = ? AND grain = ? AND hour >= ? AND hour < ?)
		SELECT subject, 'its bucket of six hours from ' || hour::text || ' does not hold what those of the hours come to'
		FROM made FULL JOIN kept USING (subject, hour, digest) WHERE (`+strings.Join(differ, " OR ")+")"+
		fmt.Sprintf(notInGap, "hour + interval '6 hours'", "hour")+" ORDER BY hour, subject LIMIT 100",
		tx.AccountID, grain, whole.Start, whole.End, tx.AccountID, grain, whole.Start, whole.End, tx.AccountID)
	found, err := tx.Findings(q.numbered(), q.args...)
	if err != nil {
		return nil, fmt.Errorf("compare buckets of six hours: %w", err)
	}
	return found, nil
}
