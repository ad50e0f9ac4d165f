package subscription

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/fault"
	"tollkeeper/store"
)

// Move is a migration's work on one subscription.
type Move struct {
	store.Record
	MigrationID    string
	SubscriptionID string
	DueAt          *time.Time // nil: done, or canceled
	Placed         bool       // DueAt is when it is to happen, not when that is to be found out
	DoneAt         *time.Time
	Failure        *string // why it did not happen; nil: it did, or there was nothing to do

	Migration Migration `gorm:"-"`
}

// TableName is the table of moves.
func (Move) TableName() string { return "plan_migration_moves" }

// NextMove returns the earliest instant, at or before by, at which a migration has
// something to do about a subscription.
func NextMove(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	var due []time.Time
	err = tx.Model(&Move{}).Where("due_at <= ?", by).Order("due_at, seq").Limit(1).Pluck("due_at", &due).Error
	if err != nil || len(due) == 0 {
		return at, false, err
	}
	return due[0].UTC(), true, nil
}

// LockMove returns the move due first, at or before tx.Now, and keeps others from it and
// its migration from being canceled. It is false when none is due, or another server is
// at work on all that are.
func LockMove(tx *store.Tx) (Move, bool, error) {
	var due []Move
	err := tx.Clauses(forUpdateSkipLocked).Where("due_at <= ?", tx.Now).Order("due_at, seq").Limit(1).Find(&due).Error
	if err != nil || len(due) == 0 {
		return Move{}, false, err
	}
	move := due[0]
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Where("id = ?", move.MigrationID).Take(&move.Migration).Error
	return move, true, err
}

// Place finds out when the move is to happen, and reports whether that is later than
// now: it waits for that then.
func (m *Move) Place(tx *store.Tx) (waits bool, err error) {
	if m.Placed {
		return false, nil
	}
	t, err := Find(tx, m.SubscriptionID)
	if err != nil {
		return false, err
	}
	at, err := m.Migration.moment(t, tx.Now)
	if err != nil {
		return false, err
	}
	m.DueAt, m.Placed = &at, true
	return at.After(tx.Now), m.save(tx)
}

// Finish notes that the move happened, or why it did not.
func (m *Move) Finish(tx *store.Tx, refusal *fault.Fault) error {
	m.DueAt, m.DoneAt = nil, &tx.Now
	if refusal != nil {
		m.Failure = &refusal.Detail
	}
	return m.save(tx)
}

func (m *Move) save(tx *store.Tx) error {
	return tx.Model(m).Select("due_at", "placed", "done_at", "failure").Updates(m).Error
}
