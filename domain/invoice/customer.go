package invoice

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// UpdateCustomer is customer.Update, and refuses to give a customer an alias
// once usage of theirs was invoiced: events under that alias would have been
// part of it (semantics 2.4.3).
func UpdateCustomer(tx *store.Tx, id string, edit func(*customer.Customer) error) (customer.Customer, error) {
	return customer.Update(tx, id, func(c *customer.Customer) error {
		before := c.ExternalCustomerID
		if err := edit(c); err != nil || before != nil || c.ExternalCustomerID == nil {
			return err
		}
		var invoiced int64
		err := tx.Model(&Invoice{}).Where("customer_id = ? AND has_usage AND status <> ?", c.ID, StatusDraft).
			Count(&invoiced).Error
		if err == nil && invoiced > 0 {
			err = fault.Refused("a customer whose usage was invoiced cannot get an external_customer_id any more")
		}
		return err
	})
}

// DeleteCustomer removes a customer with subscriptions and drafts. It is
// refused once an invoice of theirs was issued.
func DeleteCustomer(tx *store.Tx, id string) error {
	buyer, err := customer.Lock(tx, id)
	if err != nil {
		return err
	}
	var issued int64
	err = tx.Model(&Invoice{}).Where("customer_id = ? AND status <> ?", buyer.ID, StatusDraft).Count(&issued).Error
	if err != nil {
		return err
	}
	if issued > 0 {
		return fault.Refused("a customer with issued invoices cannot be deleted")
	}
	if err := tx.Where("customer_id = ?", buyer.ID).Delete(&Invoice{}).Error; err != nil {
		return err
	}
	if err := subscription.DeleteOfCustomer(tx, buyer.ID); err != nil {
		return err
	}
	return customer.Delete(tx, buyer.ID)
}
