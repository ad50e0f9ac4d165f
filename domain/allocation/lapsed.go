package allocation

import (
	"tollkeeper/domain/credit"
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

// Undo forgets a grant, with its reductions. If the terms have its period again, that is granted again.
func (g Grant) Undo(tx *store.Tx) error {
	return tx.Where("id = ?", g.ID).Delete(&Grant{}).Error
}
