package billing

import (
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/due"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Issue issues a draft by hand. That is refused for invoices that issue
// themselves, before the grace period is over, and after the first time
// (semantics 8.1.4).
func Issue(tx *store.Tx, id string, synchronous bool) (_ invoice.View, err error) {
	defer fault.Doing(&err, "issue invoice %s", id)
	row, err := invoice.Lock(tx, id)
	if err != nil {
		return invoice.View{}, err
	}
	if row.Status != invoice.StatusDraft {
		return invoice.View{}, fault.Refused("only a draft can be issued; this invoice is %s", row.Status)
	}
	settings, err := account.Of(tx)
	if err != nil {
		return invoice.View{}, err
	}
	terms, err := invoice.TermsOf(tx, []invoice.Invoice{row})
	if err != nil {
		return invoice.View{}, err
	}
	switch v := invoice.ViewOfDraft(settings, row, terms(row), nil); {
	case v.WillAutoIssue:
		return invoice.View{}, fault.Refused("this invoice issues itself")
	case tx.Now.Before(*v.EligibleAt):
		return invoice.View{}, fault.Refused("this invoice cannot be issued before eligible_to_issue_at")
	case synchronous && v.HasUsage:
		return invoice.View{}, fault.Refused("an invoice with usage cannot be issued synchronously")
	}
	if err := row.RefuseBefore(tx, terms(row)); err != nil {
		return invoice.View{}, err
	}
	v, err := invoice.ViewToIssue(tx, settings, row)
	if err != nil {
		return invoice.View{}, err
	}
	if err := issueAndRefund(tx, settings, v); err != nil {
		return invoice.View{}, err
	}
	return invoice.Find(tx, id)
}

// NextIssue returns the earliest instant, at or before by, at which an invoice
// is to issue itself.
func NextIssue(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next invoice to issue")
	settings, err := account.Of(tx)
	if err != nil {
		return at, false, err
	}
	for _, usage := range []bool{true, false} { // which differ in how long they wait
		var rows []invoice.Invoice
		if err := issuing(tx, settings, by).Where(invoice.Free(due.Billing)).Where("has_usage = ?", usage).Limit(1).Find(&rows).Error; err != nil {
			return at, false, err
		}
		for _, row := range rows {
			if eligible := invoice.EligibleAt(settings, row).UTC(); !found || eligible.Before(at) {
				at, found = eligible, true
			}
		}
	}
	return at, found, nil
}

// WaitForHand counts the drafts that may be issued now and do not issue themselves, as far as most.
func WaitForHand(tx *store.Tx, most int) (n int, err error) {
	defer fault.Doing(&err, "count the drafts that wait to be issued")
	settings, err := account.Of(tx)
	if err != nil {
		return 0, err
	}
	var ids []string
	err = eligible(tx, settings, tx.Now).Where("NOT "+automatic, settings.AutoIssuance).Limit(most).Pluck("invoices.id", &ids).Error
	return len(ids), err
}

// IssueNext issues the invoice of the earliest date that is due, and keeps those of the
// same customer from being issued meanwhile, so that they are numbered in that order. It
// reports false when none is due, or others are at work on all that are.
func IssueNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "issue the invoice that is due")
	settings, err := account.Of(tx)
	if err != nil {
		return false, err
	}
	rows, err := lockFirst(issuing(tx, settings, tx.Now).Where(invoice.Free(due.Billing)), "c, invoices", 1)
	if err != nil || len(rows) == 0 {
		return false, err
	}
	due.Concern(tx, rows[0].Subject())
	v, err := invoice.ViewToIssue(tx, settings, rows[0])
	if err != nil {
		return false, err
	}
	return true, issueAndRefund(tx, settings, v)
}

// IssueSeveral is IssueNext for up to most drafts, each of another customer. What they have in common is read
// once. It stops between two drafts when over says that the time is up, and returns how many it issued. If one
// draft cannot be issued, all fail: the caller then issues them one by one.
func IssueSeveral(tx *store.Tx, most int, over func() bool) (done int, err error) {
	defer fault.Doing(&err, "issue several invoices that are due")
	settings, err := account.Of(tx)
	if err != nil {
		return 0, err
	}
	rows, err := lockFirst(issuing(tx, settings, tx.Now).Where(invoice.Free(due.Billing)), "c, invoices", most)
	if err != nil || len(rows) == 0 {
		return 0, err
	}
	rows = untilCustomerRepeats(rows)
	prepared, err := invoice.PrepareToIssue(tx, settings, rows)
	if err != nil {
		return 0, err
	}
	for done < len(rows) && (done == 0 || !over()) {
		v, err := prepared.View(tx, rows[done])
		if err != nil {
			return 0, err
		}
		if err := issueAndRefund(tx, settings, v); err != nil {
			return 0, err
		}
		done++
	}
	return done, nil
}

// untilCustomerRepeats returns the first rows, each of another customer. Issuing an invoice may change what the next
// one of the customer is made under.
func untilCustomerRepeats(rows []invoice.Invoice) []invoice.Invoice {
	taken := map[string]bool{}
	for k, row := range rows {
		if taken[row.CustomerID] {
			return rows[:k]
		}
		taken[row.CustomerID] = true
	}
	return rows
}

// issueDue issues what a subscription has due by now.
func issueDue(tx *store.Tx, subscriptionID string) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	for {
		rows, err := lockFirst(issuing(tx, settings, tx.Now).Where("invoices.subscription_id = ?", subscriptionID), "invoices", 1)
		if err != nil || len(rows) == 0 {
			return err
		}
		due.Concern(tx, rows[0].Subject())
		if err := issueDraft(tx, settings, rows[0]); err != nil {
			return err
		}
	}
}

// lockFirst locks the first drafts of those whose rows in some tables are not locked.
func lockFirst(drafts *gorm.DB, tables string, most int) (rows []invoice.Invoice, err error) {
	err = drafts.Clauses(clause.Locking{
		Strength: "NO KEY UPDATE", Table: clause.Table{Name: tables, Raw: true}, Options: clause.LockingOptionsSkipLocked,
	}).Limit(most).Find(&rows).Error
	return rows, err
}

// issueDraft issues a locked draft as it reads now.
func issueDraft(tx *store.Tx, settings account.Account, row invoice.Invoice) error {
	v, err := invoice.ViewToIssue(tx, settings, row)
	if err != nil {
		return err
	}
	return issueView(tx, settings, v)
}

// issuing finds the drafts that issue themselves at or before an instant, by date.
func issuing(tx *store.Tx, settings account.Account, by time.Time) *gorm.DB {
	return eligible(tx, settings, by).Where(automatic, settings.AutoIssuance)
}

// automatic is whether a draft issues itself: the invoice says so, or else its subscription, its customer or the account.
const automatic = "coalesce(invoices.auto_issues, s.auto_issuance, c.auto_issuance, ?)"

// eligible finds the drafts that may be issued at an instant, by date.
func eligible(tx *store.Tx, settings account.Account, by time.Time) *gorm.DB {
	return tx.Model(&invoice.Invoice{}).
		Joins("JOIN customers c ON c.account_id = invoices.account_id AND c.id = invoices.customer_id").
		Joins("LEFT JOIN subscriptions s ON s.account_id = invoices.account_id AND s.id = invoices.subscription_id").
		Where("invoices.status = 'draft' AND invoices.invoice_date <= CASE WHEN invoices.has_usage THEN ?::timestamptz ELSE ? END",
			by.Add(-settings.IssueDelay()), by).
		Where("invoices.invoice_date <= ?", by).
		Order("invoices.invoice_date, invoices.seq")
}

// issueAndRefund issues a draft as it is shown, where no change of its subscription does so. A change
// refunds what it ends itself, after its documents.
func issueAndRefund(tx *store.Tx, settings account.Account, v invoice.View) error {
	if err := issueView(tx, settings, v); err != nil || v.SubscriptionID == nil {
		return err
	}
	return refundReturned(tx, v)
}

// issueView issues a draft as it is shown, and credits what it charges too much: for fees
// that became less while it was a draft, and for allocations that ended within their period.
func issueView(tx *store.Tx, settings account.Account, v invoice.View) error {
	if err := invoice.Finalize(tx, settings, v); err != nil || v.SubscriptionID == nil {
		return err
	}
	if hasDecreases(v, tx.Now) {
		if err := creditDecreases(tx, v); err != nil {
			return err
		}
	}
	return refundGrants(tx, v.Terms, true, func(inv invoice.Invoice) bool { return inv.ID == v.ID })
}

// hasDecreases reports whether a fee of a draft became less since its date.
func hasDecreases(v invoice.View, now time.Time) bool {
	return slices.ContainsFunc(v.Terms.Intervals, func(i subscription.PriceInterval) bool {
		return i.Price.InAdvance() && len(v.Terms.Decreases(i, v.InvoiceDate, now)) > 0
	})
}

// creditDecreases credits what an invoice that was just issued charges too much, since fees
// became less while it was a draft. Who changes the subscription waits for its draft.
func creditDecreases(tx *store.Tx, v invoice.View) error {
	b, err := readHistory(tx, tx.DB, *v.SubscriptionID)
	if err != nil {
		return err
	}
	less, _ := b.creditsOwed(v.Terms, b.Issued, tx.Now)
	less = slices.DeleteFunc(less, func(t invoice.Reversal) bool { return t.Line.InvoiceID != v.ID })
	if len(less) > 0 {
		_, err = invoice.Credit(tx, v.ID, reversals(less).lines())
	}
	return err
}
