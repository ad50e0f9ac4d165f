package credit

import (
	"cmp"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// returned is an amount that came back to an expired block from a void invoice, for one day.
type returned struct {
	blockID string
	day     period.Date // the block had paid for it
	amount  money.Decimal
}

// keep marks the amounts that came back to expired blocks from void invoices. These amounts do not
// expire with their blocks.
func (b *workingSet) keep() {
	for _, back := range b.returned {
		block := b.block(back.blockID)
		block.kept = block.kept.Add(back.amount)
	}
}

// revive moves the amounts that were kept to new blocks, one for each block and paid day. A new block
// is like the old one, but it expires later: it gets as many local days, from today, as the old one
// had left on the paid day (semantics 8.1.15). If charges drew some of the amount since, the last
// days, which have the least validity left, lose it. revive reports whether it made a block.
func (b *workingSet) revive(tx *store.Tx, days Calendar) (made bool, err error) {
	back := b.returned
	b.returned = nil
	place := func(of returned) int {
		return slices.IndexFunc(b.blocks, func(block Block) bool { return block.ID == of.blockID })
	}
	slices.SortStableFunc(back, func(x, y returned) int { return cmp.Or(cmp.Compare(place(x), place(y)), x.day.Compare(y.day)) })
	for k, of := range back {
		block := b.block(of.blockID)
		if k+1 < len(back) && back[k+1].blockID == of.blockID && back[k+1].day == of.day {
			back[k+1].amount = back[k+1].amount.Add(of.amount) // one block for both
			continue
		}
		amount := money.Min(of.amount, money.Min(block.kept, block.Balance))
		if amount.Sign() <= 0 {
			continue
		}
		if err := b.moveTo(tx, block, amount, days.after(*block, of.day, period.DateOf(tx.Now, days.Location))); err != nil {
			return made, err
		}
		made = true
	}
	return made, nil
}

// after returns the new block, valid from today on, for what an old block paid on a day. If the old
// block was later made to expire before that day, the new block has no day left.
func (c Calendar) after(old Block, day, today period.Date) Block {
	left := max(period.DateOf(*old.ExpiresAt, c.Location).Since(day), 0)
	expires := today.AddDays(left).In(c.Location)
	old.EffectiveAt, old.ExpiresAt, old.Counted = today.In(c.Location), &expires, true
	return old
}

// moveTo moves an amount from a block to a new one.
func (b *workingSet) moveTo(tx *store.Tx, from *Block, amount money.Decimal, to Block) error {
	from.Balance, from.kept = from.Balance.Sub(amount), from.kept.Sub(amount)
	if err := tx.Model(from).Select("balance").Updates(from).Error; err != nil {
		return err
	}
	to.Record, to.InitialBalance, to.Balance = tx.Record("block"), amount, amount
	if err := tx.Create(&to).Error; err != nil {
		return err
	}
	return b.append(tx, &Entry{Kind: KindExpirationChange, Status: EntryCommitted, Amount: amount, Block: *from, NewExpiry: to.ExpiresAt})
}
