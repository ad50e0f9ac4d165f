package webhooks

import (
	"encoding/json"

	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/event"
	"tollkeeper/domain/money"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

func payloadCustomer(tx *store.Tx, id string) (any, error) {
	c, err := anyCustomer(tx, id)
	if err != nil {
		return nil, err
	}
	shown, err := wire.LoadCustomers(tx, c)
	if err != nil {
		return nil, err
	}
	return shown[0], nil
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
	return previousAttributes(wire.Customer(before), wire.Customer(after))
}

func payloadBalanceTransaction(tx *store.Tx, id string, moved customer.BalanceTransaction) (any, error) {
	c, err := anyCustomer(tx, id)
	if err != nil {
		return nil, err
	}
	return map[string]any{"balance_transaction": wire.BalanceTransaction(*c.Currency)(moved)}, nil
}

// unmatchedEvent shows an event of no customer, as it was sent.
func unmatchedEvent(_ *store.Tx, _ string, e event.Unmatched) (any, error) {
	return map[string]any{"event": map[string]any{
		"customer_id": nil, "event_name": e.Name, "external_customer_id": e.ExternalCustomerID,
		"idempotency_key": e.Key, "properties": e.Properties, "timestamp": wire.Instant(e.Timestamp),
	}}, nil
}

// payloadCreditBlock returns the properties of a credit block that became active. Its balance is a
// string.
func payloadCreditBlock(tx *store.Tx, _ string, b credit.Block) (any, error) {
	block, err := credit.FindBlock(tx, b.ID)
	if err != nil {
		return nil, err
	}
	of, err := wire.LoadBlockOrigins(tx, block)
	if err != nil {
		return nil, err
	}
	shown, err := rawMembers(wire.CreditBlock(block, of))
	if err != nil {
		return nil, err
	}
	for name, amount := range map[string]money.Decimal{"balance": block.Balance, "maximum_initial_balance": block.InitialBalance} {
		shown[name] = json.RawMessage(`"` + amount.String() + `"`)
	}
	return map[string]any{"block": shown, "pricing_unit": pricingUnitToWire(block.Currency)}, nil
}
