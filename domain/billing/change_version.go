package billing

import (
	"errors"
	"time"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// NextMove returns the earliest instant, at or before by, at which a migration of a plan
// has something to do about a subscription.
func NextMove(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	return subscription.NextMove(tx, by)
}

// MoveNext puts the subscription whose move came first on the version that it is to be
// on. One that cannot be, it leaves as it is and says why. It reports false when none has
// come.
func MoveNext(tx *store.Tx) (more bool, err error) {
	move, found, err := subscription.LockMove(tx)
	if err != nil || !found {
		return false, err
	}
	if waits, err := move.Place(tx); err != nil || waits {
		return true, err
	}
	err = tx.Try(func(tx *store.Tx) error {
		_, err := change(tx, move.SubscriptionID, true, func(t subscription.Terms, _ history) error {
			return subscription.MoveTo(tx, t, move.Migration.PlanID, move.Migration.ToVersion)
		})
		return err
	})
	var refusal *fault.Fault
	if err != nil && !errors.As(err, &refusal) {
		return true, err
	}
	return true, move.Finish(tx, refusal)
}
