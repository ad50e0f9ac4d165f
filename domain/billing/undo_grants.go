package billing

import (
	"tollkeeper/domain/allocation"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// undoGrants forgets the grants whose period the terms do not have any more, if nothing was spent of them
// and no invoice charges for them. If the period comes back it is granted and charged again (semantics
// 11.2.5).
func undoGrants(tx *store.Tx, t subscription.Terms) error {
	if !t.GrantsCredits() {
		return nil
	}
	lapsed, err := allocation.Lapsed(tx, t)
	if err != nil || len(lapsed) == 0 {
		return err
	}
	b, err := readHistory(tx, tx.DB, t.ID)
	if err != nil {
		return err
	}
	for _, g := range lapsed {
		spent, err := spentOf(tx, g)
		if err != nil {
			return err
		}
		if spent || b.Charges(g.IntervalID, g.StartAt) {
			continue
		}
		if err := g.Undo(tx); err != nil {
			return err
		}
	}
	return nil
}
