package billing

import (
	"errors"
	"time"

	"tollkeeper/domain/migration"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NextMigration returns the earliest instant, at or before by, at which a plan migration has a
// step for a subscription.
func NextMigration(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next step of a migration")
	return migration.NextStep(tx, by)
}

// MigrateNext moves the subscription whose migration step is due longest to the other version of
// its plan. If the move is refused, the subscription does not change and the step records the
// reason. MigrateNext reports false when no step is due.
func MigrateNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "migrate the subscription that is due")
	step, found, err := migration.LockStep(tx)
	if err != nil || !found {
		return false, err
	}
	if waits, err := step.Schedule(tx); err != nil || waits {
		return true, err
	}
	err = tx.Try(func(tx *store.Tx) error {
		_, err := change(tx, step.SubscriptionID, true, func(t subscription.Terms, _ history) error {
			return subscription.MoveTo(tx, t, step.Migration.PlanID, step.Migration.ToVersion)
		})
		return err
	})
	var refusal *fault.Fault
	if err != nil && !errors.As(err, &refusal) {
		return true, err
	}
	return true, step.Finish(tx, refusal)
}
