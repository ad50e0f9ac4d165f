package allocation

import "tollkeeper/store"

// Strays returns the blocks of credits that came of allocation prices, but of no period
// that was granted.
func Strays(tx *store.Tx) (blockIDs []string, err error) {
	err = tx.Raw(`
		SELECT b.id FROM credit_blocks b LEFT JOIN allocation_grants g ON g.account_id = b.account_id AND g.block_id = b.id
		WHERE b.account_id = ? AND b.source = 'allocation' AND g.id IS NULL
		ORDER BY b.id`, tx.AccountID).Scan(&blockIDs).Error
	return blockIDs, err
}
