package credit

import "tollkeeper/store"

// BrokenLedgers returns the customers who have a ledger with a hole: its entries are
// numbered from 1 on, without one missing.
func BrokenLedgers(tx *store.Tx) (customerIDs []string, err error) {
	err = tx.Raw(`
		SELECT customer_id FROM ledger_entries WHERE account_id = ?
		GROUP BY customer_id, currency HAVING count(*) <> max(sequence)
		ORDER BY customer_id`, tx.AccountID).Scan(&customerIDs).Error
	return customerIDs, err
}
