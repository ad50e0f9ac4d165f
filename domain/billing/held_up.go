package billing

import (
	"database/sql"
	"errors"
	"fmt"

	"tollkeeper/domain/due"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// HeldUp returns what a failed unit of due work of the lane [due.Billing] holds up: the subscription
// that it concerns, or the whole customer where credits were ever granted. All subscriptions of a
// customer draw on one ledger, in the order of time. Subscriptions without credits go on one without the
// other, so their invoices are numbered in the order in which they are issued, which may not be that of their
// dates. A number is taken in the transaction that issues, under the lock of the row that counts: one that
// fails gives its number back, so numbers neither collide nor leave a hole (semantics 8.1.8).
func HeldUp(tx *store.Tx, of due.Subject) (_ due.Subject, err error) {
	defer fault.Doing(&err, "find what a failed unit holds up")
	if of.SubscriptionID == nil {
		return of, nil
	}
	var customer string
	var credits bool
	err = tx.Conn().QueryRowContext(tx.Context(), `
		SELECT s.customer_id, EXISTS (SELECT FROM credit_ledgers l WHERE l.account_id = s.account_id AND l.customer_id = s.customer_id)
		FROM subscriptions s WHERE s.account_id = $1 AND s.id = $2`, tx.AccountID, *of.SubscriptionID).Scan(&customer, &credits)
	if errors.Is(err, sql.ErrNoRows) {
		return of, nil
	}
	if err != nil {
		return of, fmt.Errorf("find whose subscription %s is: %w", *of.SubscriptionID, err)
	}
	of.CustomerID = &customer
	if credits {
		of.SubscriptionID = nil
	}
	return of, nil
}
