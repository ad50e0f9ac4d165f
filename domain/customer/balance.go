package customer

import (
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/store"
)

// BalanceAction is why a balance moved.
type BalanceAction string

// ActionAppliedToInvoice is the settling of an invoice when it is issued.
const ActionAppliedToInvoice BalanceAction = "applied_to_invoice"

// BalanceTransaction is one move of a customer's balance. It never changes.
type BalanceTransaction struct {
	store.Record
	CustomerID      string
	InvoiceID       *string
	Action          BalanceAction
	StartingBalance money.Decimal // in the customer's currency; above 0: the customer is owed
	EndingBalance   money.Decimal
	Description     *string
}

// Amount is by how much the balance moved, never negative; Increased says where to.
func (t BalanceTransaction) Amount() money.Decimal {
	return t.EndingBalance.Sub(t.StartingBalance).Abs()
}

// Increased reports whether the balance rose.
func (t BalanceTransaction) Increased() bool { return t.EndingBalance.Cmp(t.StartingBalance) > 0 }

// Settle takes an invoice's total out of the customer's balance and returns
// what is left to pay, never negative. A positive balance lowers it, a negative
// one raises it, and a negative total goes to the balance (semantics 8.2).
func Settle(tx *store.Tx, customerID, invoiceID string, total money.Decimal) (due money.Decimal, err error) {
	var c Customer
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", customerID).Take(&c).Error
	if err != nil {
		return due, store.Found(err, "Customer", customerID)
	}
	before := c.Balance
	due, c.Balance = settle(total, before)
	if c.Balance.Equal(before) {
		return due, nil
	}
	moved := BalanceTransaction{
		Record: tx.Record("cbt"), CustomerID: c.ID, InvoiceID: &invoiceID, Action: ActionAppliedToInvoice,
		StartingBalance: before, EndingBalance: c.Balance,
	}
	if err := tx.Create(&moved).Error; err != nil {
		return due, err
	}
	return due, save(tx, &c, "balance")
}

// settle splits a total into what is due and what the balance is afterwards.
func settle(total, balance money.Decimal) (due, after money.Decimal) {
	net := total.Sub(balance)
	if net.Sign() < 0 {
		return money.Decimal{}, net.Neg()
	}
	return net, money.Decimal{}
}

// Due is what Settle would return now.
func (c Customer) Due(total money.Decimal) money.Decimal {
	due, _ := settle(total, c.Balance)
	return due
}

// BalanceOfInvoices returns the moves that invoices brought about, by invoice,
// oldest first.
func BalanceOfInvoices(tx *store.Tx, invoiceIDs []string) (map[string][]BalanceTransaction, error) {
	moves := map[string][]BalanceTransaction{}
	if len(invoiceIDs) == 0 {
		return moves, nil
	}
	var rows []BalanceTransaction
	if err := tx.Where("invoice_id IN ?", invoiceIDs).Order("created_at, seq").Find(&rows).Error; err != nil {
		return nil, err
	}
	for _, row := range rows {
		moves[*row.InvoiceID] = append(moves[*row.InvoiceID], row)
	}
	return moves, nil
}
