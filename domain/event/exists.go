package event

import (
	"fmt"

	"tollkeeper/store"
)

// Any tells whether the account ever took an event.
func Any(tx *store.Tx) (found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(),
		"SELECT EXISTS (SELECT FROM event_keys WHERE account_id = $1)", tx.AccountID).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for events: %w", err)
	}
	return found, nil
}
