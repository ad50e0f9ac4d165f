package invoice

import (
	"slices"
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// Issue issues a draft by hand. That is refused for invoices that issue
// themselves, before the grace period is over, and after the first time
// (semantics 8.1.4).
func Issue(tx *store.Tx, id string, synchronous bool) (View, error) {
	row, err := lock(tx, id)
	if err != nil {
		return View{}, err
	}
	if row.Status != StatusDraft {
		return View{}, fault.Refused("only a draft can be issued; this invoice is %s", row.Status)
	}
	settings, err := account.Of(tx)
	if err != nil {
		return View{}, err
	}
	views, err := whole(tx, settings, []Invoice{row})
	if err != nil {
		return View{}, err
	}
	switch v := views[0]; {
	case v.WillAutoIssue:
		return View{}, fault.Refused("this invoice issues itself")
	case tx.Now.Before(*v.EligibleAt):
		return View{}, fault.Refused("this invoice cannot be issued before eligible_to_issue_at")
	case synchronous && v.HasUsage:
		return View{}, fault.Refused("an invoice with usage cannot be issued synchronously")
	}
	if err := views[0].refuseBefore(tx); err != nil {
		return View{}, err
	}
	if err := issueView(tx, settings, views[0]); err != nil {
		return View{}, err
	}
	return Find(tx, id)
}

// NextIssue returns the earliest instant, at or before by, at which an invoice
// is to issue itself.
func NextIssue(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	settings, err := account.Of(tx)
	if err != nil {
		return at, false, err
	}
	for _, usage := range []bool{true, false} { // which differ in how long they wait
		var rows []Invoice
		if err := issuing(tx, settings, by).Where("has_usage = ?", usage).Limit(1).Find(&rows).Error; err != nil {
			return at, false, err
		}
		for _, row := range rows {
			if eligible := eligibleAt(settings, row).UTC(); !found || eligible.Before(at) {
				at, found = eligible, true
			}
		}
	}
	return at, found, nil
}

// IssueNext issues the invoice of the earliest date that is due, and keeps those of the
// same customer from being issued meanwhile, so that they are numbered in that order. It
// reports false when none is due, or others are at work on all that are.
func IssueNext(tx *store.Tx) (more bool, err error) {
	settings, err := account.Of(tx)
	if err != nil {
		return false, err
	}
	return issueFirst(tx, settings, issuing(tx, settings, tx.Now), "invoices, c")
}

// issueDue issues what a subscription has due by now.
func issueDue(tx *store.Tx, subscriptionID string) error {
	settings, err := account.Of(tx)
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		more, err = issueFirst(tx, settings, issuing(tx, settings, tx.Now).Where("invoices.subscription_id = ?", subscriptionID), "invoices")
	}
	return err
}

// issueFirst issues the first draft of those whose rows in some tables nobody has locked.
func issueFirst(tx *store.Tx, settings account.Account, due *gorm.DB, tables string) (more bool, err error) {
	var rows []Invoice
	err = due.Clauses(clause.Locking{
		Strength: "NO KEY UPDATE", Table: clause.Table{Name: tables, Raw: true}, Options: clause.LockingOptionsSkipLocked,
	}).Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return false, err
	}
	views, err := whole(tx, settings, rows)
	if err != nil {
		return false, err
	}
	return true, issueView(tx, settings, views[0])
}

// issuing finds the drafts that issue themselves at or before an instant, by date.
func issuing(tx *store.Tx, settings account.Account, by time.Time) *gorm.DB {
	return tx.Model(&Invoice{}).
		Joins("JOIN customers c ON c.account_id = invoices.account_id AND c.id = invoices.customer_id").
		Joins("LEFT JOIN subscriptions s ON s.account_id = invoices.account_id AND s.id = invoices.subscription_id").
		Where("invoices.status = 'draft' AND invoices.invoice_date <= CASE WHEN invoices.has_usage THEN ?::timestamptz ELSE ? END",
			by.Add(-settings.IssueDelay()), by).
		Where("invoices.invoice_date <= ?", by).
		Where("coalesce(invoices.auto_issues, s.auto_issuance, c.auto_issuance, ?)", settings.AutoIssuance).
		Order("invoices.invoice_date, invoices.seq")
}

// freeze issues a draft as it reads now. The order of steps is that of
// semantics 8.1.5. An invoice without an amount due is paid at once.
func freeze(tx *store.Tx, settings account.Account, v View) error {
	v, err := withCredits(tx, settings, v)
	if err != nil {
		return err
	}
	buyer, number, err := customer.NextInvoiceNumber(tx, settings, v.CustomerID)
	if err != nil {
		return err
	}
	amountDue, err := buyer.Settle(tx, v.ID, v.Total)
	if err != nil {
		return err
	}
	if amountDue, err = carrySmall(tx, settings, v, amountDue); err != nil {
		return err
	}
	if len(v.Lines) > 0 {
		if err := keepItems(tx, v.Lines); err != nil {
			return err
		}
		if err := tx.Create(&v.Lines).Error; err != nil {
			return err
		}
	}
	due := dueAt(tx.Now, v, settings)
	row := Invoice{
		Status: StatusIssued, Number: &number, IssuedAt: &tx.Now, DueAt: &due, Memo: v.Memo,
		AutoCollection: &v.AutoCollection, AutoIssued: &v.WillAutoIssue,
		Subtotal: &v.Subtotal, Total: &v.Total, AmountDue: &amountDue,
		BillingAddress: v.Billing, ShippingAddress: v.Shipping, TaxID: v.Tax,
	}
	if v.SubscriptionID != nil {
		row.Edition = &v.Terms.Edition
	}
	switch {
	case amountDue.IsZero():
		row.Status, row.PaidAt = StatusPaid, &tx.Now
	case v.AutoCollection && gatewayOf(settings).Collects():
		row.NextAttemptAt = &due
		if due.Before(tx.Now) {
			row.NextAttemptAt = &tx.Now
		}
	}
	how := webhook.Properties{"automatically_marked_as_paid": row.Status == StatusPaid}
	webhook.Announce(tx, webhook.InvoiceIssued, v.ID, how)
	webhook.Announce(tx, webhook.InvoiceIssuedSummary, v.ID, how)
	err = tx.Model(&Invoice{}).Where("id = ?", v.ID).
		Select("status", "number", "issued_at", "due_at", "memo", "auto_collection", "auto_issued", "edition",
			"subtotal", "total", "amount_due", "billing_address", "shipping_address", "tax_id", "paid_at", "next_attempt_at").
		Updates(&row).Error
	if err != nil {
		return err
	}
	if row.Status == StatusPaid {
		return v.deliver(tx)
	}
	return nil
}

// issueView issues a draft as it reads now, and credits what it charges too much: for fees
// that became less while it was a draft, and for allocations that ended within their period.
func issueView(tx *store.Tx, settings account.Account, v View) error {
	if err := freeze(tx, settings, v); err != nil || v.SubscriptionID == nil {
		return err
	}
	if lessened(v, tx.Now) {
		if err := creditLess(tx, v); err != nil {
			return err
		}
	}
	return refundGrants(tx, v.Terms, true, func(inv Invoice) bool { return inv.ID == v.ID })
}

// lessened reports whether a fee of a draft became less since its date.
func lessened(v View, now time.Time) bool {
	return slices.ContainsFunc(v.Terms.Intervals, func(i subscription.PriceInterval) bool {
		return i.Price.InAdvance() && len(v.Terms.Decreases(i, v.InvoiceDate, now)) > 0
	})
}

// creditLess credits what an invoice that was just issued charges too much, since fees
// became less while it was a draft. Who changes the subscription waits for its draft.
func creditLess(tx *store.Tx, v View) error {
	b, err := readBooks(tx, tx.DB, *v.SubscriptionID)
	if err != nil {
		return err
	}
	less, _ := b.reckon(v.Terms, b.issued, tx.Now)
	less = slices.DeleteFunc(less, func(t taking) bool { return t.Line.InvoiceID != v.ID })
	if len(less) > 0 {
		_, err = Credit(tx, v.ID, takings(less).lines())
	}
	return err
}

// carrySmall takes what is due to the customer's balance, to be paid with the next
// invoice, if it is too little to be charged by a payment provider (semantics 8.1.7).
// It returns what is left to pay.
func carrySmall(tx *store.Tx, settings account.Account, v View, due money.Decimal) (money.Decimal, error) {
	if due.IsZero() || due.Cmp(settings.SmallestCharge) >= 0 || v.Customer.PaymentProvider == nil {
		return due, nil
	}
	why := customer.Cause{Action: customer.ActionSmallInvoiceCarry, InvoiceID: &v.ID}
	return money.Decimal{}, customer.Move(tx, v.CustomerID, due.Neg(), why)
}

// dueAt is the local midnight that begins the day net terms after the issue
// date, or after the invoice date where the account says so (semantics 8.1.9).
func dueAt(now time.Time, v View, settings account.Account) time.Time {
	if v.CustomDueAt != nil {
		return *v.CustomDueAt
	}
	days := v.Terms.NetTerms()
	if v.NetTermsDays != nil {
		days = *v.NetTermsDays
	}
	from := now
	if settings.DueFromInvoiceDate() {
		from = v.InvoiceDate
	}
	loc := v.Terms.Customer.Location()
	return period.DateOf(from, loc).AddDays(days).In(loc)
}
