package invoice

import (
	"tollkeeper/domain/credit"
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

// voidPurchased takes back what is left of the credits that an invoice sold, which is void
// (semantics 8.1.15).
func (i Invoice) voidPurchased(tx *store.Tx) error {
	if i.Source != SourceOneOff {
		return nil
	}
	if err := i.endTopUp(tx); err != nil {
		return err
	}
	if err := i.updateLedgerOfPurchase(tx); err != nil { // what usage has drawn stays drawn
		return err
	}
	if err := credit.VoidSold(tx, i.ID); err != nil {
		return err
	}
	return i.updateLedgerOfPurchase(tx)
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
