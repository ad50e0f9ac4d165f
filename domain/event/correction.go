package event

import (
	"fmt"
	"time"

	"tollkeeper/store"
)

// Correction is what an event was before it was changed.
type Correction struct {
	store.Record
	Kind           CorrectionKind
	IdempotencyKey string
	EventSeq       int64
	CustomerID     string // against whose limit it counts
	EventName      string // as it was
	Properties     string // likewise, as JSON
}

// TableName is what the table of corrections is called.
func (Correction) TableName() string { return "event_corrections" }

// CorrectionKind is what was done to an event.
type CorrectionKind string

// The ways to correct an event.
const (
	CorrectionAmended    CorrectionKind = "amended"
	CorrectionDeprecated CorrectionKind = "deprecated"
)

// CountCorrections counts those of one kind that were made of a customer's events after
// an instant.
func CountCorrections(tx *store.Tx, kind CorrectionKind, customerID string, after time.Time) (made int64, err error) {
	err = tx.Model(&Correction{}).
		Where("kind = ? AND customer_id = ? AND created_at > ?", kind, customerID, after).Count(&made).Error
	if err != nil {
		return 0, fmt.Errorf("count corrections: %w", err)
	}
	return made, nil
}

// Amend gives an event that is locked the name and the properties of another, and keeps
// what it had. Whether that is allowed and what counts then is for the caller to see to.
func (e Stored) Amend(tx *store.Tx, customerID string, to Event) error {
	return e.change(tx, CorrectionAmended, customerID, "event_name = ?, properties = ?::jsonb", to.Name, to.Properties)
}

// Deprecate takes an event that is locked out of the count, with the same left to the
// caller.
func (e Stored) Deprecate(tx *store.Tx, customerID string) error {
	return e.change(tx, CorrectionDeprecated, customerID, "deprecated = true")
}

// change keeps what the event is, and changes its row in place.
func (e Stored) change(tx *store.Tx, kind CorrectionKind, customerID, set string, args ...any) error {
	err := tx.Create(&Correction{
		Record: tx.Record("correction"), Kind: kind, IdempotencyKey: e.Key, EventSeq: e.Seq, CustomerID: customerID,
		EventName: e.Name, Properties: e.Properties,
	}).Error
	if err != nil {
		return fmt.Errorf("keep what an event was: %w", err)
	}
	args = append(args, tx.AccountID, e.Seq, e.Timestamp)
	err = tx.Exec("UPDATE events SET "+set+` WHERE account_id = ? AND seq = ? AND "timestamp" = ?`, args...).Error
	if err != nil {
		return fmt.Errorf("change an event: %w", err)
	}
	return nil
}
