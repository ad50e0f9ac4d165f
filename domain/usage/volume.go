package usage

import (
	"fmt"
	"time"

	"tollkeeper/domain/event"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// HourCount is how many events of an hour were ever taken in, also those that do not
// count any more.
type HourCount struct {
	Start time.Time // UTC, a whole hour
	Count int
}

// longestVolume bounds how many hours one answer lists.
const longestVolume = 366 * 24 * time.Hour

// Volume counts events by the hour of their timestamp: every hour from the one that
// start is in to the one that end is in, both whole, oldest first (semantics 2.5.6).
// A nil end is now.
func Volume(tx *store.Tx, start time.Time, end *time.Time) ([]HourCount, error) {
	frame, err := event.Timeframe(tx, start, end)
	if err != nil {
		return nil, err
	}
	if frame.End.Sub(frame.Start) > longestVolume {
		return nil, fault.Bad("timeframe_start", "must be at most %d days before timeframe_end", longestVolume/(24*time.Hour))
	}
	last := tx.Now
	if end != nil {
		last = *end
	}
	frame = period.Period{Start: hourWith(start), End: hourWith(last).Add(time.Hour)}
	counts, err := countByHour(tx, frame)
	if err != nil {
		return nil, err
	}
	var hours []HourCount
	for hour := frame.Start; hour.Before(frame.End); hour = hour.Add(time.Hour) {
		hours = append(hours, HourCount{Start: hour, Count: counts[hour]})
	}
	return hours, nil
}

// hourWith is the start of the hour, in UTC, that contains an instant.
func hourWith(at time.Time) time.Time { return at.UTC().Truncate(time.Hour) }

// countByHour counts the events of the period, which is of whole hours, by the hour
// in which they begin. Hours without events are left out. What the aggregator has not
// counted yet is counted here, so this wants a snapshot.
func countByHour(tx *store.Tx, p period.Period) (map[time.Time]int, error) {
	var mark int64
	err := tx.Raw("SELECT coalesce(max(mark), 0) FROM usage_progress WHERE account_id = ?", tx.AccountID).Row().Scan(&mark)
	if err != nil {
		return nil, fmt.Errorf("count events: %w", err)
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), `
		SELECT hour, sum(events)::bigint FROM (
			SELECT hour, events FROM usage_volumes WHERE account_id = $1 AND hour >= $2 AND hour < $3
			UNION ALL
			SELECT `+hourOf(`"timestamp"`)+`, count(*) FROM events
			WHERE account_id = $1 AND "timestamp" >= $2 AND "timestamp" < $3 AND seq >= $4 GROUP BY 1) AS v GROUP BY hour`,
		tx.AccountID, p.Start, p.End, mark)
	if err != nil {
		return nil, fmt.Errorf("count events: %w", err)
	}
	defer func() { _ = rows.Close() }()
	counts := map[time.Time]int{}
	for rows.Next() {
		var hour time.Time
		var count int
		if err := rows.Scan(&hour, &count); err != nil {
			return nil, fmt.Errorf("count events: %w", err)
		}
		counts[hour.UTC()] = count
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("count events: %w", err)
	}
	return counts, nil
}
