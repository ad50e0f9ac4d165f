package billing

import (
	"tollkeeper/domain/alert"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/topup"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// UpdateCustomer is customer.Update. It refuses a first alias (external_customer_id) for a customer
// whose usage was invoiced, because events under that alias would belong to that usage (semantics
// 2.4.3).
func UpdateCustomer(tx *store.Tx, id string, edit func(*customer.Customer) error) (_ customer.Customer, err error) {
	defer fault.Doing(&err, "update customer %s", id)
	c, err := customer.Update(tx, id, func(c *customer.Customer) error {
		before := c.ExternalCustomerID
		if err := edit(c); err != nil || before != nil || c.ExternalCustomerID == nil {
			return err
		}
		var invoiced int64
		err := tx.Model(&invoice.Invoice{}).
			Where("status <> ? AND (customer_id = ? AND has_usage OR id IN (?))", invoice.StatusDraft, c.ID,
				tx.Model(&invoice.Line{}).Select("invoice_id").Where("usage_customer_ids <> '[]' AND usage_customer_ids @> to_jsonb(?::text)", c.ID)).
			Count(&invoiced).Error
		if err == nil && invoiced > 0 {
			err = fault.Refused("a customer whose usage was invoiced cannot get an external_customer_id any more")
		}
		return err
	})
	if err != nil {
		return c, err
	}
	return c, alert.ScheduleCustomer(tx, c.ID) // events under a new alias count now
}

// PlaceCustomer is customer.Place. It refuses to remove a child whose usage is billed to its parent.
func PlaceCustomer(tx *store.Tx, id string, in customer.Hierarchy) (_ customer.Customer, err error) {
	defer fault.Doing(&err, "place customer %s in a hierarchy", id)
	before, err := customer.Find(tx, id)
	if err != nil {
		return before, err
	}
	placed, left, err := customer.Place(tx, id, in)
	if err != nil {
		return placed, err
	}
	if before.ParentID != nil && placed.ParentID == nil {
		left = append(left, placed)
	}
	for _, child := range left {
		if err := refuseCounted(tx, child.ID); err != nil {
			return placed, err
		}
	}
	return placed, nil
}

// refuseCounted refuses a change of a customer whose usage a subscription of its parent counts.
func refuseCounted(tx *store.Tx, id string) error {
	counting, err := subscription.Counting(tx, id)
	if err == nil && counting != "" {
		err = fault.Refused("the usage of customer %s is billed by the subscription %s of its parent", id, counting)
	}
	return err
}

// DeleteCustomer deletes a customer with its subscriptions, top-ups, alerts and drafts. It refuses
// a customer with an issued invoice, and a child whose usage is billed to its parent.
func DeleteCustomer(tx *store.Tx, id string) (err error) {
	defer fault.Doing(&err, "delete customer %s", id)
	buyer, err := customer.Lock(tx, id)
	if err != nil {
		return err
	}
	var issued int64
	err = tx.Model(&invoice.Invoice{}).Where("customer_id = ? AND status <> ?", buyer.ID, invoice.StatusDraft).Count(&issued).Error
	if err != nil {
		return err
	}
	if issued > 0 {
		return fault.Refused("a customer with issued invoices cannot be deleted")
	}
	if err := refuseCounted(tx, buyer.ID); err != nil {
		return err
	}
	if err := tx.Where("customer_id = ?", buyer.ID).Delete(&invoice.Invoice{}).Error; err != nil {
		return err
	}
	if err := subscription.DeleteOfCustomer(tx, buyer.ID); err != nil {
		return err
	}
	if err := topup.DeactivateOf(tx, buyer.ID); err != nil {
		return err
	}
	if err := alert.DeleteOf(tx, buyer.ID); err != nil {
		return err
	}
	return customer.Delete(tx, buyer.ID)
}
