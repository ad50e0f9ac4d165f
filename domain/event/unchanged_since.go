package event

import (
	"fmt"
	"time"

	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// UnchangedSince reports whether a customer's events of a period are those that they were before
// an instant: none was taken in then or later, none corrected, and none dropped. Without
// subjects those that were taken in do not matter. What backfills did is for the package of
// backfills to say.
func UnchangedSince(tx *store.Tx, customerID string, subjects []string, of period.Period, since time.Time) (held bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `
		SELECT NOT EXISTS (SELECT FROM events
			WHERE account_id = $1 AND subject = ANY($3) AND "timestamp" >= $4 AND "timestamp" < $5 AND ingested_at >= $6)
		AND NOT EXISTS (SELECT FROM event_corrections c JOIN events e ON e.account_id = c.account_id AND e.seq = c.event_seq
			WHERE c.account_id = $1 AND c.customer_id = $2 AND c.created_at >= $6 AND e."timestamp" >= $4 AND e."timestamp" < $5)
		AND NOT EXISTS (SELECT FROM `+DroppedMonths+` WHERE start_at < $5 AND end_at > $4)`,
		tx.AccountID, customerID, subjects, of.Start, of.End, since).Scan(&held)
	if err != nil {
		return false, fmt.Errorf("look for later events: %w", err)
	}
	return held, nil
}
