package credit

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"gorm.io/gorm"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// GiveBackOfInvoice returns to the blocks that were drawn last what credits of a ledger paid of each line of an
// invoice above its bound, by line id, by amendments (semantics 10.2.5). The ledger is locked; what is still pending of
// the lines is to be worked out before. The ledger is due at once: what came back pays for overage of drafts, and what
// goes to a block that has expired expires. The entries are read together. Of most invoices nothing was paid too much.
func GiveBackOfInvoice(tx *store.Tx, ledger *Ledger, invoiceID string, bounds map[string]money.Decimal) error {
	var entries []Entry
	err := ofLedger(tx, ledger.CustomerID, ledger.Currency).Where("invoice_id = ? AND line_id IS NOT NULL", invoiceID).
		Order("sequence DESC").Find(&entries).Error
	if err != nil {
		return err
	}
	byLine := map[string][]Entry{}
	paid := map[string]money.Decimal{}
	var lines []string
	for _, e := range entries {
		byLine[*e.LineID] = append(byLine[*e.LineID], e)
		paid[*e.LineID] = paid[*e.LineID].Sub(e.Kind.effect(e.Amount))
	}
	for _, e := range slices.Backward(entries) { // by the number of their first one
		if e.Kind == KindDecrement && !slices.Contains(lines, *e.LineID) {
			lines = append(lines, *e.LineID)
		}
	}
	for _, id := range lines {
		bound := money.Max(bounds[id], money.Decimal{})
		if paid[id].Cmp(bound) <= 0 {
			continue
		}
		if err := ledger.giveBack(tx, byLine[id], bound, false); err != nil {
			return err
		}
	}
	return nil
}

// Parts are the lines that charge a price in parts, up to one of them.
type Parts struct {
	Earlier []string      // ids of the lines before it
	Bound   money.Decimal // what all of them amount to, in the unit of the ledger, 0 or more
}

// GiveBackOfParts returns what credits paid of lines, by id, and of the earlier parts that they go on from, above what
// these amount to together. A cycle that is invoiced in parts may fall in a later one (semantics 10.2.5). The
// entries that were drawn last, of whatever part, give back first.
func GiveBackOfParts(tx *store.Tx, ledger *Ledger, parts map[string]Parts) error {
	for _, id := range slices.Sorted(maps.Keys(parts)) {
		var entries []Entry
		err := ofLedger(tx, ledger.CustomerID, ledger.Currency).Where("line_id IN ?", append([]string{id}, parts[id].Earlier...)).
			Order("sequence DESC").Find(&entries).Error
		if err != nil {
			return err
		}
		if len(entries) == 0 {
			continue
		}
		if err := ledger.giveBack(tx, entries, parts[id].Bound, false); err != nil {
			return err
		}
	}
	return nil
}

// GiveBackVoid returns all that credits paid of a line whose invoice is void. What goes to
// a block that has expired, and pays for nothing else of its time, goes on to a block of
// its own as this ledger is worked out next (semantics 8.1.15).
func GiveBackVoid(tx *store.Tx, ledger *Ledger, lineID string) error {
	entries, err := ledger.paymentsOf(tx, lineID)
	if err != nil {
		return err
	}
	return ledger.giveBack(tx, entries, money.Decimal{}, true)
}

// GiveBackDay returns what committed entries paid of a line for a day that it does not
// charge any more: as GiveBackVoid if its invoice is void, else as GiveBack. What the blocks paid that
// keep names stays paid.
func GiveBackDay(tx *store.Tx, ledger *Ledger, lineID string, day period.Date, void bool, keep map[string]bool) error {
	entries, err := ledger.paymentsOf(tx, lineID)
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e Entry) bool { return *e.Day != day || e.Status != EntryCommitted || keep[e.BlockID] })
	return ledger.giveBack(tx, entries, money.Decimal{}, void)
}

// paymentsOf are the entries of a line, the newest first.
func (l *Ledger) paymentsOf(tx *store.Tx, lineID string) (entries []Entry, err error) {
	err = ofLedger(tx, l.CustomerID, l.Currency).Where("line_id = ?", lineID).Order("sequence DESC").Find(&entries).Error
	return entries, err
}

// giveBack amends what entries of a line, the newest first, paid above a bound.
func (l *Ledger) giveBack(tx *store.Tx, entries []Entry, bound money.Decimal, void bool) error {
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
		block, err := l.amend(tx, e, amount)
		if err != nil {
			return err
		}
		switch {
		case block.DeletedAt != nil: // they cannot be used
			if _, err := l.void(tx, block, amount, nil, Note{}); err != nil {
				return err
			}
		case void && block.expired(tx.Now):
			l.returned = append(l.returned, returned{e.BlockID, *e.Day, amount})
		}
		surplus = surplus.Sub(amount)
	}
	return l.save(tx)
}

// amend gives back to its block, which it returns, a part of what an entry drew.
func (l *Ledger) amend(tx *store.Tx, of Entry, amount money.Decimal) (block Block, err error) {
	if err := tx.Where("id = ?", of.BlockID).Take(&block).Error; err != nil {
		return block, err
	}
	block.Balance = block.Balance.Add(amount)
	if err := tx.Model(&block).Select("balance").Updates(&block).Error; err != nil {
		return block, err
	}
	l.dueBy(tx.Now) // they may pay for overage, or expire
	return block, l.append(tx, &Entry{
		Kind: KindAmendment, Status: EntryCommitted, Amount: amount, Block: block,
		Day: of.Day, LineID: of.LineID, InvoiceID: of.InvoiceID, PriceID: of.PriceID,
	})
}

// Paid tells what credits paid of each of those lines for some local days, by its id.
//
// Each line is looked for alone. Statistics may be of a time when credits had paid for no line yet; with
// them PostgreSQL would read all entries of the account for a few lines.
func Paid(tx *store.Tx, lineIDs []string, of Days) (map[string]money.Decimal, error) {
	paid := map[string]money.Decimal{}
	if len(lineIDs) == 0 {
		return paid, nil
	}
	rows, err := tx.Conn().QueryContext(tx.Context(), `
		SELECT e.line_id, sum(CASE e.kind WHEN 'decrement' THEN e.amount ELSE -e.amount END)
		FROM (SELECT DISTINCT unnest($1::text[]) AS id) AS line CROSS JOIN LATERAL (
			SELECT * FROM ledger_entries WHERE account_id = $2 AND line_id = line.id OFFSET 0) AS e
		WHERE e.day >= coalesce($3::date, '-infinity') AND e.day <= coalesce($4::date, 'infinity')
		GROUP BY e.line_id`, lineIDs, tx.AccountID, of.First, of.Last)
	if err != nil {
		return nil, fmt.Errorf("read what credits paid: %w", err)
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var lineID string
		var sum money.Decimal
		if err := rows.Scan(&lineID, &sum); err != nil {
			return nil, fmt.Errorf("read what credits paid: %w", err)
		}
		paid[lineID] = sum
	}
	return paid, rows.Err()
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

// Amended is what was given back of what credits had paid of a line.
type Amended struct {
	At     time.Time
	Amount money.Decimal // in credits, above 0
}

// AmendedOfAll are the amendments of all lines there are, by line.
func AmendedOfAll(tx *store.Tx) (map[string][]Amended, error) {
	var entries []Entry
	err := tx.Where("line_id IS NOT NULL AND kind = ?", KindAmendment).Find(&entries).Error
	amended := map[string][]Amended{}
	for _, e := range entries {
		amended[*e.LineID] = append(amended[*e.LineID], Amended{e.CreatedAt, e.Amount})
	}
	return amended, err
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
