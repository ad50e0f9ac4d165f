package webhook

import (
	"database/sql"
	"errors"
	"fmt"

	"tollkeeper/store"
)

// LookedTo returns the mark of the search for events without a customer: the seq up to which the
// account's events were examined. Wanted is false if no endpoint subscribes to such events.
func LookedTo(tx *store.Tx) (mark int64, wanted bool, err error) {
	return looked(tx, "SELECT mark FROM unmatched_marks WHERE account_id = $1")
}

// LockLooked is LookedTo with a lock of the mark. Free is also false while another transaction has the
// lock.
func LockLooked(tx *store.Tx) (mark int64, free bool, err error) {
	return looked(tx, "SELECT mark FROM unmatched_marks WHERE account_id = $1 FOR UPDATE SKIP LOCKED")
}

func looked(tx *store.Tx, statement string) (mark int64, found bool, err error) {
	err = tx.Conn().QueryRowContext(tx.Context(), statement, tx.AccountID).Scan(&mark)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	return mark, err == nil, err
}

// Looked moves the mark of LookedTo.
func Looked(tx *store.Tx, mark int64) error {
	return tx.Exec("UPDATE unmatched_marks SET mark = ? WHERE account_id = ?", mark, tx.AccountID).Error
}

// StopLooking deletes the mark, because no endpoint subscribes to such events any longer.
func StopLooking(tx *store.Tx) error {
	return tx.Exec("DELETE FROM unmatched_marks WHERE account_id = ?", tx.AccountID).Error
}

// startLooking sets the mark if the endpoint subscribes to such events. The search begins with events
// from now on.
func (e Endpoint) startLooking(tx *store.Tx) error {
	if !e.Enabled || !e.Wants(EventUnmatched) && !e.Wants(IngestionUnmatchedCustomer) {
		return nil
	}
	err := tx.Exec(`
		INSERT INTO unmatched_marks (account_id, mark) VALUES (?, event_horizon())
		ON CONFLICT DO NOTHING`, tx.AccountID).Error
	if err != nil {
		return fmt.Errorf("begin to look for unmatched events: %w", err)
	}
	return nil
}
