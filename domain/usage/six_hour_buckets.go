package usage

import (
	"database/sql"
	"fmt"
	"strings"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// bucketLength is the length of a six-hour bucket, which starts at 0, 6, 12 or 18 o'clock UTC.
// Six hours that are over have a bucket of their own beside those of their hours.
const bucketLength = 6 * time.Hour

// hourOf is the start of the hour in UTC that an instant lies in, as SQL. No time zone has to
// be looked at for it, unlike date_trunc, which takes three times as long.
func hourOf(at string) string {
	return "date_bin('1 hour', " + at + ", '2000-01-01 00:00+00')"
}

// sixHoursOf is the start of the six hours that a time lies in, as SQL.
func sixHoursOf(hour string) string {
	return "date_bin('6 hours', " + hour + ", '2000-01-01 00:00+00')"
}

// aggregateSixHours makes the six-hour buckets that are over by the account's clock, of a day at
// most, and records up to when there are any.
func aggregateSixHours(tx *store.Tx, p progress) (bool, error) {
	var hour sql.NullTime
	err := tx.Conn().QueryRowContext(tx.Context(), "SELECT min(hour) FROM usage_volumes WHERE account_id = $1 AND hour >= $2",
		tx.AccountID, p.sixHourlyTo).Scan(&hour)
	if err != nil {
		return false, fmt.Errorf("find six hours that are over: %w", err)
	}
	next, over := hour.Time.Truncate(bucketLength), tx.Now.Truncate(bucketLength)
	if !hour.Valid || !next.Before(over) {
		return false, nil
	}
	done := next.Add(24 * time.Hour)
	if over.Before(done) {
		done = over
	}
	if err := rebuildSixHours(tx, nil, period.Period{Start: p.sixHourlyTo, End: done}); err != nil {
		return false, err
	}
	if err := tx.Exec("UPDATE usage_progress SET six_hourly_to = ? WHERE account_id = ?", done, tx.AccountID).Error; err != nil {
		return false, fmt.Errorf("record which six hours are over: %w", err)
	}
	return true, analyze(tx, "analyze_outgrown_usage")
}

// rebuildSixHours makes the six-hour buckets of a time that has none, from those of its hours.
func rebuildSixHours(tx *store.Tx, subjects []string, sixHours period.Period) error {
	all, err := seriesWhere(tx, "mark > 0")
	if err != nil {
		return err
	}
	grains := map[int64][]string{} // how the totals of each are merged
	for _, s := range all {
		summary, err := s.summary()
		if err != nil { // it could not say how
			if err := restart(tx, []int64{s.ID}); err != nil {
				return err
			}
			continue
		}
		grains[s.Grain] = placed(grains[s.Grain], s.First, summary.Merges())
	}
	for grain, merges := range grains {
		_, err := tx.Conn().ExecContext(tx.Context(), `
			INSERT INTO usage_buckets_6h (account_id, grain, subject, hour, digest, keys, totals)
			SELECT account_id, grain, subject, `+sixHoursOf("hour")+` AS bucket, digest, keys, `+mergedTotals(merges)+`
			FROM usage_buckets
			WHERE account_id = $1 AND grain = $2 AND hour >= $3 AND hour < $4 AND ($5::text[] IS NULL OR subject = ANY ($5))
			GROUP BY account_id, grain, subject, bucket, digest, keys`, tx.AccountID, grain, sixHours.Start, sixHours.End, subjects)
		if err != nil {
			return fmt.Errorf("make six-hour buckets: %w", err)
		}
	}
	return nil
}

// placed puts how totals are merged into their places among those of a grain.
func placed(merges []string, first int, of []string) []string {
	for i, merge := range of {
		place := first + i
		for len(merges) < place {
			merges = append(merges, "")
		}
		merges[place-1] = merge
	}
	return merges
}

// mergedTotals is the totals of several rows as those of one, as SQL: by place, with an
// aggregate, NULL where there is none.
func mergedTotals(merges []string) string {
	totals := make([]string, len(merges))
	for i, merge := range merges {
		totals[i] = "NULL::numeric"
		if merge != "" {
			totals[i] = fmt.Sprintf("%s(totals[%d])", merge, i+1)
		}
	}
	return "ARRAY[" + strings.Join(totals, ", ") + "]"
}

// sixHours divides whole hours into those that six-hour buckets can be read for, since no cut
// falls into one, and the other hours.
func (st bucketState) sixHours(whole []period.Period, cuts []time.Time) (sixHours, hours []period.Period) {
	for _, p := range whole {
		for k := range cuts[1:] {
			part, some := p.Intersect(period.Period{Start: cuts[k], End: cuts[k+1]})
			if !some || part.Empty() {
				continue
			}
			in := period.Period{Start: ceil(part.Start, bucketLength), End: part.End.Truncate(bucketLength)}
			if st.sixHourlyTo.Before(in.End) {
				in.End = st.sixHourlyTo
			}
			if !in.Start.Before(in.End) {
				hours = appended(hours, part)
				continue
			}
			sixHours = appended(sixHours, in)
			hours = appended(hours, period.Period{Start: part.Start, End: in.Start})
			hours = appended(hours, period.Period{Start: in.End, End: part.End})
		}
	}
	return sixHours, hours
}

// appended is periods in order and another one behind them, unless it is empty.
func appended(periods []period.Period, p period.Period) []period.Period {
	if n := len(periods); n > 0 && periods[n-1].End.Equal(p.Start) {
		periods[n-1].End = p.End
		return periods
	}
	if p.Empty() {
		return periods
	}
	return append(periods, p)
}
