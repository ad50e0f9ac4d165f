package backfill

import (
	"time"

	"tollkeeper/domain/due"
	"tollkeeper/domain/usage"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Close ends the taking of events before the clock does it, and puts the backfill into
// effect. It is still pending then; CloseNext makes it reflected. One that is not open
// is refused.
func Close(tx *store.Tx, id string) (Backfill, error) {
	b, err := lock(tx, id)
	if err == nil && !b.open(tx.Now) {
		err = fault.Refused("only an open backfill can be closed")
	}
	if err != nil {
		return Backfill{}, err
	}
	b.CloseTime = tx.Now
	return b, b.close(tx)
}

// close puts the backfill, which is locked, into effect.
func (b *Backfill) close(tx *store.Tx) error {
	revision, err := b.revision(tx)
	if err != nil {
		return err
	}
	if err := usage.Apply(tx, revision); err != nil {
		return err
	}
	b.Closed = true
	return tx.Model(b).Select("close_time", "closed").Updates(b).Error
}

// NextClosing returns the earliest instant, at or before by, at which a backfill
// closes by itself, or was closed and is not reflected.
func NextClosing(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	b, found, err := next(tx.DB, StatusPending, "close_time", by)
	return b.CloseTime.UTC(), found, err
}

// CloseNext brings the backfill to its end that closes first. It reports false when none
// does by now, or others are at work on all that do.
func CloseNext(tx *store.Tx) (more bool, err error) {
	b, found, err := next(tx.Clauses(skipLocked), StatusPending, "close_time", tx.Now)
	if err != nil || !found {
		return false, err
	}
	due.Concern(tx, due.Subject{CustomerID: b.CustomerID})
	if !b.Closed {
		if err := b.close(tx); err != nil {
			return false, err
		}
	}
	b.Status = StatusReflected
	webhook.Announce(tx, webhook.BackfillReflected, b.ID, nil)
	return true, tx.Model(&b).Select("status").Updates(&b).Error
}
