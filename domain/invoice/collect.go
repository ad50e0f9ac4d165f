package invoice

import (
	"time"

	"gorm.io/gorm"
	"gorm.io/gorm/clause"

	"tollkeeper/domain/account"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/due"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Pay charges an issued invoice at once, on request. The schedule of its charges goes
// on unless this one succeeds (semantics 8.3.3).
func Pay(tx *store.Tx, id, method string) (_ View, err error) {
	defer fault.Doing(&err, "pay invoice %s", id)
	inv, err := Lock(tx, id)
	if err != nil {
		return View{}, err
	}
	if inv.Status != StatusIssued {
		return View{}, fault.Refused("only an issued invoice can be paid; this one is %s", inv.Status)
	}
	settings, err := account.Of(tx)
	if err != nil {
		return View{}, err
	}
	if !gatewayOf(settings).Collects() {
		return View{}, fault.Unavailable("this account has no payment gateway; mark the invoice paid instead")
	}
	if _, err := inv.charge(tx, settings, method, false); err != nil {
		return View{}, err
	}
	return Find(tx, id)
}

// Free is the SQL condition that no parked unit of a lane holds up an invoice.
func Free(lane due.Lane) string {
	return lane.FreeSubscription("invoices.account_id", "invoices.customer_id", "invoices.subscription_id")
}

// Subject is what a unit of due work on the invoice concerns.
func (i Invoice) Subject() due.Subject {
	return due.Subject{CustomerID: &i.CustomerID, SubscriptionID: i.SubscriptionID}
}

// NextCollection returns the earliest instant, at or before by, at which an invoice
// is to be charged.
func NextCollection(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	defer fault.Doing(&err, "find the next payment to collect")
	var dates []time.Time
	err = tx.Model(&Invoice{}).Where("next_attempt_at <= ?", by).Where(Free(due.Payments)).Order("next_attempt_at, seq").Limit(1).
		Pluck("next_attempt_at", &dates).Error
	if err != nil || len(dates) == 0 {
		return at, false, err
	}
	return dates[0].UTC(), true, nil
}

// CollectNext charges the invoice that has waited longest. It reports false when none
// is due, or another server is at work on all that are.
func CollectNext(tx *store.Tx) (more bool, err error) {
	defer fault.Doing(&err, "collect the payment that is due")
	var rows []Invoice
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate, Options: clause.LockingOptionsSkipLocked}).
		Where("next_attempt_at <= ?", tx.Now).Where(Free(due.Payments)).Order("next_attempt_at, seq").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return false, err
	}
	inv := rows[0]
	due.Concern(tx, inv.Subject())
	settings, err := account.Of(tx)
	if err != nil {
		return false, err
	}
	if !gatewayOf(settings).Collects() { // no longer
		inv.NextAttemptAt = nil
		return true, inv.Save(tx, "next_attempt_at")
	}
	buyers, err := customer.FindAll(tx, []string{inv.CustomerID})
	if err != nil {
		return false, err
	}
	buyer := buyers[inv.CustomerID]
	method := ""
	if buyer.PaymentProviderID != nil {
		method = *buyer.PaymentProviderID
	}
	succeeded, err := inv.charge(tx, settings, method, true)
	if err != nil || succeeded {
		return true, err
	}
	return true, inv.reschedule(tx, settings, buyer.Location())
}

// charge asks the gateway for what is due of a locked invoice, and records it.
func (i *Invoice) charge(tx *store.Tx, settings account.Account, method string, automatic bool) (succeeded bool, err error) {
	receipt := gatewayOf(settings).Charge(Charge{Amount: i.Due(), Currency: i.Currency, Method: method})
	attempt := PaymentAttempt{
		Record: tx.Record("pay"), InvoiceID: i.ID, Amount: i.Due(), Provider: receipt.Provider, ProviderID: receipt.ProviderID,
		Automatic: automatic, Succeeded: receipt.Succeeded,
	}
	if err := tx.Create(&attempt).Error; err != nil {
		return false, err
	}
	what := webhook.Properties{
		"payment_provider": attempt.Provider, "payment_provider_id": attempt.ProviderID, "payment_provider_transaction_id": attempt.ProviderID,
	}
	if !receipt.Succeeded {
		webhook.Announce(tx, webhook.InvoicePaymentFailed, i.ID, what)
		return false, nil
	}
	webhook.Announce(tx, webhook.InvoicePaymentSucceeded, i.ID, what)
	return true, i.pay(tx, tx.Now)
}

// reschedule plans the next charge after one that failed: so many days after the
// first failure, at its time of day (semantics 8.3.3).
func (i *Invoice) reschedule(tx *store.Tx, settings account.Account, loc *time.Location) error {
	attempts, err := attemptsOf(tx, []string{i.ID})
	if err != nil {
		return err
	}
	failed := automatic(attempts[i.ID])
	i.NextAttemptAt = nil
	if days := settings.Retries(); len(failed) <= len(days) {
		next := failed[0].CreatedAt.In(loc).AddDate(0, 0, days[len(failed)-1]).UTC()
		i.NextAttemptAt = &next
	}
	return i.Save(tx, "next_attempt_at")
}

// automatic are the attempts of the schedule, oldest first.
func automatic(attempts []PaymentAttempt) (scheduled []PaymentAttempt) {
	for _, a := range attempts {
		if a.Automatic {
			scheduled = append(scheduled, a)
		}
	}
	return scheduled
}

// Collection is how an invoice is charged.
type Collection struct {
	Attempts  int // of the schedule
	LastAt    *time.Time
	NextAt    *time.Time // nil: not by itself any more
	StartedAt *time.Time // of the last charge, by a request or by itself
	FailedAt  *time.Time // of the last that failed
}

// Collection sums up the charges of an invoice.
func (v View) Collection() Collection {
	c := Collection{NextAt: v.NextAttemptAt}
	for _, a := range v.PaymentAttempts {
		c.StartedAt = &a.CreatedAt
		if !a.Succeeded {
			c.FailedAt = &a.CreatedAt
		}
		if a.Automatic {
			c.Attempts, c.LastAt = c.Attempts+1, &a.CreatedAt
		}
	}
	return c
}

// Of narrows a search of invoices to those that a unit of due work concerned.
func Of(query *gorm.DB, s due.Subject) *gorm.DB {
	return query.Where("customer_id = ? AND subscription_id IS NOT DISTINCT FROM ?", s.CustomerID, s.SubscriptionID)
}

// SkipCollection ends the charges by itself of the invoice of which a unit was parked.
func SkipCollection(tx *store.Tx, p due.Parked) error {
	var rows []Invoice
	err := Of(tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}), p.Subject).
		Where("next_attempt_at <= ?", p.DueAt).Order("next_attempt_at, seq").Limit(1).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return err
	}
	rows[0].NextAttemptAt = nil
	return rows[0].Save(tx, "next_attempt_at")
}
