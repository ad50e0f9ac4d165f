package server

import (
	"context"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/fault"
	"tollkeeper/domain/money"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// CreateBalanceTransaction serves POST /v1/customers/{customer_id}/balance_transactions.
func (s *Server) CreateBalanceTransaction(ctx context.Context, req gen.CreateBalanceTransactionRequestObject) (gen.CreateBalanceTransactionResponseObject, error) {
	amount, err := amountFromWire("amount", req.Body.Amount)
	if err != nil {
		return nil, err
	}
	if amount.Sign() < 0 {
		return nil, fault.Bad("amount", "must be above 0")
	}
	if req.Body.Type == gen.BalanceTransactionTypeDecrement {
		amount = amount.Neg()
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.BalanceTransaction, error) {
		buyer, err := customer.Find(tx, req.CustomerID)
		if err != nil {
			return gen.BalanceTransaction{}, err
		}
		moved, err := customer.Adjust(tx, buyer.ID, amount, req.Body.Description)
		if err != nil {
			return gen.BalanceTransaction{}, err
		}
		return balanceTransactionToWire(*buyer.Currency)(moved), nil
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateBalanceTransaction200JSONResponse(created), nil
}

// ListBalanceTransactions serves GET /v1/customers/{customer_id}/balance_transactions.
func (s *Server) ListBalanceTransactions(ctx context.Context, req gen.ListBalanceTransactionsRequestObject) (gen.ListBalanceTransactionsResponseObject, error) {
	p := req.Params
	page := gen.BalanceTransactionPage{Data: []gen.BalanceTransaction{}}
	err := s.store.View(ctx, func(tx *store.Tx) error {
		buyer, err := customer.Find(tx, req.CustomerID)
		if err != nil {
			return err
		}
		at, err := localRangeFromWire("operation_time", buyer.Location(), p.OperationTimeGt, p.OperationTimeGte, p.OperationTimeLt, p.OperationTimeLte)
		if err != nil {
			return err
		}
		moves, next, err := customer.ListBalance(tx, buyer.ID, at, pageFromWire(p.Limit, p.Cursor))
		page.PaginationMetadata = pageToWire(next)
		if len(moves) > 0 { // so the customer has a currency
			page.Data = toWire(moves, balanceTransactionToWire(*buyer.Currency))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListBalanceTransactions200JSONResponse(page), nil
}

// balanceTransactionToWire shows moves of a balance in that currency.
func balanceTransactionToWire(currency money.Currency) func(customer.BalanceTransaction) gen.BalanceTransaction {
	return func(t customer.BalanceTransaction) gen.BalanceTransaction {
		shown := gen.BalanceTransaction{
			ID:              t.ID,
			Action:          gen.BalanceTransactionAction(t.Action),
			Type:            gen.BalanceTransactionTypeDecrement,
			Amount:          currency.Format(t.Amount()),
			StartingBalance: currency.Format(t.StartingBalance),
			EndingBalance:   currency.Format(t.EndingBalance),
			CreatedAt:       instantToWire(t.CreatedAt),
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
