package store

import (
	"errors"

	"gorm.io/gorm"
)

// Try runs fn so that only it is undone if it fails, and the transaction goes on.
func (tx *Tx) Try(fn func(tx *Tx) error) error {
	noted := len(*tx.notes)
	err := tx.Transaction(func(db *gorm.DB) error {
		return fn(&Tx{DB: db, AccountID: tx.AccountID, Now: tx.Now, AuditID: tx.AuditID, Origin: tx.Origin, Mailed: tx.Mailed, notes: tx.notes})
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
