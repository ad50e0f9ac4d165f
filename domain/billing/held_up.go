package billing

import (
	"database/sql"
	"errors"
	"fmt"

	"tollkeeper/domain/due"
	"tollkeeper/store"
)

// HeldUp returns what a unit of due work of the lane [due.Billing] holds up that failed. That is the subscription
// that it concerns, or the whole customer where credits were ever granted: all subscriptions of a customer
// draw on one ledger, in the order of time.
func HeldUp(tx *store.Tx, of due.Subject) (due.Subject, error) {
	if of.SubscriptionID == nil {
		return of, nil
	}
	var customer string
	var credits bool
	err := tx.Conn().QueryRowContext(tx.Context(), `
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
