package invoice

import (
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Finalize issues a draft as it is shown: see [ViewToIssue]. The order of steps is that of
// semantics 8.1.5. An invoice without an amount due is paid at once.
func Finalize(tx *store.Tx, settings account.Account, v View) (err error) {
	defer fault.Doing(&err, "finalize invoice %s", v.ID)
	buyer, number, err := customer.NextInvoiceNumber(tx, settings, v.CustomerID)
	if err != nil {
		return err
	}
	amountDue, err := buyer.Settle(tx, v.ID, v.Total)
	if err != nil {
		return err
	}
	if amountDue, err = carryBelowMinimum(tx, settings, v, amountDue); err != nil {
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
	particulars, err := v.particulars(tx, settings)
	if err != nil {
		return err
	}
	row := Invoice{
		Particulars: &particulars,
		Status:      StatusIssued, Number: &number, IssuedAt: &tx.Now, DueAt: &due, Memo: v.Memo,
		AutoCollection: &v.AutoCollection, AutoIssued: &v.WillAutoIssue,
		Subtotal: &v.Subtotal, Total: &v.Total, AmountDue: &amountDue,
		AdjustmentRule: OverPeriods,
		BillingAddress: v.Billing, ShippingAddress: v.Shipping, TaxID: v.Tax,
	}
	if v.SubscriptionID != nil {
		row.Revision = &v.Terms.Revision
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
		Select("status", "number", "issued_at", "due_at", "memo", "auto_collection", "auto_issued", "revision",
			"subtotal", "total", "amount_due", "billing_address", "shipping_address", "tax_id", "paid_at", "next_attempt_at", "particulars", "adjustment_rule").
		Updates(&row).Error
	if err != nil {
		return err
	}
	if row.Status == StatusPaid {
		return v.activatePurchased(tx)
	}
	return nil
}

// carryBelowMinimum takes what is due to the customer's balance, to be paid with the next
// invoice, if it is too little to be charged by a payment provider (semantics 8.1.7).
// It returns what is left to pay.
func carryBelowMinimum(tx *store.Tx, settings account.Account, v View, due money.Decimal) (money.Decimal, error) {
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
