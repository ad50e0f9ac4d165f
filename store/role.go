package store

import (
	"errors"
	"fmt"

	"gorm.io/gorm"
)

// As runs fn as another role of the database, which may do less than the server's, and
// goes back. It takes two round trips.
func (tx *Tx) As(role string, fn func() error) error {
	if err := tx.become(role); err != nil {
		return err
	}
	err := fn()
	if back := tx.become(appRole); err == nil {
		err = back
	}
	return err
}

func (tx *Tx) become(role string) error {
	if _, err := tx.Conn().ExecContext(tx.Context(), "SELECT set_config('role', $1, true)", role); err != nil {
		return fmt.Errorf("become %s: %w", role, err)
	}
	return nil
}

// Try runs fn so that only it is undone if it fails, and the transaction goes on.
func (tx *Tx) Try(fn func(tx *Tx) error) error {
	noted := len(*tx.notes)
	err := tx.Transaction(func(db *gorm.DB) error {
		return fn(&Tx{DB: db, AccountID: tx.AccountID, Now: tx.Now, notes: tx.notes})
	})
	if err != nil {
		*tx.notes = (*tx.notes)[:noted]
	}
	return err
}

// errRehearsed ends a rehearsal.
var errRehearsed = errors.New("store: rehearsed")

// Rehearse is Try that undoes fn also if it does not fail.
func (tx *Tx) Rehearse(fn func(tx *Tx) error) error {
	err := tx.Try(func(tx *Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		return errRehearsed
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}
