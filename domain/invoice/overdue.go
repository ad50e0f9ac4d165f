package invoice

import (
	"time"

	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// Overdue reports whether something of an issued invoice is left to pay when the day on which it is due, in the time
// zone of its customer, is over (semantics 8.1.9).
func (i Invoice) Overdue(now time.Time, zone *time.Location) bool {
	return i.Status == StatusIssued && i.DueAt != nil && i.Due().Sign() > 0 &&
		period.DateOf(*i.DueAt, zone).Before(period.DateOf(now, zone))
}

// overdue is the same rule for a query, with the time.
const overdue = `status = 'issued' AND amount_due > credited AND coalesce((SELECT (due_at AT TIME ZONE timezone)::date < (?::timestamptz AT TIME ZONE timezone)::date
	FROM customers WHERE customers.account_id = invoices.account_id AND customers.id = invoices.customer_id), false)`

// OverdueSum is what is overdue in one currency.
type OverdueSum struct {
	Currency money.Currency
	Invoices int
	Amount   money.Decimal // more than 0
}

// OverdueOf returns what a customer owes by invoices that are overdue, by currency. It is empty where nothing is.
func OverdueOf(tx *store.Tx, customerID string) (sums []OverdueSum, err error) {
	defer fault.Doing(&err, "sum what is overdue of customer %s", customerID)
	err = tx.Model(&Invoice{}).Where("customer_id = ?", customerID).Where(overdue, tx.Now).
		Select("currency, count(*) AS invoices, sum(amount_due - credited) AS amount").Group("currency").Order("currency").Scan(&sums).Error
	return sums, err
}
