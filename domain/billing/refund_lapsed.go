package billing

import (
	"slices"

	"tollkeeper/domain/account"
	"tollkeeper/domain/allocation"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// markLapsed notes the fees of grants whose period the terms do not have any more, since their price
// ended before it. Such a line stays: what was spent of the credits stays paid (semantics 11.2.5).
func (b history) markLapsed(tx *store.Tx, t subscription.Terms) error {
	for _, inv := range b.Issued {
		for _, l := range b.Lines[inv.ID] {
			if l.IntervalID == nil || !invoice.InAdvance(inv, l) || b.Reversed[l.ID] || l.Amount.Sign() <= 0 {
				continue
			}
			if _, served := t.ServicePeriodAt(*l.IntervalID, l.BilledFrom); served {
				continue
			}
			g, found, err := allocation.FindGrant(tx, *l.IntervalID, l.BilledFrom)
			if err != nil {
				return err
			}
			if found {
				b.lapsed[l.ID] = g
			}
		}
	}
	return nil
}

// keepLapsedFees issues the fees of lapsed grants again that an invoice charged, which is replaced, by the
// terms that it was issued with: what replaces it has none. Where nothing was spent none stays.
func (b history) keepLapsedFees(tx *store.Tx, t subscription.Terms, replaced invoice.Invoice) error {
	if len(b.lapsed) == 0 || replaced.Revision == nil {
		return nil
	}
	then, known, err := subscription.FindRevision(tx, t, *replaced.Revision)
	if err != nil || !known {
		return err
	}
	var services []subscription.ServicePeriod
	grants := map[string]allocation.Grant{} // by interval
	for _, l := range b.Lines[replaced.ID] {
		g, lapsed := b.lapsed[l.ID]
		if !lapsed {
			continue
		}
		if spent, err := spentOf(tx, g); err != nil || !spent {
			if err != nil {
				return err
			}
			continue
		}
		if s, served := then.ServicePeriodAt(*l.IntervalID, l.BilledFrom); served {
			services, grants[*l.IntervalID] = append(services, s), g
		}
	}
	if len(services) == 0 {
		return nil
	}
	lines, err := issueBeside(tx, then, replaced, services)
	for _, l := range lines {
		b.lapsed[l.ID] = grants[*l.IntervalID]
	}
	return err
}

// keepDraftedFees issues the fees of lapsed grants that stood on a draft until the terms changed, so that
// what was spent of the credits is paid. Where nothing was spent there is no fee.
func (b history) keepDraftedFees(tx *store.Tx, before, t subscription.Terms) error {
	if !before.GrantsCredits() {
		return nil
	}
	for _, draft := range b.Drafts {
		var services []subscription.ServicePeriod
		grants := map[string]allocation.Grant{} // by interval
		for _, s := range invoice.BilledBy(before, draft) {
			if _, served := t.ServicePeriodAt(s.Interval.ID, s.From); served || s.Interval.Price.Allocation == nil || s.Period.Start.After(tx.Now) {
				continue
			}
			g, found, err := allocation.FindGrant(tx, s.Interval.ID, s.Period.Start)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			spent, err := spentOf(tx, g)
			if err != nil {
				return err
			}
			if spent {
				services, grants[s.Interval.ID] = append(services, s), g
			}
		}
		if !slices.ContainsFunc(services, makesInvoice) {
			continue
		}
		lines, err := issueBeside(tx, before, draft, services)
		if err != nil {
			return err
		}
		for _, l := range lines {
			b.lapsed[l.ID] = grants[*l.IntervalID]
		}
	}
	return nil
}

// spentOf reports whether something was spent of a grant, but for what was taken back as prices began
// that grant less. Of a block that was deleted that is not known.
func spentOf(tx *store.Tx, g allocation.Grant) (some bool, err error) {
	block, err := credit.FindBlock(tx, g.BlockID)
	if fault.Is(err, fault.KindMissing) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	spent, err := block.Spent(tx)
	if err != nil {
		return false, err
	}
	reduced, err := g.TakenBack(tx)
	return spent.Cmp(reduced) > 0, err
}

// issueBeside issues an invoice for fees in advance, of the date of another one, by the terms of then.
func issueBeside(tx *store.Tx, then subscription.Terms, of invoice.Invoice, services []subscription.ServicePeriod) ([]invoice.Line, error) {
	settings, err := account.Of(tx)
	if err != nil {
		return nil, err
	}
	row := invoice.Invoice{
		Record: tx.Record("inv"), CustomerID: of.CustomerID, SubscriptionID: of.SubscriptionID, PlanID: of.PlanID,
		Source: invoice.SourceSubscription, Status: invoice.StatusDraft, Currency: of.Currency,
		InvoiceDate: of.InvoiceDate, OfChange: true, Metadata: store.Metadata{},
	}
	if err := tx.Create(&row).Error; err != nil {
		return nil, err
	}
	v, err := invoice.ViewOfServices(tx, settings, row, then, services)
	if err != nil {
		return nil, err
	}
	return v.Lines, invoice.Finalize(tx, settings, v)
}

// refundLapsed credits of the fees that before marked as lapsed what their unspent credits cost, which
// are taken back for good. Those whose invoice was replaced are on another one: see keepLapsedFees.
func refundLapsed(tx *store.Tx, t subscription.Terms, before history, mayCredit bool) error {
	if len(before.lapsed) == 0 {
		return nil
	}
	b, err := readHistory(tx, tx.DB, t.ID)
	if err != nil {
		return err
	}
	var refunds []invoice.Reversal
	for _, inv := range b.Issued {
		for _, l := range b.Lines[inv.ID] {
			g, lapsed := before.lapsed[l.ID]
			if !lapsed {
				continue
			}
			refund, err := b.refundOfLapsed(tx, t, l, g)
			if err != nil {
				return err
			}
			if refund.Amount.Sign() > 0 {
				refunds = append(refunds, refund)
			}
		}
	}
	return b.credit(tx, refunds, mayCredit)
}

// refundOfLapsed is what the line of a grant is to give back: what the credits cost that were not
// spent, without what it gave before. Where nothing was spent the line charges nothing any more.
func (b history) refundOfLapsed(tx *store.Tx, t subscription.Terms, l invoice.Line, g allocation.Grant) (refund invoice.Reversal, err error) {
	unspent, err := takeBackGrant(tx, g.BlockID)
	if err != nil {
		return refund, err
	}
	reduced, err := g.TakenBack(tx)
	if err != nil {
		return refund, err
	}
	spent, err := spentOf(tx, g)
	if err != nil {
		return refund, err
	}
	var given money.Decimal
	for _, taken := range b.Credits[l.ID] {
		if taken.Automatic {
			given = given.Add(taken.Amount)
		}
	}
	cost := l.Amount.Mul(money.Min(unspent.Add(reduced), l.Quantity)).Quo(l.Quantity)
	left := b.Left(l)
	amount := money.Min(t.Currency.Round(cost.WithoutTail()).Sub(given), left)
	whole := period.Period{Start: l.StartAt, End: l.EndAt}
	return invoice.Reversal{Line: l, Amount: amount, Period: days(whole, t), Ended: true, Undone: !spent && amount.Equal(left)}, nil
}
