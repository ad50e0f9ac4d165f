package migration

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/due"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Step is a migration's work on one subscription.
type Step struct {
	store.Record
	MigrationID    string
	SubscriptionID string
	DueAt          *time.Time // nil: done, or canceled
	Scheduled      bool       `gorm:"column:placed"` // DueAt is when it is to happen, not when that is to be found out
	DoneAt         *time.Time
	Failure        *string // why it did not happen; nil: it did, or there was nothing to do

	Migration Migration `gorm:"-"`
}

// TableName is the table of steps.
func (Step) TableName() string { return "plan_migration_moves" }

// free is the condition that no parked unit holds up a step.
var free = due.Billing.FreeSubscription("plan_migration_moves.account_id",
	`(SELECT customer_id FROM subscriptions AS s WHERE s.account_id = plan_migration_moves.account_id AND s.id = plan_migration_moves.subscription_id)`,
	"plan_migration_moves.subscription_id")

// NextStep returns the earliest instant, at or before by, at which a migration has
// something to do about a subscription.
func NextStep(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next step of a migration")
	var dates []time.Time
	err = tx.Model(&Step{}).Where("due_at <= ?", by).Where(free).Order("due_at, seq").Limit(1).Pluck("due_at", &dates).Error
	if err != nil || len(dates) == 0 {
		return at, false, err
	}
	return dates[0].UTC(), true, nil
}

// LockStep returns the step due first, at or before tx.Now, and keeps others from it and
// its migration from being canceled. It is false when none is due, or another server is
// at work on all that are.
func LockStep(tx *store.Tx) (_ Step, _ bool, err error) {
	defer fault.Doing(&err, "lock the next step of a migration")
	var steps []Step
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).Where("due_at <= ?", tx.Now).Where(free).Order("due_at, seq").Limit(1).Find(&steps).Error
	if err != nil || len(steps) == 0 {
		return Step{}, false, err
	}
	step := steps[0]
	due.Concern(tx, due.Subject{SubscriptionID: &step.SubscriptionID})
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthShare}).Where("id = ?", step.MigrationID).Take(&step.Migration).Error
	return step, true, err
}

// Schedule finds out when the step is to happen, and reports whether that is later than
// now: it waits until then.
func (s *Step) Schedule(tx *store.Tx) (waits bool, err error) {
	if s.Scheduled {
		return false, nil
	}
	t, err := subscription.Find(tx, s.SubscriptionID)
	if err != nil {
		return false, err
	}
	at, err := s.Migration.effectiveAt(t, tx.Now)
	if err != nil {
		return false, err
	}
	s.DueAt, s.Scheduled = &at, true
	return at.After(tx.Now), s.save(tx)
}

// Finish notes that the step happened, or why it did not.
func (s *Step) Finish(tx *store.Tx, refusal *fault.Fault) error {
	s.DueAt, s.DoneAt = nil, &tx.Now
	if refusal != nil {
		s.Failure = &refusal.Detail
	}
	return s.save(tx)
}

func (s *Step) save(tx *store.Tx) error {
	return tx.Model(s).Select("due_at", "placed", "done_at", "failure").Updates(s).Error
}
