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

// UnbalancedLedgers returns the customers who have a ledger whose entries do not follow
// from each other, or do not lead to its balance, or whose blocks do not hold that.
func UnbalancedLedgers(tx *store.Tx) (customerIDs []string, err error) {
	err = tx.Raw(`
		WITH entries AS (
			SELECT customer_id, currency, sequence, ending_balance, starting_balance,
				lag(ending_balance, 1, 0) OVER (PARTITION BY customer_id, currency ORDER BY sequence) AS before
			FROM ledger_entries WHERE account_id = @account
		), blocks AS (
			SELECT customer_id, currency, sum(balance) AS held FROM credit_blocks WHERE account_id = @account AND counted GROUP BY 1, 2
		)
		SELECT customer_id FROM entries WHERE starting_balance <> before
		UNION SELECT l.customer_id FROM credit_ledgers l
			LEFT JOIN entries e ON e.customer_id = l.customer_id AND e.currency = l.currency AND e.sequence = l.last_sequence
			LEFT JOIN blocks b ON b.customer_id = l.customer_id AND b.currency = l.currency
			WHERE l.account_id = @account AND (l.balance <> coalesce(e.ending_balance, 0) OR l.balance <> coalesce(b.held, 0))
		ORDER BY 1`, map[string]any{"account": tx.AccountID}).Scan(&customerIDs).Error
	return customerIDs, err
}

// WrongBlocks returns the blocks that do not hold what their entries left them of what
// they began with, or owe credits though they may not.
func WrongBlocks(tx *store.Tx) (ids []string, err error) {
	err = tx.Raw(`
		SELECT b.id FROM credit_blocks b LEFT JOIN ledger_entries e ON e.account_id = b.account_id AND e.block_id = b.id
		WHERE b.account_id = ? GROUP BY b.account_id, b.id
		HAVING b.balance <> b.initial_balance + coalesce(sum(CASE
				WHEN e.kind IN ('decrement', 'credit_block_expiry', 'void', 'expiration_change') THEN -e.amount
				WHEN e.kind = 'amendment' THEN e.amount
			END), 0)
			OR b.balance < 0 AND (b.expires_at IS NOT NULL OR b.filters <> '[]')
		ORDER BY b.id`, tx.AccountID).Scan(&ids).Error
	return ids, err
}
