package customer

import (
	"gorm.io/gorm/clause"

	"tollkeeper/domain/money"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// BalanceAction is why a balance moved (semantics 8.2.2).
type BalanceAction string

// The reasons for which balances move.
const (
	ActionAppliedToInvoice  BalanceAction = "applied_to_invoice"      // an invoice was issued
	ActionManual            BalanceAction = "manual_adjustment"       // on request
	ActionProratedRefund    BalanceAction = "prorated_refund"         // the unused part of a fee was credited
	ActionRevertRefund      BalanceAction = "revert_prorated_refund"  // such a credit note was voided
	ActionVoided            BalanceAction = "return_from_voiding"     // an invoice was voided
	ActionCreditNote        BalanceAction = "credit_note_applied"     // a credit note was made on request
	ActionCreditNoteVoided  BalanceAction = "credit_note_voided"      // and voided
	ActionExternalPayment   BalanceAction = "external_payment"        // money was collected elsewhere for what is to be invoiced
	ActionSmallInvoiceCarry BalanceAction = "small_invoice_carryover" // too little to charge for; it is owed with the next invoice
)

// BalanceTransaction is one move of a customer's balance. It never changes.
type BalanceTransaction struct {
	store.Record
	CustomerID      string
	InvoiceID       *string // that brought it about
	CreditNoteID    *string // the same
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

// Cause is why a balance is to move.
type Cause struct {
	Action       BalanceAction
	InvoiceID    *string
	CreditNoteID *string
	Description  *string
}

// Adjust moves a customer's balance on request. The amount is above 0 to raise the
// balance, below to lower it, and has no digits below the minor unit. A customer
// without a currency has no balance to move (semantics 10.1.6).
func Adjust(tx *store.Tx, customerID string, amount money.Decimal, description *string) (BalanceTransaction, error) {
	c, err := Lock(tx, customerID)
	switch {
	case err != nil:
		return BalanceTransaction{}, err
	case c.Currency == nil:
		return BalanceTransaction{}, fault.Refused("a customer without a currency has no balance")
	case amount.IsZero():
		return BalanceTransaction{}, fault.Bad("amount", "must be above 0")
	case !c.Currency.Fits(amount):
		return BalanceTransaction{}, fault.Bad("amount", "must have at most the %d decimals of %s", c.Currency.MinorUnits(), *c.Currency)
	}
	return c.move(tx, c.Balance.Add(amount), Cause{Action: ActionManual, Description: description})
}

// Move changes a customer's balance by an amount, which may be negative. By nothing
// it does not move.
func Move(tx *store.Tx, customerID string, amount money.Decimal, why Cause) error {
	if amount.IsZero() {
		return nil
	}
	c, err := lockAny(tx, customerID)
	if err != nil {
		return err
	}
	_, err = c.move(tx, c.Balance.Add(amount), why)
	return err
}

// Settle takes an invoice's total out of the balance of a customer who is locked, and
// returns what is left to pay, never negative. A positive balance lowers it, a negative
// one raises it, and a negative total goes to the balance (semantics 8.2).
func (c Customer) Settle(tx *store.Tx, invoiceID string, total money.Decimal) (due money.Decimal, err error) {
	due, after := settle(total, c.Balance)
	if after.Equal(c.Balance) {
		return due, nil
	}
	_, err = c.move(tx, after, Cause{Action: ActionAppliedToInvoice, InvoiceID: &invoiceID})
	return due, err
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

// lockAny is Lock, also for a customer that was deleted.
func lockAny(tx *store.Tx, id string) (c Customer, err error) {
	err = tx.Clauses(clause.Locking{Strength: "UPDATE"}).Where("id = ?", id).Take(&c).Error
	return c, store.Found(err, "Customer", id)
}

// move gives a locked customer another balance and records why.
func (c Customer) move(tx *store.Tx, to money.Decimal, why Cause) (BalanceTransaction, error) {
	moved := BalanceTransaction{
		Record: tx.Record("cbt"), CustomerID: c.ID, InvoiceID: why.InvoiceID, CreditNoteID: why.CreditNoteID,
		Action: why.Action, StartingBalance: c.Balance, EndingBalance: to, Description: why.Description,
	}
	if err := tx.Create(&moved).Error; err != nil {
		return moved, err
	}
	c.Balance = to
	webhook.Announce(tx, webhook.CustomerBalanceTransaction, c.ID, moved)
	return moved, save(tx, &c, "balance")
}

// ListBalance returns a page of the moves of a customer's balance, newest first.
func ListBalance(tx *store.Tx, customerID string, at store.Range, page store.Page) (moves []BalanceTransaction, next string, err error) {
	return store.List[BalanceTransaction](at.On(tx.Where("customer_id = ?", customerID), "created_at"), page)
}

// BalanceOfInvoices returns the moves that invoices and their credit notes brought
// about, by invoice, oldest first.
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
