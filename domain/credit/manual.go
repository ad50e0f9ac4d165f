package credit

import (
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Note is what a request says beside a change of a ledger.
type Note struct {
	Description *string
	Metadata    map[string]*string
}

// entry begins an entry of a change by hand, which is committed at once.
func (n Note) entry(kind Kind, amount money.Decimal, block Block) (Entry, error) {
	metadata, err := store.Metadata(nil).Merge(n.Metadata)
	return Entry{
		Kind: kind, Status: EntryCommitted, Amount: amount, Block: block, Description: n.Description, Metadata: metadata,
	}, err
}

// Decrement takes credits from all blocks in the order in which they pay, one entry for
// each, and returns the last. What exceeds them all is owed by the block without expiry
// and items that comes last, which is made if there is none (semantics 10.3.4).
func Decrement(tx *store.Tx, ledger *Ledger, buyer customer.Customer, amount money.Decimal, note Note) (last Entry, err error) {
	if err := checkAmount(ledger.Currency, amount); err != nil {
		return last, err
	}
	if err := CheckCurrency(buyer, ledger.Currency); err != nil {
		return last, err
	}
	draws, err := ledger.drawByHand(tx, amount)
	if err != nil {
		return last, err
	}
	for k, d := range draws {
		if last, err = note.entry(KindDecrement, d.amount, d.from); err != nil {
			return last, err
		}
		take := ledger.take
		if k == len(draws)-1 {
			take = ledger.takeLast
		}
		if err := take(tx, &last, d.amount); err != nil {
			return last, err
		}
	}
	return last, nil
}

// handDraw is what a decrement by hand takes from a block.
type handDraw struct {
	from   Block
	amount money.Decimal
}

// atOnce bounds how many blocks are read together. Most decrements need few.
const atOnce = 20

func (l *Ledger) drawByHand(tx *store.Tx, amount money.Decimal) (draws []handDraw, err error) {
	for amount.Sign() > 0 {
		var blocks []Block
		err := ofLedger(tx, l.CustomerID, l.Currency).Where("NOT empty AND balance > 0 AND counted AND (expires_at IS NULL OR expires_at > ?)", tx.Now).
			Order(payOrder).Offset(len(draws)).Limit(atOnce).Find(&blocks).Error
		if err != nil {
			return nil, err
		}
		for _, b := range blocks {
			taken := money.Min(amount, b.Balance)
			if taken.Sign() > 0 {
				draws, amount = append(draws, handDraw{b, taken}), amount.Sub(taken)
			}
		}
		if len(blocks) < atOnce {
			break
		}
	}
	if amount.Sign() == 0 {
		return draws, nil
	}
	debtor, err := l.overdraftBlock(tx)
	if err != nil {
		return nil, err
	}
	if k := len(draws) - 1; k >= 0 && draws[k].from.ID == debtor.ID {
		draws[k].amount = draws[k].amount.Add(amount)
		return draws, nil
	}
	return append(draws, handDraw{debtor, amount}), nil
}

// overdraftBlock is the block that goes below zero.
func (l *Ledger) overdraftBlock(tx *store.Tx) (Block, error) {
	var found []Block
	err := ofLedger(tx, l.CustomerID, l.Currency).Where("counted AND deleted_at IS NULL AND expires_at IS NULL AND filters = '[]'").
		Order("coalesce(per_unit_cost_basis::numeric, 0) DESC, seq DESC").Limit(1).Find(&found).Error
	if err != nil || len(found) > 0 {
		return append(found, Block{})[0], err
	}
	made := Block{
		Record: tx.Record("block"), CustomerID: l.CustomerID, Currency: l.Currency, Source: SourceManual, Status: BlockActive,
		Counted: true, EffectiveAt: tx.Now, Filters: []ItemFilter{}, Metadata: store.Metadata{},
	}
	return made, tx.Create(&made).Error
}

// ExpiryChange is credits that are to expire on another date.
type ExpiryChange struct {
	BlockID *string        // that they are in; nil: the one that expires at From
	From    *time.Time     // nil: whenever that is
	Target  time.Time      // a midnight of the customer's; if it has come, they expire at once
	Amount  *money.Decimal // nil: all
	Note
}

// ChangeExpiration moves credits to a block of their own that is like theirs but for its
// expiry. The balance stays (semantics 10.3.5).
func ChangeExpiration(tx *store.Tx, ledger *Ledger, move ExpiryChange) (Entry, error) {
	source, err := move.source(tx, ledger)
	if err != nil {
		return Entry{}, err
	}
	amount := source.Balance
	if move.Amount != nil {
		amount = *move.Amount
		if err := checkAmount(ledger.Currency, amount); err != nil {
			return Entry{}, err
		}
	}
	switch {
	case source.Status != BlockActive:
		return Entry{}, fault.Refused("block %s is not paid for yet", source.ID)
	case amount.Sign() <= 0 || amount.Cmp(source.Balance) > 0:
		return Entry{}, fault.Refused("block %s has only %s left", source.ID, source.Balance)
	case move.Target.Before(source.EffectiveAt):
		return Entry{}, fault.Bad("target_expiry_date", "must not be before the block takes effect")
	}
	entry, err := move.entry(KindExpirationChange, amount, source)
	if err != nil {
		return Entry{}, err
	}
	moved := source
	moved.Record = tx.Record("block")
	moved.InitialBalance, moved.Balance, moved.ExpiresAt = amount, amount, &move.Target
	if err := tx.Create(&moved).Error; err != nil {
		return Entry{}, err
	}
	entry.NewExpiry = &move.Target
	return entry, ledger.takeLast(tx, &entry, amount)
}

// source finds the block that credits are moved from.
func (m ExpiryChange) source(tx *store.Tx, ledger *Ledger) (Block, error) {
	query := ofLedger(tx, ledger.CustomerID, ledger.Currency).Where("NOT empty AND balance > 0 AND deleted_at IS NULL AND (expires_at IS NULL OR expires_at > ?)", tx.Now)
	switch {
	case m.BlockID == nil && m.From == nil:
		return Block{}, fault.Bad("expiry_date, block_id", "at least one must be specified")
	case m.BlockID != nil:
		query = query.Where("id = ?", *m.BlockID)
	}
	if m.From != nil {
		query = query.Where("expires_at = ?", *m.From)
	}
	var found []Block
	if err := query.Limit(2).Find(&found).Error; err != nil {
		return Block{}, err
	}
	switch {
	case len(found) == 0 && m.BlockID != nil:
		return Block{}, fault.Missing("CreditBlock", *m.BlockID)
	case len(found) == 0:
		return Block{}, fault.Refused("no block with credits left expires then")
	case len(found) > 1:
		return Block{}, fault.Bad("block_id", "must be specified, since several blocks expire then")
	}
	return found[0], nil
}

// Void takes back credits that a block has left, and returns the first of its two
// entries, which announces it (semantics 10.3.6).
func Void(tx *store.Tx, ledger *Ledger, blockID string, amount money.Decimal, reason *string, note Note) (Entry, error) {
	block, err := ledger.find(tx, blockID)
	if err != nil {
		return Entry{}, err
	}
	if err := checkAmount(ledger.Currency, amount); err != nil {
		return Entry{}, err
	}
	switch {
	case block.Status != BlockActive:
		return Entry{}, fault.Refused("block %s is not paid for yet; void its invoice instead", block.ID)
	case amount.Cmp(block.Balance) > 0:
		return Entry{}, fault.Refused("block %s has only %s left", block.ID, block.Balance)
	}
	initiated, err := ledger.void(tx, block, amount, reason, note)
	if err != nil {
		return Entry{}, err
	}
	return initiated, ledger.save(tx)
}

// void writes both entries of voided credits.
func (l *Ledger) void(tx *store.Tx, block Block, amount money.Decimal, reason *string, note Note) (initiated Entry, err error) {
	if initiated, err = note.entry(KindVoidInitiated, amount, block); err != nil {
		return initiated, err
	}
	initiated.NewExpiry, initiated.VoidReason = &tx.Now, reason
	if err := l.append(tx, &initiated); err != nil {
		return initiated, err
	}
	voided, err := note.entry(KindVoid, amount, block)
	if err != nil {
		return initiated, err
	}
	voided.VoidReason = reason
	return initiated, l.take(tx, &voided, amount)
}

// Amend gives credits back to a block that lost them, up to what it began with
// (semantics 10.3.7).
func Amend(tx *store.Tx, ledger *Ledger, blockID string, amount money.Decimal, note Note) (Entry, error) {
	block, err := ledger.find(tx, blockID)
	if err != nil {
		return Entry{}, err
	}
	if err := checkAmount(ledger.Currency, amount); err != nil {
		return Entry{}, err
	}
	switch lost := block.InitialBalance.Sub(block.Balance); {
	case block.expired(tx.Now):
		return Entry{}, fault.Refused("block %s has expired", block.ID)
	case amount.Cmp(lost) > 0:
		return Entry{}, fault.Refused("block %s has lost only %s", block.ID, lost)
	}
	entry, err := note.entry(KindAmendment, amount, block)
	if err != nil {
		return Entry{}, err
	}
	return entry, ledger.takeLast(tx, &entry, amount.Neg())
}

// find returns a block of the ledger.
func (l *Ledger) find(tx *store.Tx, blockID string) (Block, error) {
	block, err := FindBlock(tx, blockID)
	if err == nil && (block.CustomerID != l.CustomerID || block.Currency != l.Currency) {
		err = fault.Missing("CreditBlock", blockID)
	}
	return block, err
}
