package billing

import (
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/event"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// NextThresholdInvoice reports whether what a subscription has used is to be compared with its
// invoicing threshold, which is due at once.
func NextThresholdInvoice(tx *store.Tx, _ time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next threshold invoice")
	return subscription.NextAccrued(tx)
}

// ThresholdInvoiceNext invoices at once what a subscription has used and was not invoiced for, if
// that reaches its threshold (semantics 6.2.7). It reports false when there is none to be
// looked at, or others are at work on all.
func ThresholdInvoiceNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "issue the threshold invoice that is due")
	t, found, err := subscription.LockAccrued(tx)
	if err != nil || !found {
		return false, err
	}
	made := false
	if t.InvoicingThreshold != nil && t.Status(tx.Now) == subscription.StatusActive {
		if made, err = issueThresholdInvoice(tx, t); err != nil {
			return false, err
		}
	}
	return true, t.Compared(tx, made)
}

// issueThresholdInvoice issues a partial invoice of what is not invoiced yet, if that reaches
// the threshold. Issuing the invoices of those times waits until it is done.
func issueThresholdInvoice(tx *store.Tx, t subscription.Terms) (made bool, err error) {
	services := t.Accruing(tx.Now)
	if len(services) == 0 {
		return false, nil
	}
	drafts, err := lockDrafts(tx, t)
	if err != nil {
		return false, err
	}
	row := invoice.Invoice{
		Record: tx.Record("inv"), CustomerID: t.CustomerID, SubscriptionID: &t.ID, PlanID: &services[0].Interval.PlanID,
		Source: invoice.SourcePartial, Status: invoice.StatusDraft, Currency: t.Currency, InvoiceDate: tx.Now, HasUsage: true,
	}
	seen, err := event.TakeSnapshot(tx)
	if err != nil {
		return false, err
	}
	row.Seen = &seen
	lines, err := thresholdLines(tx, t, row, services, drafts)
	if err != nil {
		return false, err
	}
	var accrued money.Decimal
	for _, l := range lines {
		accrued = accrued.Add(l.Amount)
	}
	if accrued.Cmp(*t.InvoicingThreshold) < 0 {
		return false, nil
	}
	settings, err := account.Of(tx)
	if err != nil {
		return false, err
	}
	if settings.UsageByDay { // what it has seen is the same the second time
		row.ListsDays = true
		if lines, err = thresholdLines(tx, t, row, services, drafts); err != nil {
			return false, err
		}
	}
	if err := tx.Create(&row).Error; err != nil {
		return false, err
	}
	v := invoice.ViewOfDraft(settings, row, t, lines)
	v.WillAutoIssue = true
	if err := issueView(tx, settings, v); err != nil {
		return false, err
	}
	webhook.Announce(tx, webhook.SubscriptionInvoicingThresholdExceeded, t.ID, webhook.Properties{
		"invoicing_threshold": t.Currency.Format(*t.InvoicingThreshold), "evaluated_amount": t.Currency.Format(accrued),
		"invoice_id": row.ID, "threshold_invoice_created": true,
	})
	return true, nil
}

// lockDrafts keeps the drafts of a subscription from being issued until the transaction
// ends. Those that are not opened yet are among them.
func lockDrafts(tx *store.Tx, t subscription.Terms) (drafts []invoice.Invoice, err error) {
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("subscription_id = ? AND status = ? AND source = ?", t.ID, invoice.StatusDraft, invoice.SourceSubscription).Order("id").Find(&drafts).Error
	if err != nil {
		return nil, err
	}
	return invoice.WithExpected(tx, drafts, "subscription_id = ?", t.ID)
}

// thresholdLines are the charges of services by now, without those for which nothing is to be
// paid. Credits pay what they are to pay of that.
func thresholdLines(tx *store.Tx, t subscription.Terms, inv invoice.Invoice, services []subscription.ServicePeriod, drafts []invoice.Invoice) ([]invoice.Line, error) {
	was, err := invoice.PriorCharges(tx, t, inv, services)
	if err != nil {
		return nil, err
	}
	paid, err := creditsForeseen(tx, t, inv, services, drafts)
	if err != nil {
		return nil, err
	}
	all, err := thresholdLinesOn(tx, t, inv, services, was, paid)
	if err != nil {
		return nil, err
	}
	lines := []invoice.Line{}
	for _, l := range all {
		if !l.Amount.IsZero() {
			l.Position, l.EndAt = len(lines), tx.Now
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// thresholdLinesOn are the lines of services, of which credits pay what is known, by line. They
// count the events that the invoice has seen. Minimums are left to the invoice of the whole
// time: one above the threshold would be billed on the first day.
func thresholdLinesOn(tx *store.Tx, t subscription.Terms, inv invoice.Invoice, services []subscription.ServicePeriod, was invoice.Prior,
	paid map[string]money.Decimal) ([]invoice.Line, error) {
	return invoice.LinesPaid(usage.AsOf(tx, *inv.Seen), t, inv, services, was, paid)
}

// creditsForeseen is what credits will pay of services on the drafts that are to charge them, by the lines
// of an invoice of a threshold. What the drafts ask of credits is worked out once for each draft.
func creditsForeseen(tx *store.Tx, t subscription.Terms, inv invoice.Invoice, services []subscription.ServicePeriod, drafts []invoice.Invoice) (map[string]money.Decimal, error) {
	paid := map[string]money.Decimal{}
	left := slices.Clone(services)
	for _, draft := range drafts {
		charges := func(s subscription.ServicePeriod) bool {
			return draft.InvoiceDate.Equal(s.BilledOn) && *draft.PlanID == s.Interval.PlanID
		}
		var own []subscription.ServicePeriod
		for _, s := range left {
			if charges(s) {
				own = append(own, s)
			}
		}
		if len(own) == 0 {
			continue
		}
		foreseen, err := invoice.CreditsFor(tx, t, draft, own)
		if err != nil {
			return nil, err
		}
		for _, s := range own {
			paid[invoice.LineID(inv.ID, s)] = foreseen[invoice.LineID(draft.ID, s)]
		}
		left = slices.DeleteFunc(left, charges) // of two drafts of one date the first charges them
	}
	return paid, nil
}
