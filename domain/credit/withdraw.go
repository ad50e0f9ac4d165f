package credit

import (
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
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

// Spent is how much of what a block began with paid for something, or was moved or voided: what it
// neither has left nor lost as it expired. In credits; below 0 where more came back to it.
func (b Block) Spent(tx *store.Tx) (spent money.Decimal, err error) {
	var entries []Entry
	err = tx.Where("block_id = ? AND kind = ?", b.ID, KindCreditBlockExpiry).Find(&entries).Error
	spent = b.InitialBalance.Sub(b.Balance)
	for _, e := range entries {
		spent = spent.Sub(e.Amount)
	}
	return spent, err
}

// TakeBack voids credits of a block, but no more than it has left, and returns how many. A block
// that has expired or was deleted has none. The ledger is locked and up to date.
func TakeBack(tx *store.Tx, ledger *Ledger, blockID string, amount money.Decimal) (taken money.Decimal, err error) {
	block, err := ledger.find(tx, blockID)
	if fault.Is(err, fault.KindMissing) {
		return taken, nil
	}
	if err != nil || block.expired(tx.Now) {
		return taken, err
	}
	taken = money.Max(money.Min(amount, block.Balance), money.Decimal{})
	if taken.Sign() == 0 {
		return taken, nil
	}
	if _, err := ledger.void(tx, block, taken, nil, Note{}); err != nil {
		return taken, err
	}
	return taken, ledger.save(tx)
}
