package credit

import (
	"cmp"
	"slices"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// returned is what a block that has expired got back for a day of an invoice that is void.
type returned struct {
	blockID string
	day     period.Date // that the block had paid for
	amount  money.Decimal
}

// keep notes what blocks do not lose though they have expired: what they got back from
// invoices that are void.
func (b *workingSet) keep() {
	for _, back := range b.returned {
		block := b.block(back.blockID)
		block.kept = block.kept.Add(back.amount)
	}
}

// revive moves what blocks kept to blocks of their own, which are like them but expire as
// many local days after today as the old one had left on the day that it paid for
// (semantics 8.1.15). Where charges drew on it in between, the days that had most left
// keep theirs. It reports whether there are such blocks.
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

// after is the block that takes over what an old one had on a day, from today on. One that
// was made to expire by that day, since it paid, has no day left.
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
