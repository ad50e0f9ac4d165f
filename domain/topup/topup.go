package topup

import (
	"time"

	"gorm.io/gorm/clause"

	"tollkeeper/domain/due"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/store"
)

// TopUp is the agreement to buy credits when few are left.
type TopUp struct {
	store.Record
	CustomerID       string
	Currency         money.Currency // of the credits
	Threshold        string         // decimal, as sent; bought at this balance or below
	Amount           string         // decimal, as sent; bought each time
	PerUnitCostBasis string         // decimal, as sent; what one costs in the customer's currency
	ExpiresAfter     *int           // how long they last, from the day they are bought; nil: for ever
	ExpiresAfterUnit *Unit
	ActiveFrom       time.Time

	AutoCollection  bool // of the invoices, as the following
	NetTermsDays    int
	Memo            *string
	RequiresPayment bool // credits count when their invoice is paid, and no more are bought before

	SeenChanges   *int64     // of the ledger when its balance was looked at last; nil: never
	DeactivatedAt *time.Time // nil: it is active, or will be
}

// TableName is the table of top-ups.
func (TopUp) TableName() string { return "top_ups" }

// Unit is what the life of credits is counted in.
type Unit string

// The units.
const (
	UnitDay   Unit = "day"
	UnitMonth Unit = "month"
)

// Quantity is how many credits are bought each time.
func (t TopUp) Quantity() money.Decimal { return money.Must(t.Amount) }

// Reached reports whether a balance is so low that credits are bought.
func (t TopUp) Reached(balance money.Decimal) bool { return balance.Cmp(money.Must(t.Threshold)) <= 0 }

// Sells reports whether credits cost anything.
func (t TopUp) Sells() bool { return money.Must(t.PerUnitCostBasis).Sign() > 0 }

// Expiry is when credits expire that are bought on a day: at the start of another, in a
// month that is too short of its last; nil for never (semantics 11.1.3).
func (t TopUp) Expiry(bought period.Date, loc *time.Location) *time.Time {
	if t.ExpiresAfter == nil {
		return nil
	}
	last := bought.AddDays(*t.ExpiresAfter)
	if *t.ExpiresAfterUnit == UnitMonth {
		last = bought.AddMonths(*t.ExpiresAfter, bought.Day)
	}
	at := last.In(loc)
	return &at
}

// Find returns a top-up of a customer that was not deactivated, or fault.Missing.
func Find(tx *store.Tx, customerID, id string) (found TopUp, err error) {
	err = tx.Where("customer_id = ? AND id = ? AND deactivated_at IS NULL", customerID, id).Take(&found).Error
	return found, store.Found(err, "TopUp", id)
}

// List returns a page of the top-ups of a customer that were not deactivated, newest
// first.
func List(tx *store.Tx, customerID string, page store.Page) (all []TopUp, next string, err error) {
	return store.List[TopUp](tx.Where("customer_id = ? AND deactivated_at IS NULL", customerID), page)
}

// Deactivate ends a top-up, if that was not done.
func Deactivate(tx *store.Tx, id string) error {
	return tx.Model(&TopUp{}).Where("id = ? AND deactivated_at IS NULL", id).Update("deactivated_at", tx.Now).Error
}

// DeactivateOf ends the top-ups of a customer.
func DeactivateOf(tx *store.Tx, customerID string) error {
	return tx.Model(&TopUp{}).Where("customer_id = ? AND deactivated_at IS NULL", customerID).Update("deactivated_at", tx.Now).Error
}

// Look notes that the balance was looked at after so many changes of the ledger.
func (t *TopUp) Look(tx *store.Tx, changes int64) error {
	t.SeenChanges = &changes
	return tx.Model(t).Select("seen_changes").Updates(t).Error
}

// changed are the top-ups whose ledgers changed since they were looked at, by an instant.
// A customer without a ledger has a balance, too: of nothing.
const changed = `
	FROM top_ups t LEFT JOIN credit_ledgers l USING (account_id, customer_id, currency)
	WHERE t.account_id = ? AND t.deactivated_at IS NULL AND t.active_from <= ?
	AND (t.seen_changes IS NULL OR t.seen_changes < l.changes)`

// free is the condition that no parked unit holds up a top-up.
var free = due.Billing.FreeCustomer("t.account_id", "t.customer_id")

// NextDue returns the earliest instant, at or before by, at which a balance is to be
// looked at: when it changed, or the top-up became active.
func NextDue(tx *store.Tx, by time.Time) (at time.Time, found bool, err error) {
	var first struct{ At *time.Time }
	err = tx.Raw("SELECT min(greatest(t.active_from, l.changed_at)) AS at "+changed+" AND "+free, tx.AccountID, by).Scan(&first).Error
	if err != nil || first.At == nil {
		return at, false, err
	}
	return first.At.UTC(), true, nil
}

// FirstDue returns the top-up whose balance is to be looked at first by now, false if
// none is. It is not refused.
func FirstDue(tx *store.Tx) (first TopUp, found bool, err error) {
	var rows []TopUp
	err = tx.Raw("SELECT t.* "+changed+" AND "+free+" ORDER BY greatest(t.active_from, l.changed_at), t.seq LIMIT 1", tx.AccountID, tx.Now).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return TopUp{}, false, err
	}
	due.Concern(tx, due.Subject{CustomerID: &rows[0].CustomerID})
	return rows[0], true, nil
}

// DueOf returns the top-up of a customer in a unit, if its balance is to be looked at by
// now.
func DueOf(tx *store.Tx, customerID string, currency money.Currency) (of TopUp, found bool, err error) {
	var rows []TopUp
	err = tx.Raw("SELECT t.* "+changed+" AND customer_id = ? AND currency = ?", tx.AccountID, tx.Now, customerID, currency).Scan(&rows).Error
	if err != nil || len(rows) == 0 {
		return TopUp{}, false, err
	}
	return rows[0], true, nil
}

// Lock reads a top-up again, and keeps it from changing until the transaction ends. It is
// false when it was deactivated meanwhile.
func Lock(tx *store.Tx, id string) (locked TopUp, active bool, err error) {
	var rows []TopUp
	err = tx.Clauses(clause.Locking{Strength: clause.LockingStrengthUpdate}).Where("id = ? AND deactivated_at IS NULL", id).Find(&rows).Error
	if err != nil || len(rows) == 0 {
		return TopUp{}, false, err
	}
	return rows[0], true, nil
}
