package usage

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

// AnyFor tells whether any event names one of the subjects.
func AnyFor(tx *store.Tx, subjects []string) (found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(),
		"SELECT EXISTS (SELECT FROM events WHERE account_id = $1 AND subject = ANY($2))", tx.AccountID, subjects).Scan(&found)
	if err != nil {
		return false, fmt.Errorf("look for events of a customer: %w", err)
	}
	return found, nil
}
