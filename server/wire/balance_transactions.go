package wire

import (
	"tollkeeper/domain/customer"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
)

// BalanceTransaction returns a function that maps balance transactions, with amounts in the minor
// unit of currency.
func BalanceTransaction(currency money.Currency) func(customer.BalanceTransaction) gen.BalanceTransaction {
	return func(t customer.BalanceTransaction) gen.BalanceTransaction {
		shown := gen.BalanceTransaction{
			ID:              t.ID,
			Action:          gen.BalanceTransactionAction(t.Action),
			Type:            gen.BalanceTransactionTypeDecrement,
			Amount:          currency.Format(t.Amount()),
			StartingBalance: currency.Format(t.StartingBalance),
			EndingBalance:   currency.Format(t.EndingBalance),
			CreatedAt:       Instant(t.CreatedAt),
			Description:     t.Description,
		}
		if t.Increased() {
			shown.Type = gen.BalanceTransactionTypeIncrement
		}
		if t.InvoiceID != nil {
			shown.Invoice = &gen.InvoiceTiny{ID: *t.InvoiceID}
		}
		if t.CreditNoteID != nil {
			shown.CreditNote = &gen.CreditNoteTiny{ID: *t.CreditNoteID}
		}
		return shown
	}
}
