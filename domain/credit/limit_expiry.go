package credit

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// LimitExpiry lets blocks, by id, expire at other instants than they would; nil is never. None
// expires before it takes effect, and what has expired by now stays so. What a block paid of days
// on which it turns out not to have been in force any more stays paid: the entries are committed.
func LimitExpiry(tx *store.Tx, expiry map[string]*time.Time) error {
	var blocks []Block
	if err := tx.Where("id IN ?", slices.Sorted(maps.Keys(expiry))).Order("id").Find(&blocks).Error; err != nil {
		return err
	}
	late := map[money.Currency]string{} // whose blocks they are, by unit
	for _, b := range blocks {
		if at := b.bounded(expiry[b.ID]); !b.expired(tx.Now) && !equal(at, b.ExpiresAt) {
			late[b.Currency] = b.CustomerID
		}
	}
	for _, currency := range slices.Sorted(maps.Keys(late)) {
		ledger, err := Lock(tx, late[currency], currency)
		if err != nil {
			return err
		}
		if err := ledger.bound(tx, expiry); err != nil {
			return err
		}
	}
	return nil
}

// bound is [LimitExpiry] for the blocks of a ledger that is locked.
func (l *Ledger) bound(tx *store.Tx, expiry map[string]*time.Time) error {
	var blocks []Block
	err := ofLedger(tx, l.CustomerID, l.Currency).Where("id IN ?", slices.Collect(maps.Keys(expiry))).Find(&blocks).Error
	if err != nil {
		return err
	}
	for _, b := range blocks {
		at := b.bounded(expiry[b.ID])
		if b.expired(tx.Now) || equal(at, b.ExpiresAt) {
			continue
		}
		b.ExpiresAt = at
		if err := l.commitAfterExpiry(tx, b); err != nil {
			return err
		}
		if err := tx.Model(&b).Select("expires_at").Updates(&b).Error; err != nil {
			return err
		}
		l.dueBy(tx.Now)
	}
	return l.save(tx)
}

// commitAfterExpiry commits what a block paid of the local days that begin when it has expired. The
// ledger is locked, and up to date as of what was used before the block was made to expire.
func (l *Ledger) commitAfterExpiry(tx *store.Tx, b Block) error {
	if b.ExpiresAt == nil || b.ExpiresAt.After(tx.Now) {
		return nil
	}
	var paid []Entry
	err := tx.Where("block_id = ? AND kind = ? AND status = ? AND amount > 0", b.ID, KindDecrement, EntryPending).Order("sequence").Find(&paid).Error
	if err != nil || len(paid) == 0 {
		return err
	}
	buyers, err := customer.FindAll(tx, []string{b.CustomerID})
	if err != nil {
		return err
	}
	loc := buyers[b.CustomerID].Location()
	for _, e := range paid {
		if e.Day == nil || e.Day.In(loc).Before(*b.ExpiresAt) {
			continue
		}
		e.Status, e.CommitAt = EntryCommitted, &tx.Now
		if err := tx.Model(&e).Select("status", "commit_at").Updates(&e).Error; err != nil {
			return err
		}
	}
	return nil
}

// bounded is when the block would expire if that were at an instant.
func (b Block) bounded(at *time.Time) *time.Time {
	if at != nil && at.Before(b.EffectiveAt) {
		return &b.EffectiveAt
	}
	return at
}

func equal(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}
