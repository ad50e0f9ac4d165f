package invoice

import (
	"slices"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/topup"
	"tollkeeper/store"
)

// activatePurchased makes the credits count that an invoice sold, which was paid.
func (i Invoice) activatePurchased(tx *store.Tx) error {
	if i.Source != SourceOneOff {
		return nil
	}
	if err := credit.Activate(tx, i.ID); err != nil {
		return err
	}
	return i.updateLedgerOfPurchase(tx)
}

// voidPurchased takes the credits that an invoice sold, which is void, out of their ledger (semantics 8.1.15).
func (i Invoice) voidPurchased(tx *store.Tx) error {
	if i.Source != SourceOneOff {
		return nil
	}
	if err := i.endTopUp(tx); err != nil {
		return err
	}
	blocks, err := credit.SoldBy(tx, i.ID)
	if err != nil {
		return err
	}
	for _, block := range blocks {
		if block.DeletedAt != nil {
			continue
		}
		if err := DeleteBlock(tx, block); err != nil {
			return err
		}
	}
	return nil
}

// DeleteBlock takes a block of credits out of its ledger. What it paid of lines that are not invoiced yet is
// billed again; issued invoices stay as they are (semantics 10.3.10). The invoice that sold it is locked.
func DeleteBlock(tx *store.Tx, block credit.Block) error {
	if err := subscription.Accrued(tx, []string{block.CustomerID}); err != nil { // before the ledger
		return err
	}
	if err := BurnDownLedger(tx, block.CustomerID, block.Currency, ""); err != nil {
		return err
	}
	ledger, err := credit.Lock(tx, block.CustomerID, block.Currency)
	if err != nil {
		return err
	}
	days, err := CalendarOf(tx, block.CustomerID)
	if err != nil {
		return err
	}
	d, err := CreditDemandOf(tx, block.CustomerID, block.Currency, days, "")
	if err != nil {
		return err
	}
	open := func(lineID string) bool { _, asks := d.Whole[lineID]; return asks }
	if err := credit.Delete(tx, ledger, block, open); err != nil {
		return err
	}
	return BurnDownLedger(tx, block.CustomerID, block.Currency, "")
}

// soldBlock returns the oldest block of credits that an invoice sold and that is still there, by id; "" if there is
// none.
func (i Invoice) soldBlock(tx *store.Tx) (id string, err error) {
	if i.Source != SourceOneOff {
		return "", nil
	}
	blocks, err := credit.SoldBy(tx, i.ID)
	blocks = slices.DeleteFunc(blocks, func(b credit.Block) bool { return b.DeletedAt != nil })
	if err != nil || len(blocks) == 0 {
		return "", err
	}
	return slices.MinFunc(blocks, func(a, b credit.Block) int { return a.CreatedAt.Compare(b.CreatedAt) }).ID, nil
}

// updateLedgerOfPurchase brings the ledgers up to date that an invoice sold credits of.
func (i Invoice) updateLedgerOfPurchase(tx *store.Tx) error {
	blocks, err := credit.SoldBy(tx, i.ID)
	if err != nil || len(blocks) == 0 {
		return err
	}
	return BurnDownLedger(tx, i.CustomerID, blocks[0].Currency, "")
}

// Discard deletes a draft that is of no subscription, with its lines.
func (i Invoice) Discard(tx *store.Tx) error {
	added, err := AddedTo(tx, []string{i.ID})
	if err != nil {
		return err
	}
	for _, l := range added[i.ID] {
		if err := DeleteLine(tx, i.ID, l.ID); err != nil {
			return err
		}
	}
	return tx.Where("id = ?", i.ID).Delete(&Invoice{}).Error
}

// CreditWhole gives back what an invoice still charges.
func (i Invoice) CreditWhole(tx *store.Tx) error {
	lines, err := LinesOf(tx, []string{i.ID})
	if err != nil {
		return err
	}
	notes, err := creditNotesOf(tx, []string{i.ID})
	if err != nil {
		return err
	}
	if err := Complete(tx, notes[i.ID]); err != nil {
		return err
	}
	var rest []CreditedLine
	for _, l := range lines[i.ID] {
		left := l.Amount
		for _, note := range notes[i.ID] {
			for _, taken := range note.Lines {
				if note.VoidedAt == nil && taken.InvoiceLineID == l.ID {
					left = left.Sub(taken.Amount)
				}
			}
		}
		if left.Sign() > 0 {
			rest = append(rest, CreditedLine{LineID: l.ID, Amount: left})
		}
	}
	if len(rest) == 0 {
		return nil
	}
	_, err = Credit(tx, i.ID, rest)
	return err
}

// endTopUp ends the top-up whose credits an invoice sold, which is void: a new one has to
// be made (semantics 11.1.2).
func (i Invoice) endTopUp(tx *store.Tx) error {
	blocks, err := credit.SoldBy(tx, i.ID)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		if b.Source != credit.SourceTopUp {
			continue
		}
		if err := topup.Deactivate(tx, *b.OriginID); err != nil {
			return err
		}
	}
	return nil
}
