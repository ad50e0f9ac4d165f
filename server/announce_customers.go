package server

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/store"
)

func announcedCustomer(tx *store.Tx, id string) (any, error) {
	c, err := anyCustomer(tx, id)
	if err != nil {
		return nil, err
	}
	shown, err := customersToWire(tx, c)
	return shown[0], err
}

// anyCustomer is customer.Find, also for one that was deleted.
func anyCustomer(tx *store.Tx, id string) (customer.Customer, error) {
	found, err := customer.FindAll(tx, []string{id})
	return found[id], err
}

func customerBefore(tx *store.Tx, id string, before customer.Customer) (any, error) {
	after, err := anyCustomer(tx, id)
	if err != nil {
		return nil, err
	}
	return previousAttributes(customerToWire(before), customerToWire(after),
		"auto_collection", "billing_address", "default_payment_method_id", "email", "email_delivery", "external_customer_id",
		"metadata", "name", "payment_provider", "payment_provider_id", "shipping_address", "tax_id")
}

func announcedBalance(tx *store.Tx, id string, moved customer.BalanceTransaction) (any, error) {
	c, err := anyCustomer(tx, id)
	if err != nil {
		return nil, err
	}
	return map[string]any{"balance_transaction": balanceTransactionToWire(*c.Currency)(moved)}, nil
}

// unmatchedEvent shows an event of no customer, as it was sent.
func unmatchedEvent(_ *store.Tx, _ string, e event.Unmatched) (any, error) {
	return map[string]any{"event": map[string]any{
		"customer_id": nil, "event_name": e.Name, "external_customer_id": e.ExternalCustomerID,
		"idempotency_key": e.Key, "properties": e.Properties, "timestamp": instantToWire(e.Timestamp),
	}}, nil
}
