package billing

import (
	"slices"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// refundGrants credits the fees of allocations that ended within their period, by now: the
// smaller of the fee's share of the days that are left and what the unspent credits cost, which
// are taken back for good (semantics 11.2.5). Of which of the invoices is what of says.
func refundGrants(tx *store.Tx, t subscription.Terms, mayCredit bool, of func(invoice.Invoice) bool) error {
	granting := func(i subscription.PriceInterval) bool { return i.Price.Allocation != nil }
	if !slices.ContainsFunc(t.Intervals, granting) {
		return nil
	}
	if err := takeBackReplaced(tx, &t); err != nil {
		return err
	}
	b, err := readHistory(tx, tx.DB, t.ID)
	if err != nil {
		return err
	}
	invoices := slices.DeleteFunc(slices.Clone(b.Issued), func(inv invoice.Invoice) bool { return !of(inv) })
	var refunds []invoice.Reversal
	for _, i := range t.Intervals {
		for _, l := range b.linesInAdvance(i, invoices) {
			reduced, err := b.reductionsOf(tx, t, i, l)
			if err != nil {
				return err
			}
			refunds = append(refunds, reduced...)
			refund, due, err := b.refundOf(tx, t, i, l, reduced)
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
		if _, err := invoice.Credit(tx, together[0].Line.InvoiceID, together.lines()); err != nil {
			return err
		}
	}
	return nil
}

// reductionsOf is what the line of an allocation is to give back, and did not yet, of credits that
// were taken back as other prices took its place: of each the smaller of their share of the days
// that were left and what they cost.
func (b history) reductionsOf(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, l invoice.Line) (refunds []invoice.Reversal, err error) {
	if l.Amount.Sign() <= 0 {
		return nil, nil
	}
	all, err := allocation.Reductions(tx, t, i, l.BilledFrom)
	for _, taken := range all {
		if slices.ContainsFunc(b.Credits[l.ID], func(done invoice.Reversal) bool { return done.Automatic && done.Period.Start.Equal(taken.Days.Start) }) {
			continue
		}
		share := spread(l.Amount.Mul(taken.Asked).Quo(l.Quantity), taken.Whole, taken.Days, t)
		cost := l.Amount.Mul(taken.Amount).Quo(l.Quantity)
		amount := t.Currency.Round(money.Min(share, cost).WithoutTail())
		if amount = money.Min(amount, b.Left(l)); amount.Sign() > 0 {
			refunds = append(refunds, invoice.Reversal{Line: l, Amount: amount, Period: taken.Days, Ended: true})
		}
	}
	return refunds, err
}

// refundOf is what the line of an allocation is to give back now, as its price ended, and false
// where that is nothing, or was given for the same end. Its credits that were taken back before,
// with what reduced gives now, have no part in it.
func (b history) refundOf(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, l invoice.Line, reduced []invoice.Reversal) (refund invoice.Reversal, due bool, err error) {
	cut, found, err := allocation.CutGrant(tx, t, i, l.BilledFrom)
	if err != nil || !found || l.Amount.Sign() <= 0 {
		return refund, false, err
	}
	before, err := allocation.Reductions(tx, t, i, l.BilledFrom)
	if err != nil {
		return refund, false, err
	}
	quantity, left := l.Quantity, b.Left(l)
	for _, r := range before {
		quantity = quantity.Sub(r.Amount)
	}
	for _, r := range reduced {
		left = left.Sub(r.Amount)
	}
	var given money.Decimal
	for _, taken := range b.Credits[l.ID] {
		ofReduction := func(r allocation.Reduced) bool { return r.Days.Start.Equal(taken.Period.Start) }
		if !taken.Automatic || slices.ContainsFunc(before, ofReduction) {
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
	share := spread(l.Amount.Mul(quantity).Quo(l.Quantity), cut.Whole, cut.Days, t)
	cost := l.Amount.Mul(money.Min(unspent, quantity)).Quo(l.Quantity)
	amount := t.Currency.Round(money.Min(share, cost).WithoutTail()).Sub(given)
	amount = money.Min(amount, left)
	return invoice.Reversal{Line: l, Amount: amount, Period: cut.Days, Ended: true}, amount.Sign() > 0, nil
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
	if err := invoice.BurnDownLedger(tx, block.CustomerID, block.Currency, ""); err != nil {
		return unspent, err
	}
	ledger, err := credit.Lock(tx, block.CustomerID, block.Currency)
	if err != nil {
		return unspent, err
	}
	return credit.Withdraw(tx, ledger, blockID)
}
