package alert

import (
	"tollkeeper/domain/customer"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// MostOwn is how many alerts a customer may set.
const MostOwn = 10

// OwnCrossing notes that an alert that a customer set found its threshold reached by a subscription.
type OwnCrossing struct {
	SubscriptionID string
	ThresholdCrossing
}

// OwnDrop notes that a balance fell to the threshold of an alert that its customer set.
type OwnDrop BalanceDrop

// Own lists the alerts that a customer set, oldest first.
func Own(tx *store.Tx, customerID string) (alerts []Alert, err error) {
	err = tx.Where("owner_id = ? AND deleted_at IS NULL", customerID).Order("seq").Find(&alerts).Error
	return alerts, err
}

// RoomForOwn locks a customer, and refuses another alert if the customer has set as many as there may be.
func RoomForOwn(tx *store.Tx, customerID string) error {
	if _, err := customer.Lock(tx, customerID); err != nil {
		return err
	}
	own, err := Own(tx, customerID)
	if err == nil && len(own) >= MostOwn {
		err = fault.Refused("there are %d alerts already; remove one first", MostOwn)
	}
	return err
}

// DeleteOwn deletes an alert that the customer set. Another alert is missing.
func DeleteOwn(tx *store.Tx, customerID, id string) error {
	deleted := tx.Model(&Alert{}).Where("id = ? AND owner_id = ? AND deleted_at IS NULL", id, customerID).Update("deleted_at", tx.Now)
	if deleted.Error == nil && deleted.RowsAffected == 0 {
		return fault.Missing("Alert", id)
	}
	return deleted.Error
}
