package credit

import (
	"slices"

	"gorm.io/gorm"

	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// GiveBack returns to the blocks that were drawn last what credits paid of a line above
// a bound, by amendments (semantics 10.2.5). The ledger is locked; what is still pending
// of the line is to be worked out before. What goes to a block that has expired expires
// as the ledger is worked out next.
func GiveBack(tx *store.Tx, ledger *Ledger, lineID string, bound money.Decimal) error {
	var entries []Entry
	if err := ofLedger(tx, ledger.CustomerID, ledger.Currency).Where("line_id = ?", lineID).Order("sequence DESC").Find(&entries).Error; err != nil {
		return err
	}
	surplus := bound.Neg()
	given := map[string]money.Decimal{} // by block and day, in amendments
	for _, e := range entries {
		surplus = surplus.Sub(e.Kind.effect(e.Amount))
		if e.Kind == KindAmendment {
			given[e.BlockID+e.Day.String()] = given[e.BlockID+e.Day.String()].Add(e.Amount)
		}
	}
	for _, e := range entries {
		if surplus.Sign() <= 0 {
			break
		}
		amount := money.Min(surplus, e.Amount.Sub(given[e.BlockID+e.Day.String()]))
		if e.Kind != KindDecrement || amount.Sign() <= 0 {
			continue
		}
		if err := ledger.amend(tx, e, amount); err != nil {
			return err
		}
		surplus = surplus.Sub(amount)
	}
	return ledger.save(tx)
}

// amend gives back to its block a part of what an entry drew.
func (l *Ledger) amend(tx *store.Tx, of Entry, amount money.Decimal) error {
	var block Block
	if err := tx.Where("id = ?", of.BlockID).Take(&block).Error; err != nil {
		return err
	}
	block.Balance = block.Balance.Add(amount)
	if err := tx.Model(&block).Select("balance").Updates(&block).Error; err != nil {
		return err
	}
	if block.ExpiresAt != nil {
		l.dueBy(tx.Now)
	}
	return l.append(tx, &Entry{
		Kind: KindAmendment, Status: EntryCommitted, Amount: amount, Block: block,
		Day: of.Day, LineID: of.LineID, InvoiceID: of.InvoiceID, PriceID: of.PriceID,
	})
}

// Paid tells what credits paid of each of those lines for some local days, by its id.
func Paid(tx *store.Tx, lineIDs []string, of Days) (map[string]money.Decimal, error) {
	paid := map[string]money.Decimal{}
	if len(lineIDs) == 0 {
		return paid, nil
	}
	var entries []Entry
	err := tx.Where("line_id IN ?", lineIDs).Find(&entries).Error
	for _, e := range entries {
		if !of.has(*e.Day) {
			continue
		}
		paid[*e.LineID] = paid[*e.LineID].Sub(e.Kind.effect(e.Amount))
	}
	return paid, err
}

// PaidOfAll is Paid for all lines there are.
func PaidOfAll(tx *store.Tx) (map[string]money.Decimal, error) {
	var rows []struct {
		LineID string
		Paid   money.Decimal
	}
	err := tx.Model(&Entry{}).Select("line_id, sum(CASE kind WHEN 'decrement' THEN amount ELSE -amount END) AS paid").
		Where("line_id IS NOT NULL").Group("line_id").Find(&rows).Error
	paid := make(map[string]money.Decimal, len(rows))
	for _, row := range rows {
		paid[row.LineID] = row.Paid
	}
	return paid, err
}

// LinesEverPaid is a sub-query for the lines that credits paid for.
func LinesEverPaid(tx *store.Tx) *gorm.DB {
	return tx.Model(&Entry{}).Select("line_id").Where("line_id IS NOT NULL")
}

// LinesPaid are the ids of the lines of an invoice that credits paid for, by unit.
func LinesPaid(tx *store.Tx, invoiceID string) (map[money.Currency][]string, error) {
	var entries []Entry
	err := tx.Where("invoice_id = ? AND kind = ?", invoiceID, KindDecrement).Order("sequence").Find(&entries).Error
	lines := map[money.Currency][]string{}
	for _, e := range entries {
		if !slices.Contains(lines[e.Currency], *e.LineID) {
			lines[e.Currency] = append(lines[e.Currency], *e.LineID)
		}
	}
	return lines, err
}
