package allocation

import "tollkeeper/store"

// Strays returns the blocks of credits that came of allocation prices, but of no period
// that was granted. A block without an increment took over what another one held, and one that
// expired as it took effect is of a grant that was undone.
func Strays(tx *store.Tx) (blockIDs []string, err error) {
	err = tx.Raw(`
		SELECT b.id FROM credit_blocks b LEFT JOIN allocation_grants g ON g.account_id = b.account_id AND g.block_id = b.id
		WHERE b.account_id = ? AND b.source = 'allocation' AND g.id IS NULL
			AND (b.expires_at IS NULL OR b.expires_at > b.effective_at)
			AND EXISTS (SELECT FROM ledger_entries e WHERE e.account_id = b.account_id AND e.block_id = b.id AND e.kind = 'increment')
		ORDER BY b.id`, tx.AccountID).Scan(&blockIDs).Error
	return blockIDs, err
}
