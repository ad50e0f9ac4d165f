package server

import (
	"context"

	"tollkeeper/domain/customer"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// CreateBalanceTransaction serves POST /v1/customers/{customer_id}/balance_transactions.
func (s *Server) CreateBalanceTransaction(ctx context.Context, req gen.CreateBalanceTransactionRequestObject) (gen.CreateBalanceTransactionResponseObject, error) {
	amount, err := wire.ReadAmount("amount", req.Body.Amount)
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
		return wire.BalanceTransaction(*buyer.Currency)(moved), nil
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
		at, err := wire.ReadLocalRange("operation_time", buyer.Location(), p.OperationTimeGt, p.OperationTimeGte, p.OperationTimeLt, p.OperationTimeLte)
		if err != nil {
			return err
		}
		moves, next, err := customer.ListBalance(tx, buyer.ID, at, wire.ReadPage(p.Limit, p.Cursor))
		page.PaginationMetadata = wire.Page(next)
		if len(moves) > 0 { // so the customer has a currency
			page.Data = wire.MapSlice(moves, wire.BalanceTransaction(*buyer.Currency))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListBalanceTransactions200JSONResponse(page), nil
}
