package customer

import "tollkeeper/store"

// BrokenBalances returns the customers whose balance is not what its moves lead to:
// each begins where the one before it ended, the first at 0, and the last ends at the
// balance.
func BrokenBalances(tx *store.Tx) (ids []string, err error) {
	err = tx.Raw(`
		WITH moves AS (
			SELECT customer_id, starting_balance, ending_balance,
				lag(ending_balance, 1, 0) OVER in_order AS before,
				lead(seq) OVER in_order IS NULL AS last
			FROM balance_transactions WHERE account_id = ?
			WINDOW in_order AS (PARTITION BY customer_id ORDER BY seq)
		)
		SELECT c.id FROM customers c LEFT JOIN moves m ON m.customer_id = c.id
		WHERE c.account_id = ?
		GROUP BY c.id, c.balance
		HAVING bool_or(m.starting_balance <> m.before) OR c.balance <> coalesce(max(m.ending_balance) FILTER (WHERE m.last), 0)
		ORDER BY c.id`, tx.AccountID, tx.AccountID).Scan(&ids).Error
	return ids, err
}
