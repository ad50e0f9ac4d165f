package usage

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/metric"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// bucketState is how far an account's buckets can be trusted for some subjects and a time.
type bucketState struct {
	mark    sql.Null[int64] // seq from which on events are read; null: there are no buckets
	changes int64           // of history

	sixHourlyTo time.Time // six-hour buckets that start before have buckets; the zero time: none
	until       time.Time // buckets are not read from there on: see lookedAhead

	series []series        // that have reached the mark
	gaps   []period.Period // whole hours to be read from events

	counting metric.Fragment // which events count
}

// bucketStateOf reads the state of the buckets for requests, in one statement.
func bucketStateOf(tx *store.Tx, about period.Period, subjects []string, requests []Request) (bucketState, error) {
	metrics := []string{}
	if !readsEvents(tx.Context()) {
		for _, req := range requests {
			metrics = append(metrics, req.Query.Text())
		}
	}
	var st bucketState
	var series, gaps, revisions []byte
	var sixHourlyTo sql.NullTime
	seen := moment(tx.Context())
	err := tx.Conn().QueryRowContext(tx.Context(), `
		SELECT p.mark, p.six_hourly_to, coalesce(h.changes, 0),
			(SELECT `+seriesAsJSON+` FROM `+seriesTables+` WHERE s.account_id = $1 AND s.mark = p.mark AND metric = ANY ($5)
				AND coalesce(p.mark <= `+event.Oldest("$6")+`, true)), -- they have nothing newer
			(SELECT json_agg(json_build_object('Start', start_at, 'End', end_at) ORDER BY start_at) FROM usage_gaps
				WHERE account_id = $1 AND start_at < $3 AND end_at > $2 AND (subjects IS NULL OR subjects && $4)),
			(SELECT `+effectsAsJSON+` FROM usage_revisions
				WHERE account_id = $1 AND start_at < $3 AND end_at > $2 AND (subjects IS NULL OR subjects && $4))
		FROM (SELECT $1::text AS account_id) AS a
			LEFT JOIN usage_progress AS p USING (account_id) LEFT JOIN usage_history AS h USING (account_id)`,
		tx.AccountID, about.Start, about.End, subjects, metrics, seen).Scan(&st.mark, &sixHourlyTo, &st.changes, &series, &gaps, &revisions)
	if err != nil {
		return st, fmt.Errorf("read how buckets stand: %w", err)
	}
	st.sixHourlyTo, st.until = sixHourlyTo.Time, tx.Now.Add(lookedAhead)
	var effects []effect
	for into, text := range map[any][]byte{&st.series: series, &st.gaps: gaps, &effects: revisions} {
		if text == nil {
			continue
		}
		if err := json.Unmarshal(text, into); err != nil {
			return st, fmt.Errorf("read how buckets stand: %w", err)
		}
	}
	if st.counting, err = counting(effects); seen != nil {
		st.counting.SQL += " AND " + event.InSnapshot("?")
		st.counting.Args = append(st.counting.Args, string(*seen))
	}
	return st, err
}

// effectsAsJSON is revisions as an effect is read.
const effectsAsJSON = `json_agg(json_build_object('ID', id, 'Subjects', subjects, 'Period', json_build_object('Start', start_at, 'End', end_at),
	'Replaces', replaces, 'Filter', filter, 'Seen', seen, 'Matched', matched, 'Unmatched', unmatched) ORDER BY id)`

// reach is the time and the subjects that requests are about.
func reach(requests []Request) (about period.Period, subjects []string) {
	subjects = []string{}
	for _, req := range requests {
		first, last := req.Cuts[0], req.Cuts[len(req.Cuts)-1]
		if about.Start.IsZero() || first.Before(about.Start) {
			about.Start = first
		}
		if last.After(about.End) {
			about.End = last
		}
		subjects = append(subjects, req.Subjects...)
	}
	return about, unique(subjects)
}

// lookedAhead is how far into the future buckets are read, which have nothing there. A
// timeframe may end in the year 9999, and all hours up to then would take long to list.
const lookedAhead = 366 * 24 * time.Hour

// cover divides the time of a request into whole hours that buckets can be read for, and
// the rest. An hour that a cut falls into belongs to the rest.
func (st bucketState) cover(req Request) (hours, rest []period.Period) {
	last := len(req.Cuts) - 1
	whole := period.Period{Start: ceil(req.Cuts[0], time.Hour), End: req.Cuts[last].Truncate(time.Hour)}
	if st.until.Before(whole.End) {
		whole.End = st.until.Truncate(time.Hour)
	}
	holes := []period.Period{}
	for _, cut := range req.Cuts[1:last] {
		if at := cut.Truncate(time.Hour); !at.Equal(cut) {
			holes = append(holes, period.Period{Start: at, End: at.Add(time.Hour)})
		}
	}
	holes = append(holes, st.gaps...)
	hours = without(whole, holes)
	return hours, without(period.Period{Start: req.Cuts[0], End: req.Cuts[last]}, hours)
}

func ceil(t time.Time, unit time.Duration) time.Time {
	return t.Add(unit - time.Nanosecond).Truncate(unit)
}

// without is what is left of a period, in order, without holes in any order.
func without(whole period.Period, holes []period.Period) (left []period.Period) {
	if !whole.Empty() {
		left = append(left, whole)
	}
	for _, hole := range holes {
		var rest []period.Period
		for _, p := range left {
			for _, side := range []period.Period{{Start: p.Start, End: hole.Start}, {Start: hole.End, End: p.End}} {
				if part, some := p.Intersect(side); some && !side.Empty() {
					rest = append(rest, part)
				}
			}
		}
		left = rest
	}
	return left
}
