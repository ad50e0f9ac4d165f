package credit

import "tollkeeper/store"

// AwaitingPayment are the blocks of an allocation price or top-up that are not paid for.
func AwaitingPayment(tx *store.Tx, originID string) (blocks []Block, err error) {
	err = tx.Where("origin_id = ? AND status = 'pending_payment' AND deleted_at IS NULL AND balance > 0", originID).
		Order("seq").Find(&blocks).Error
	return blocks, err
}
