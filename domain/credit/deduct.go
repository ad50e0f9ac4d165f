package credit

import (
	"fmt"
	"slices"
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// Calendar is when the local days of a customer begin, and when they are closed: no
// usage of theirs is awaited any more.
type Calendar struct {
	Location *time.Location
	Grace    time.Duration
}

// Closes is when a day is closed.
func (c Calendar) Closes(day period.Date) time.Time {
	return day.AddDays(1).In(c.Location).Add(c.Grace)
}

// FirstOpen is the first day that is not closed.
func (c Calendar) FirstOpen(now time.Time) period.Date {
	return period.DateOf(now.Add(-c.Grace), c.Location)
}

// workingSet are a ledger with what can still change in it.
type workingSet struct {
	*Ledger
	blocks  []Block                  // in the order in which they pay, without what pending entries drew
	rows    map[string]money.Decimal // what blocks have left as it is written, by id
	entries []Entry                  // of lines that are still charged, and pending ones, by number
}

// Deduct brings a locked ledger up to date: blocks take effect and expire, what was drawn
// for days that are not closed is computed again as a whole from the charges of all
// lines that are not invoiced yet, and what is closed is committed (semantics 10.2.7).
// Charges are by day, and within one in the order in which they are paid. open says that the
// customer has invoices that are not issued. Their days close, whether credits can pay for them or not.
func Deduct(tx *store.Tx, ledger *Ledger, charges []Charge, days Calendar, open bool) error {
	b, err := openWorkingSet(tx, ledger, charges)
	if err != nil {
		return err
	}
	if err := b.activateDue(tx); err != nil {
		return err
	}
	b.keep()
	if err := b.enter(tx, b.replay(charges, tx.Now), days); err != nil {
		return err
	}
	if err := b.commit(tx); err != nil {
		return err
	}
	if revived, err := b.revive(tx, days); err != nil {
		return err
	} else if revived { // they may pay for today
		return Deduct(tx, ledger, charges, days, open)
	}
	b.plan(tx.Now, days)
	if open {
		b.dueBy(days.Closes(days.FirstOpen(tx.Now)))
	}
	return ledger.save(tx)
}

// Preview tells what credits pay of each line for some local days, by its id, as Deduct would
// leave it. It changes nothing.
func Preview(tx *store.Tx, customerID string, currency money.Currency, charges []Charge, of Days) (map[string]money.Decimal, error) {
	b, err := openWorkingSet(tx, &Ledger{CustomerID: customerID, Currency: currency}, charges)
	if err != nil {
		return nil, err
	}
	for k := range b.blocks {
		b.blocks[k].Counted = b.blocks[k].Counted || b.blocks[k].inForce(tx.Now)
	}
	paid := map[string]money.Decimal{}
	for _, e := range b.entries {
		if e.LineID != nil && e.Status == EntryCommitted && of.has(*e.Day) {
			paid[*e.LineID] = paid[*e.LineID].Sub(e.Kind.effect(e.Amount))
		}
	}
	for _, d := range b.replay(charges, tx.Now) {
		if d.charge != nil && of.has(d.charge.Day) {
			paid[d.charge.LineID] = paid[d.charge.LineID].Add(d.amount)
		}
	}
	return paid, nil
}

func openWorkingSet(tx *store.Tx, ledger *Ledger, charges []Charge) (*workingSet, error) {
	b := &workingSet{Ledger: ledger, rows: map[string]money.Decimal{}}
	lines := []string{}
	for _, c := range charges {
		if len(lines) == 0 || lines[len(lines)-1] != c.LineID {
			lines = append(lines, c.LineID)
		}
	}
	mine := ofLedger(tx, ledger.CustomerID, ledger.Currency)
	if err := tx.Where(mine).Where(tx.Where("status = ?", EntryPending).Or("line_id IN ?", lines)).
		Order("sequence").Find(&b.entries).Error; err != nil {
		return nil, err
	}
	ids := make([]string, len(b.entries))
	for k, e := range b.entries {
		ids[k] = e.BlockID
	}
	// A block may be emptied, or deleted, before it counts: what was moved out of it, or into
	// it, counts as it does.
	if err := tx.Where(mine).Where(tx.Where("NOT empty").Or("id IN ?", ids).Or("NOT counted AND status = ?", BlockActive)).
		Find(&b.blocks).Error; err != nil {
		return nil, err
	}
	inOrder(b.blocks)
	for _, block := range b.blocks {
		b.rows[block.ID] = block.Balance
	}
	for _, e := range b.entries {
		if e.changes() {
			block := b.block(e.BlockID)
			block.Balance = block.Balance.Add(e.Amount)
		}
	}
	return b, nil
}

// changes reports whether an entry is computed again each time.
func (e Entry) changes() bool {
	return e.Status == EntryPending && (e.Kind == KindDecrement || e.Kind == KindCreditBlockExpiry)
}

func (b *workingSet) block(id string) *Block {
	at := slices.IndexFunc(b.blocks, func(block Block) bool { return block.ID == id })
	return &b.blocks[at]
}

// activateDue makes blocks part of the balance whose day has come.
func (b *workingSet) activateDue(tx *store.Tx) error {
	for k := range b.blocks {
		block := &b.blocks[k]
		if block.Counted || block.Status != BlockActive || block.EffectiveAt.After(tx.Now) {
			continue
		}
		block.Counted = true
		if err := tx.Model(block).Select("counted").Updates(block).Error; err != nil {
			return err
		}
		if err := b.recountEntries(tx, *block); err != nil {
			return err
		}
		if block.Balance.Sign() > 0 {
			webhook.Announce(tx, webhook.CustomerCreditLedgerIncremented, b.CustomerID, *block)
		}
	}
	return nil
}

// recountEntries adds the entries of a block that begins to count to the balance.
func (l *Ledger) recountEntries(tx *store.Tx, block Block) error {
	var entries []Entry
	if err := tx.Where("block_id = ?", block.ID).Order("sequence").Find(&entries).Error; err != nil {
		return err
	}
	for k := range entries {
		// A restatement moves the entries after it, these too.
		if err := tx.Where("id = ?", entries[k].ID).Take(&entries[k]).Error; err != nil {
			return err
		}
		if entries[k].Kind == KindIncrement {
			entries[k].Status = EntryCommitted
		}
		if err := l.restate(tx, &entries[k], entries[k].Kind.effect(entries[k].Amount)); err != nil {
			return err
		}
	}
	return nil
}

// replay is the replay of what these books know.
func (b *workingSet) replay(charges []Charge, now time.Time) []draw {
	return replay(b.blocks, charges, now,
		func(c Charge) (sum money.Decimal) {
			for _, e := range b.entries {
				if e.Status == EntryCommitted && e.paysFor(c) {
					sum = sum.Sub(e.Kind.effect(e.Amount))
				}
			}
			return sum
		},
		func(c Charge, block Block) bool {
			return slices.ContainsFunc(b.entries, func(e Entry) bool {
				return e.Status == EntryCommitted && e.Kind == KindDecrement && e.Amount.Sign() > 0 && e.BlockID == block.ID && e.paysFor(c)
			})
		})
}

// paysFor reports whether an entry pays for a charge.
func (e Entry) paysFor(c Charge) bool {
	return e.LineID != nil && *e.LineID == c.LineID && e.Day != nil && *e.Day == c.Day
}

// enter writes draws: into the pending entries that there are, whose others draw nothing
// any more, and into new ones.
func (b *workingSet) enter(tx *store.Tx, draws []draw, days Calendar) error {
	drawn := map[int]money.Decimal{} // by entry
	var more []Entry
	for _, d := range draws {
		if k := b.entryOf(d); k >= 0 {
			drawn[k] = d.amount
			if d.charge != nil {
				b.entries[k].CommitAt = &d.charge.CommitAt // sooner when its invoice is issued
			}
		} else {
			more = append(more, b.newEntry(d, days))
		}
	}
	left := map[string]money.Decimal{} // of blocks, as the rows will say
	for _, block := range b.blocks {
		left[block.ID] = block.Balance
	}
	for k := range b.entries {
		e := &b.entries[k]
		if !e.changes() {
			continue
		}
		left[e.BlockID] = left[e.BlockID].Sub(drawn[k])
		if e.Amount.Equal(drawn[k]) {
			continue
		}
		e.Amount = drawn[k]
		if err := b.reload(tx, e); err != nil {
			return err
		}
		if err := b.restate(tx, e, e.Kind.effect(e.Amount)); err != nil {
			return err
		}
	}
	for k := range more {
		left[more[k].Block.ID] = left[more[k].Block.ID].Sub(more[k].Amount)
		if more[k].closed(tx.Now) {
			more[k].Status = EntryCommitted
		}
	}
	if err := b.appendAll(tx, more); err != nil {
		return err
	}
	b.entries = append(b.entries, more...)
	return b.saveBalances(tx, left)
}

// reload reads the balances of an entry, which those before it may have moved.
func (b *workingSet) reload(tx *store.Tx, e *Entry) error {
	return tx.Model(e).Select("starting_balance", "ending_balance").Where("id = ?", e.ID).Take(e).Error
}

// entryOf is the pending entry that a draw belongs into, -1 if there is none.
func (b *workingSet) entryOf(d draw) int {
	return slices.IndexFunc(b.entries, func(e Entry) bool {
		if !e.changes() || e.BlockID != b.blocks[d.block].ID {
			return false
		}
		if d.charge == nil {
			return e.Kind == KindCreditBlockExpiry
		}
		return e.Kind == KindDecrement && e.paysFor(*d.charge)
	})
}

func (b *workingSet) newEntry(d draw, days Calendar) Entry {
	block := b.blocks[d.block]
	if d.charge == nil {
		commit := block.ExpiresAt.Add(days.Grace)
		return Entry{Kind: KindCreditBlockExpiry, Status: EntryPending, Amount: d.amount, Block: block, CommitAt: &commit}
	}
	c := d.charge
	return Entry{
		Kind: KindDecrement, Status: EntryPending, Amount: d.amount, Block: block,
		Day: &c.Day, LineID: &c.LineID, InvoiceID: &c.InvoiceID, PriceID: &c.PriceID, CommitAt: &c.CommitAt,
	}
}

// saveBalances writes what blocks have left.
func (b *workingSet) saveBalances(tx *store.Tx, left map[string]money.Decimal) error {
	for k := range b.blocks {
		block := &b.blocks[k]
		block.Balance = left[block.ID]
		if block.Balance.Equal(b.rows[block.ID]) {
			continue
		}
		if err := tx.Model(block).Select("balance").Updates(block).Error; err != nil {
			return err
		}
	}
	return nil
}

// closed reports whether a pending entry can be committed.
func (e Entry) closed(now time.Time) bool {
	return e.Status == EntryPending && e.CommitAt != nil && !e.CommitAt.After(now)
}

// commit commits what is closed, in one statement.
func (b *workingSet) commit(tx *store.Tx) error {
	var ids []string
	var at []time.Time
	for k := range b.entries {
		if e := &b.entries[k]; e.closed(tx.Now) {
			e.Status = EntryCommitted
			ids, at = append(ids, e.ID), append(at, *e.CommitAt)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.Conn().ExecContext(tx.Context(), `
		UPDATE ledger_entries AS e SET status = $1, commit_at = closed.at FROM unnest($2::text[], $3::timestamptz[]) AS closed (id, at)
		WHERE e.account_id = $4 AND e.id = closed.id`, EntryCommitted, ids, at, tx.AccountID)
	if err != nil {
		return fmt.Errorf("commit ledger entries: %w", err)
	}
	return nil
}
