package invoice

import (
	"slices"
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/event"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/usage"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// NextPartial reports whether what a subscription has used is to be compared with its
// invoicing threshold, which is due at once.
func NextPartial(tx *store.Tx, _ time.Time) (at time.Time, found bool, err error) {
	return subscription.NextAccrued(tx)
}

// PartialNext invoices at once what a subscription has used and was not invoiced for, if
// that comes to its threshold (semantics 6.2.7). It reports false when there is none to be
// looked at, or others are at work on all.
func PartialNext(tx *store.Tx) (more bool, err error) {
	t, found, err := subscription.LockAccrued(tx)
	if err != nil || !found {
		return false, err
	}
	made := false
	if t.InvoicingThreshold != nil && t.Status(tx.Now) == subscription.StatusActive {
		if made, err = invoicePartially(tx, t); err != nil {
			return false, err
		}
	}
	return true, t.Compared(tx, made)
}

// invoicePartially issues a partial invoice of what is not invoiced yet, if that comes to
// the threshold. Whoever issues the invoices of those times waits until it is done.
func invoicePartially(tx *store.Tx, t subscription.Terms) (made bool, err error) {
	services := t.Accruing(tx.Now)
	if len(services) == 0 {
		return false, nil
	}
	drafts, err := lockDrafts(tx, t)
	if err != nil {
		return false, err
	}
	row := Invoice{
		Record: tx.Record("inv"), CustomerID: t.CustomerID, SubscriptionID: &t.ID, PlanID: &services[0].Interval.PlanID,
		Source: SourcePartial, Status: StatusDraft, Currency: t.Currency, InvoiceDate: tx.Now, HasUsage: true,
	}
	seen, err := event.Moment(tx)
	if err != nil {
		return false, err
	}
	row.Seen = &seen
	lines, err := partialLines(tx, t, row, services, drafts)
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
	if err := tx.Create(&row).Error; err != nil {
		return false, err
	}
	v := viewOfDraft(settings, row, t, lines)
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
func lockDrafts(tx *store.Tx, t subscription.Terms) (drafts []Invoice, err error) {
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).
		Where("subscription_id = ? AND status = ? AND source = ?", t.ID, StatusDraft, SourceSubscription).Order("id").Find(&drafts).Error
	if err != nil {
		return nil, err
	}
	return withUnopened(tx, drafts, "subscription_id = ?", t.ID)
}

// partialLines are what services come to by now, without those for which nothing is to be
// paid. Credits pay what they are to pay of that.
func partialLines(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.Service, drafts []Invoice) ([]Line, error) {
	was, err := earlier(tx, t, inv, services)
	if err != nil {
		return nil, err
	}
	paid := map[string]money.Decimal{}
	for _, s := range services {
		if paid[lineID(inv.ID, s)], err = foreseen(tx, t, s, drafts); err != nil {
			return nil, err
		}
	}
	all, err := partialOn(tx, t, inv, services, was, paid)
	if err != nil {
		return nil, err
	}
	lines := []Line{}
	for _, l := range all {
		if !l.Amount.IsZero() {
			l.Position, l.EndAt = len(lines), tx.Now
			lines = append(lines, l)
		}
	}
	return lines, nil
}

// partialOn are the lines of services, of which credits pay what is known, by line. They
// count the events that the invoice has seen. Minimums are left to the invoice of the whole
// time: one above the threshold would be billed on the first day.
func partialOn(tx *store.Tx, t subscription.Terms, inv Invoice, services []subscription.Service, was []before,
	paid map[string]money.Decimal) ([]Line, error) {
	t.Adjustments = slices.DeleteFunc(slices.Clone(t.Adjustments), func(a subscription.AdjustmentInterval) bool {
		return a.Adjustment.Kind == rating.Minimum
	})
	return linesPaid(usage.AsOf(tx, *inv.Seen), t, inv, services, was, paid)
}

// foreseen is what credits will pay of a service on the draft that is to charge it.
func foreseen(tx *store.Tx, t subscription.Terms, s subscription.Service, drafts []Invoice) (money.Decimal, error) {
	for _, draft := range drafts {
		if draft.InvoiceDate.Equal(s.BilledOn) && *draft.PlanID == s.Interval.PlanID {
			paid, err := paidOn(tx, t, draft, []subscription.Service{s})
			return paid[lineID(draft.ID, s)], err
		}
	}
	return money.Decimal{}, nil
}
