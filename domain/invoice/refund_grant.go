package invoice

import (
	"slices"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// refundGrants credits the fees of allocations that ended within their period, by now: the
// smaller of the fee's share of the days that are left and what the unspent credits cost, which
// are taken back for good (semantics 11.2.5). Of which of the invoices is what of says.
func refundGrants(tx *store.Tx, t subscription.Terms, mayCredit bool, of func(Invoice) bool) error {
	granting := func(i subscription.PriceInterval) bool { return i.Price.Allocation != nil }
	if !slices.ContainsFunc(t.Intervals, granting) {
		return nil
	}
	b, err := readBooks(tx, tx.DB, t.ID)
	if err != nil {
		return err
	}
	invoices := slices.DeleteFunc(slices.Clone(b.issued), func(inv Invoice) bool { return !of(inv) })
	var refunds []taking
	for _, i := range t.Intervals {
		for _, l := range b.linesInAdvance(i, invoices) {
			refund, due, err := b.refundOf(tx, t, i, l)
			if err != nil {
				return err
			}
			if due {
				refunds = append(refunds, refund)
			}
		}
	}
	if len(refunds) > 0 && !mayCredit {
		return fault.Refused("%s", wouldCredit)
	}
	for _, together := range byInvoice(b.inOrder(refunds)) {
		if _, err := Credit(tx, together[0].Line.InvoiceID, together.lines()); err != nil {
			return err
		}
	}
	return nil
}

// refundOf is what the line of an allocation is to give back now, and false where that is
// nothing, or was given for the same end.
func (b books) refundOf(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, l Line) (refund taking, due bool, err error) {
	cut, found, err := allocation.CutGrant(tx, t, i, l.BilledFrom)
	if err != nil || !found || l.Amount.Sign() <= 0 {
		return refund, false, err
	}
	var given money.Decimal
	for _, taken := range b.taken[l.ID] {
		if !taken.Automatic {
			continue
		}
		if taken.Period.Start.Equal(cut.Days.Start) {
			return refund, false, nil
		}
		given = given.Add(taken.Amount)
	}
	unspent, err := takeBackGrant(tx, cut.BlockID)
	if err != nil {
		return refund, false, err
	}
	share := spread(l.Amount, cut.Whole, cut.Days, t)
	cost := l.Amount.Mul(money.Min(unspent, l.Quantity)).Quo(l.Quantity)
	amount := t.Currency.Round(money.Min(share, cost).WithoutTail()).Sub(given)
	amount = money.Min(amount, b.left(l))
	return taking{Line: l, Amount: amount, Period: cut.Days, Ended: true}, amount.Sign() > 0, nil
}

// takeBackGrant takes back what is unspent of a block that has expired, and returns that.
func takeBackGrant(tx *store.Tx, blockID string) (unspent money.Decimal, err error) {
	block, err := credit.FindBlock(tx, blockID)
	if fault.Is(err, fault.KindMissing) { // it was deleted, with what it had left
		return unspent, nil
	}
	if err != nil {
		return unspent, err
	}
	if err := deductFrom(tx, block.CustomerID, block.Currency, ""); err != nil {
		return unspent, err
	}
	ledger, err := credit.Lock(tx, block.CustomerID, block.Currency)
	if err != nil {
		return unspent, err
	}
	return credit.Withdraw(tx, ledger, blockID)
}
