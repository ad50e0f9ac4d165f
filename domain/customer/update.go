package customer

import (
	"reflect"

	"tollkeeper/domain/money"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// kept are the columns that no update writes: other operations own them. An update saves every other one.
var kept = []string{
	"account_id", "id", "created_at", "seq", "parent_id", "timezone", "balance", "invoice_prefix", "last_invoice_number", "links_withdrawn", "deleted_at",
}

// Update applies an edit to a customer. The currency and the alias can be set
// while there is none; to set them to what they are changes nothing and is
// allowed (semantics 2.4.3).
func Update(tx *store.Tx, id string, edit func(*Customer) error) (Customer, error) {
	before, err := Lock(tx, id)
	if err != nil {
		return Customer{}, err
	}
	after := before
	if err := edit(&after); err != nil {
		return Customer{}, err
	}
	after.Record, after.Timezone = before.Record, before.Timezone
	if err := fault.Join(after.check(), after.checkLines(before)); err != nil {
		return Customer{}, err
	}
	if before.Currency != nil && (after.Currency == nil || *after.Currency != *before.Currency) {
		return Customer{}, fault.Refused("the currency of a customer cannot be changed once it is set")
	}
	if before.ExternalCustomerID != nil && (after.ExternalCustomerID == nil || *after.ExternalCustomerID != *before.ExternalCustomerID) {
		return Customer{}, fault.Refused("the external_customer_id of a customer cannot be changed once it is set")
	}
	if err := refuseTaken(tx, after); err != nil {
		return Customer{}, err
	}
	err = tx.Model(&after).Select("*").Omit(kept...).Updates(&after).Error
	if store.Unique(err, aliasIndex) {
		return Customer{}, errTaken
	}
	if !reflect.DeepEqual(after, before) {
		webhook.Announce(tx, webhook.CustomerEdited, id, before)
	}
	return after, err
}

// TakeCurrency gives a customer that has no currency this one, and refuses one
// that has another (semantics 6.1.3). The customer is locked by the caller.
func TakeCurrency(tx *store.Tx, c *Customer, currency money.Currency) error {
	if c.Currency == nil {
		c.Currency = &currency
		return save(tx, c, "currency")
	}
	if *c.Currency != currency {
		return fault.Refused("the currency must be that of the customer, %s", *c.Currency)
	}
	return nil
}

// Delete makes a customer one that does not exist any more. Whether that may be,
// and what ends with it, the caller has decided, holding the customer's lock.
func Delete(tx *store.Tx, id string) error {
	c, err := Lock(tx, id)
	if err != nil {
		return err
	}
	if err := leave(tx, &c); err != nil {
		return err
	}
	c.DeletedAt = &tx.Now
	return save(tx, &c, "deleted_at", "parent_id")
}

// WithdrawLinks counts a withdrawal of the permanent links to a customer's portal, which the caller has locked.
func WithdrawLinks(tx *store.Tx, c *Customer) error {
	c.LinksWithdrawn++
	return save(tx, c, "links_withdrawn")
}

// save writes those columns of the customer.
func save(tx *store.Tx, c *Customer, columns ...string) error {
	return tx.Model(c).Select(columns).Updates(c).Error
}
