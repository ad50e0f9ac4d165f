package credit

import (
	"maps"
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// LimitExpiry lets blocks, by id, expire at other instants than they would; nil is never. None
// expires before it takes effect, and what has expired by now stays so.
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
		if err := tx.Model(&b).Select("expires_at").Updates(&b).Error; err != nil {
			return err
		}
		l.dueBy(tx.Now)
	}
	return l.save(tx)
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
