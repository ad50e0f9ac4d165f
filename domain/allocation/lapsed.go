package allocation

import (
	"slices"
	"time"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Lapsed returns the grants of a subscription whose period the terms do not have any more, and whose
// credits expired for that alone: as they took effect. Grants whose block was deleted are not among them.
func Lapsed(tx *store.Tx, t subscription.Terms) (lapsed []Grant, err error) {
	given, err := grantsOf(tx, t.ID)
	if err != nil || len(given) == 0 {
		return nil, err
	}
	begun, _ := shares(t, tx.Now)
	for _, s := range begun {
		delete(given, s.key())
	}
	for _, g := range given {
		block, err := credit.FindBlock(tx, g.BlockID)
		if fault.Is(err, fault.KindMissing) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if block.ExpiresAt != nil && !block.ExpiresAt.After(block.EffectiveAt) {
			lapsed = append(lapsed, g)
		}
	}
	return lapsed, nil
}

// Undo forgets a grant, with its reductions. If the terms have its period again, that is granted, and reduced,
// again: what was taken back for the prices that reduced it is no longer.
func (g Grant) Undo(tx *store.Tx) error {
	var by []string
	if err := tx.Model(&Reduction{}).Where("grant_id = ? AND interval_id IS NOT NULL", g.ID).Order("interval_id").Pluck("interval_id", &by).Error; err != nil {
		return err
	}
	if err := tx.Where("grant_id = ?", g.ID).Delete(&Reduction{}).Error; err != nil {
		return err
	}
	for _, id := range slices.Compact(by) {
		var rest []Reduction
		if err := tx.Where("interval_id = ?", id).Find(&rest).Error; err != nil {
			return err
		}
		var sum *money.Decimal // nil: nothing was due yet
		for _, r := range rest {
			if sum == nil {
				sum = new(money.Decimal)
			}
			*sum = sum.Add(r.Amount)
		}
		if err := subscription.SetTakenBack(tx, id, sum); err != nil {
			return err
		}
	}
	return tx.Where("id = ?", g.ID).Delete(&Grant{}).Error
}

// withdraw lets the credits of a grant expire as they took effect, and forgets it.
func (g Grant) withdraw(tx *store.Tx) error {
	if err := credit.LimitExpiry(tx, map[string]*time.Time{g.BlockID: new(time.Time)}); err != nil {
		return err
	}
	return g.Undo(tx)
}

// misfits reports whether a grant of a share is of another amount than the terms grant now, with nothing spent of
// it: the price took the place of another then and does not any more, or it does now. Its fee is
// corrected for the same reason.
func (s share) misfits(tx *store.Tx, g Grant) (bool, error) {
	block, err := credit.FindBlock(tx, g.BlockID)
	if fault.Is(err, fault.KindMissing) {
		return false, nil
	}
	if err != nil || block.InitialBalance.Equal(s.Amount) {
		return false, err
	}
	spent, err := block.Spent(tx)
	if err != nil {
		return false, err
	}
	reduced, err := g.TakenBack(tx)
	return spent.Cmp(reduced) <= 0, err
}
