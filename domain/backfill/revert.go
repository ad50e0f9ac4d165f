package backfill

import (
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/due"
	"tollkeeper/domain/event"
	"tollkeeper/domain/usage"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Revert takes a backfill back, once. An open one is reverted by that; one that was
// closed is about to be, and RevertNext does it (semantics 3.1.10).
func Revert(tx *store.Tx, id string) (Backfill, error) {
	if _, err := account.InTurn(tx); err != nil { // as Create does: it may be pending again
		return Backfill{}, err
	}
	b, err := lock(tx, id)
	if err != nil {
		return Backfill{}, err
	}
	if b.Status != StatusPending && b.Status != StatusReflected {
		return Backfill{}, fault.Refused("this backfill is reverted already, or about to be")
	}
	status := StatusReverted
	if !b.open(tx.Now) {
		if err := event.RefuseDropped(tx, b.Timeframe()); err != nil {
			return Backfill{}, err
		}
		status = StatusPendingRevert
		if !b.Closed { // its time is over, and it was not closed yet
			if err := b.close(tx); err != nil {
				return Backfill{}, err
			}
		}
	}
	b.Status, b.RevertedAt = status, &tx.Now
	if status == StatusReverted {
		webhook.Announce(tx, webhook.BackfillReverted, b.ID, nil)
	}
	return b, apart(tx.Model(&b).Select("status", "reverted_at").Updates(&b).Error)
}

// NextRevert returns the earliest instant, at or before by, at which a revert was asked
// for that is not done.
func NextRevert(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	b, found, err := next(tx.DB, StatusPendingRevert, "reverted_at", by)
	if err != nil || !found {
		return at, false, err
	}
	return b.RevertedAt.UTC(), true, nil
}

// RevertNext takes the effects of a backfill back. It reports false when no revert waits, or
// others are at work on all that do.
func RevertNext(tx *store.Tx) (more bool, err error) {
	b, found, err := next(tx.Clauses(skipLocked), StatusPendingRevert, "reverted_at", tx.Now)
	if err != nil || !found {
		return false, err
	}
	due.Concern(tx, due.Subject{CustomerID: b.CustomerID})
	if err := usage.Revert(tx, b.ID); err != nil {
		return false, err
	}
	b.Status = StatusReverted
	webhook.Announce(tx, webhook.BackfillReverted, b.ID, nil)
	return true, tx.Model(&b).Select("status").Updates(&b).Error
}
