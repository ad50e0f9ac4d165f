package credit

import (
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Withdraw makes final what a block lost as it expired, and returns that in credits: usage that
// comes later does not draw on it. The ledger is locked and up to date.
func Withdraw(tx *store.Tx, ledger *Ledger, blockID string) (lost money.Decimal, err error) {
	var entries []Entry
	err = ofLedger(tx, ledger.CustomerID, ledger.Currency).
		Where("block_id = ? AND kind = ?", blockID, KindCreditBlockExpiry).Order("sequence").Find(&entries).Error
	for k := range entries {
		e := &entries[k]
		lost = lost.Add(e.Amount)
		if err == nil && e.Status == EntryPending {
			e.Status, e.CommitAt = EntryCommitted, &tx.Now
			err = tx.Model(e).Select("status", "commit_at").Updates(e).Error
		}
	}
	return lost, err
}
