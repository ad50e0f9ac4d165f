package billing

import (
	"slices"
	"time"

	"tollkeeper/domain/allocation"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// refundGrants credits the fees of allocations that ended within their period, by now: the
// smaller of the fee's share of the days that are left and what the unspent credits cost, which
// are taken back for good (semantics 11.2.5). Of which of the invoices is what of says.
func refundGrants(tx *store.Tx, t subscription.Terms, mayCredit bool, of func(invoice.Invoice) bool) error {
	if !t.GrantsCredits() {
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
			ofLine, err := b.refundsOf(tx, t, i, l)
			if err != nil {
				return err
			}
			refunds = append(refunds, ofLine...)
		}
	}
	return b.credit(tx, refunds, mayCredit)
}

// refundReturned refunds what came back to the credits of allocations that ended, as an invoice of their
// subscription was issued: it counts as unspent (semantics 11.2.5). Lines of after the end drew none of them.
func refundReturned(tx *store.Tx, v invoice.View) error {
	t := v.Terms
	ended := func(i subscription.PriceInterval) bool {
		for _, end := range []*time.Time{i.EndAt, t.EndAt} {
			drew := func(l invoice.Line) bool { return l.StartAt.Before(*end) }
			if end != nil && !end.After(tx.Now) && slices.ContainsFunc(v.Lines, drew) {
				return i.Price.Allocation != nil
			}
		}
		return false
	}
	if !slices.ContainsFunc(t.Intervals, ended) {
		return nil
	}
	b, err := readHistory(tx, tx.DB, t.ID)
	if err != nil {
		return err
	}
	if err := b.markLapsed(tx, t); err != nil {
		return err
	}
	if err := refundGrants(tx, t, true, func(invoice.Invoice) bool { return true }); err != nil {
		return err
	}
	if err := refundLapsed(tx, t, b, true); err != nil {
		return err
	}
	return undoGrants(tx, t)
}

// credit issues the credit notes of refunds. Where nothing may be credited, any refund is refused.
func (b history) credit(tx *store.Tx, refunds []invoice.Reversal, mayCredit bool) error {
	if len(refunds) > 0 && !mayCredit {
		return fault.Refused("%s", wouldCredit)
	}
	return writeCreditNotes(tx, b.inOrder(refunds))
}

// allocationRefund is what the line of an allocation is to give back for some days, in all.
type allocationRefund struct {
	days   period.Period
	amount money.Decimal // in the minor unit of the invoice, 0 or more
	grows  bool          // with the credits that come back later
}

// refundsOf is what the line of an allocation is to give back and did not yet: for credits that were
// taken back as other prices took its place, and as its price ended. What it gave for days that turned
// out to be others counts for these. What it gave for the same days as other prices took its place is what
// was right then.
func (b history) refundsOf(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, l invoice.Line) (refunds []invoice.Reversal, err error) {
	if l.Amount.Sign() <= 0 {
		return nil, nil
	}
	due, err := b.refundsDue(tx, t, i, l)
	if err != nil {
		return nil, err
	}
	given := b.refunded(l)
	var elsewhere money.Decimal // given for other days than those that are due, but for what counts for these already
	for at, amount := range given {
		if !slices.ContainsFunc(due, func(part allocationRefund) bool { return part.days.Start.UnixMicro() == at }) {
			elsewhere = elsewhere.Add(amount)
		}
	}
	for _, part := range due {
		if gave, did := given[part.days.Start.UnixMicro()]; did && !part.grows {
			elsewhere = elsewhere.Sub(money.Max(part.amount.Sub(gave), money.Decimal{}))
		}
	}
	elsewhere = money.Max(elsewhere, money.Decimal{})
	left := b.Left(l)
	for _, part := range due {
		gave, did := given[part.days.Start.UnixMicro()]
		if did && !part.grows {
			continue
		}
		more := money.Max(part.amount.Sub(gave), money.Decimal{})
		instead := money.Min(more, elsewhere)
		elsewhere = elsewhere.Sub(instead)
		if amount := money.Min(more.Sub(instead), left); amount.Sign() > 0 {
			left = left.Sub(amount)
			refunds = append(refunds, invoice.Reversal{Line: l, Amount: amount, Period: part.days, Ended: true})
		}
	}
	return refunds, nil
}

// refunded is what changes of the subscription gave back of a line, by the first of the days that it was
// given for, in microseconds.
func (b history) refunded(l invoice.Line) map[int64]money.Decimal {
	given := map[int64]money.Decimal{}
	for _, taken := range b.Credits[l.ID] {
		if at := taken.Period.Start.UnixMicro(); taken.Automatic {
			given[at] = given[at].Add(taken.Amount)
		}
	}
	return given
}

// refundsDue are what the line of an allocation is to give back by now, by time: for each of the
// reductions, and for the end of its price, the smaller of their share of the days that were left and
// what the credits cost that were taken back. Those of reductions have no part in the end.
func (b history) refundsDue(tx *store.Tx, t subscription.Terms, i subscription.PriceInterval, l invoice.Line) (due []allocationRefund, err error) {
	reductions, err := allocation.Reductions(tx, t, i, l.BilledFrom)
	if err != nil {
		return nil, err
	}
	quantity := l.Quantity
	amount := func(of, taken money.Decimal, whole, rest period.Period) money.Decimal {
		share := spread(l.Amount.Mul(of).Quo(l.Quantity), whole, rest, t)
		cost := l.Amount.Mul(taken).Quo(l.Quantity)
		return t.Currency.Round(money.Min(share, cost).WithoutTail())
	}
	for _, r := range reductions {
		quantity = quantity.Sub(r.Amount)
		due = append(due, allocationRefund{days: r.Days, amount: amount(r.Asked, r.Amount, r.Whole, r.Days)})
	}
	cut, found, err := allocation.CutGrant(tx, t, i, l.BilledFrom)
	if err != nil || !found {
		return due, err
	}
	most := amount(quantity, quantity, cut.Whole, cut.Days)
	if gave, did := b.refunded(l)[cut.Days.Start.UnixMicro()]; did && gave.Cmp(most) >= 0 { // nothing can come back that changes it
		return append(due, allocationRefund{days: cut.Days, amount: most, grows: true}), nil
	}
	unspent, err := takeBackGrant(tx, cut.BlockID)
	if err != nil {
		return nil, err
	}
	due = append(due, allocationRefund{days: cut.Days, amount: amount(quantity, money.Min(unspent, quantity), cut.Whole, cut.Days), grows: true})
	return due, nil
}

// takeBackGrant takes back what is unspent of a block that has expired, and returns all that was taken back
// of it by now.
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
