package usage

import (
	"database/sql"
	"errors"
	"fmt"

	"tollkeeper/store"
)

// Changes counts how often the history of the account's usage changed: events that count
// otherwise than they did when they came.
func Changes(tx *store.Tx) (n int64, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), "SELECT changes FROM usage_history WHERE account_id = $1", tx.AccountID).Scan(&n)
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return 0, fmt.Errorf("read how often usage changed: %w", err)
	}
	return n, nil
}
