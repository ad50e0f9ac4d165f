package backfill

import (
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// Touched reports whether a backfill that concerns a customer's events in a period was closed or
// reverted at or after an instant.
func Touched(tx *store.Tx, customerID string, of period.Period, since time.Time) (touched bool, err error) {
	var count int64
	err = tx.Model(&Backfill{}).
		Where("timeframe_start < ? AND timeframe_end > ? AND (customer_id IS NULL OR customer_id = ?)", of.End, of.Start, customerID).
		Where("(closed AND close_time >= ? OR reverted_at >= ?)", since, since).Count(&count).Error
	return count > 0, err
}
