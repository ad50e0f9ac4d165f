package credit

import (
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// Activate makes the credits count that were to be paid for by an invoice, which now is:
// from their day on, when the ledger is worked out next.
func Activate(tx *store.Tx, invoiceID string) error {
	return eachSold(tx, invoiceID, func(ledger *Ledger, block Block) error {
		if block.Status != BlockPendingPayment || block.DeletedAt != nil || block.Balance.IsZero() {
			return nil
		}
		block.Status = BlockActive
		if err := tx.Model(&block).Select("status").Updates(&block).Error; err != nil {
			return err
		}
		ledger.dueBy(block.nextDue(tx.Now))
		return commitIncrement(tx, block)
	})
}

// SoldBy returns the blocks that an invoice sold.
func SoldBy(tx *store.Tx, invoiceID string) (blocks []Block, err error) {
	err = tx.Where("invoice_id = ?", invoiceID).Order("id").Find(&blocks).Error
	return blocks, err
}

// eachSold calls do with each block that an invoice sold and its locked ledger.
func eachSold(tx *store.Tx, invoiceID string, do func(*Ledger, Block) error) error {
	blocks, err := SoldBy(tx, invoiceID)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		ledger, err := Lock(tx, b.CustomerID, b.Currency)
		if err != nil {
			return err
		}
		if err := tx.Where("id = ?", b.ID).Take(&b).Error; err != nil { // as it is by now
			return err
		}
		if err := do(ledger, b); err != nil {
			return err
		}
		if err := ledger.save(tx); err != nil {
			return err
		}
	}
	return nil
}

// commitIncrement commits the entry that waited for the payment of a block.
func commitIncrement(tx *store.Tx, block Block) error {
	return tx.Model(&Entry{}).Where("block_id = ? AND kind = ? AND status = ?", block.ID, KindIncrement, EntryPending).
		Update("status", EntryCommitted).Error
}

// Delete takes a block out of its ledger: what it paid of lines that are not invoiced yet
// it has not paid, and what it has left is void. Issued invoices stay as they are
// (semantics 10.3.10). What others pay instead is seen when the ledger is worked out
// next, which it has to be before this, too.
func Delete(tx *store.Tx, ledger *Ledger, block Block, open func(lineID string) bool) error {
	block.DeletedAt = &tx.Now
	if err := tx.Model(&block).Select("deleted_at").Updates(&block).Error; err != nil {
		return err
	}
	var entries []Entry
	if err := tx.Where("block_id = ? AND line_id IS NOT NULL", block.ID).Order("sequence").Find(&entries).Error; err != nil {
		return err
	}
	for k := range entries {
		if !open(*entries[k].LineID) || entries[k].Kind != KindDecrement {
			continue
		}
		if err := ledger.undo(tx, entries[k], entries); err != nil {
			return err
		}
	}
	if err := tx.Where("id = ?", block.ID).Take(&block).Error; err != nil {
		return err
	}
	if block.Balance.Sign() > 0 {
		if _, err := ledger.void(tx, block, block.Balance, nil, Note{}); err != nil {
			return err
		}
	}
	if err := commitIncrement(tx, block); err != nil {
		return err
	}
	ledger.dueBy(tx.Now)
	return ledger.save(tx)
}

// undo makes an entry that paid for a day one of nothing while it is pending, and amends
// it for what was not given back after that.
func (l *Ledger) undo(tx *store.Tx, e Entry, ofBlock []Entry) error {
	amount := e.Amount
	if e.Status == EntryCommitted {
		for _, other := range ofBlock {
			if other.Kind == KindAmendment && *other.LineID == *e.LineID && *other.Day == *e.Day {
				amount = amount.Sub(other.Amount)
			}
		}
		if amount.Sign() <= 0 {
			return nil
		}
		_, err := l.amend(tx, e, amount)
		return err
	}
	if err := tx.Where("id = ?", e.ID).Take(&e).Error; err != nil {
		return err
	}
	e.Amount = money.Decimal{}
	if err := l.restate(tx, &e, money.Decimal{}); err != nil {
		return err
	}
	var block Block
	if err := tx.Where("id = ?", e.BlockID).Take(&block).Error; err != nil {
		return err
	}
	block.Balance = block.Balance.Add(amount)
	return tx.Model(&block).Select("balance").Updates(&block).Error
}
