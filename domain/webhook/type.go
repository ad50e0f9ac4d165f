package webhook

import "slices"

// Type says what happened: the resource, a dot, and what became of it (semantics 13.4).
type Type string

// The types that this server announces. Beside each stands what an announcement is about,
// if more than the resource named by its id.
const (
	CustomerCreated            Type = "customer.created"
	CustomerEdited             Type = "customer.edited"                      // customer.Customer: as it was
	CustomerBalanceTransaction Type = "customer.balance_transaction_created" // customer.BalanceTransaction

	Test Type = "resource_event.test"
)

// Types are all of them.
func Types() []Type { return slices.Clone(types) }

var types = []Type{
	CustomerCreated, CustomerEdited, CustomerBalanceTransaction,
	Test,
}
