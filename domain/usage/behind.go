package usage

import (
	"database/sql"
	"errors"
	"fmt"
	"time"

	"tollkeeper/store"
)

// Behind returns when the first event was ingested that the account's buckets do not have yet, by the
// account's clock. Found is false where they have all.
func Behind(tx *store.Tx) (since time.Time, found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), `SELECT ingested_at FROM events
		WHERE account_id = $1 AND seq >= coalesce((SELECT mark FROM usage_progress WHERE account_id = $1), 0)
		ORDER BY seq LIMIT 1`, tx.AccountID).Scan(&since)
	if errors.Is(err, sql.ErrNoRows) {
		return time.Time{}, false, nil
	}
	if err != nil {
		return time.Time{}, false, fmt.Errorf("look how far buckets are behind: %w", err)
	}
	return since.UTC(), true, nil
}
