package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// FetchCreditBlock serves GET /v1/credit_blocks/{block_id}.
func (s *Server) FetchCreditBlock(ctx context.Context, req gen.FetchCreditBlockRequestObject) (gen.FetchCreditBlockResponseObject, error) {
	block, err := s.creditBlock(ctx, req.BlockID)
	if err != nil {
		return nil, err
	}
	return gen.FetchCreditBlock200JSONResponse(block), nil
}

// creditBlock shows a block, its ledger brought up to date.
func (s *Server) creditBlock(ctx context.Context, id string) (shown gen.CreditBlock, err error) {
	err = s.store.Update(ctx, func(tx *store.Tx) error {
		block, err := credit.FindBlock(tx, id)
		if err != nil {
			return err
		}
		if err := billing.BurnDown(tx, block.CustomerID); err != nil {
			return err
		}
		if block, err = credit.FindBlock(tx, id); err != nil {
			return err
		}
		of, err := wire.LoadBlockOrigins(tx, block)
		shown = wire.CreditBlock(block, of)
		return err
	})
	return shown, err
}

// DeleteCreditBlock serves DELETE /v1/credit_blocks/{block_id}.
func (s *Server) DeleteCreditBlock(ctx context.Context, req gen.DeleteCreditBlockRequestObject) (gen.DeleteCreditBlockResponseObject, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error { return billing.DeleteCredits(tx, req.BlockID) })
	if err != nil {
		return nil, err
	}
	return gen.DeleteCreditBlock204Response{}, nil
}

// ListCreditBlockInvoices serves GET /v1/credit_blocks/{block_id}/invoices.
func (s *Server) ListCreditBlockInvoices(ctx context.Context, req gen.ListCreditBlockInvoicesRequestObject) (gen.ListCreditBlockInvoicesResponseObject, error) {
	shown, err := s.creditBlock(ctx, req.BlockID)
	if err != nil {
		return nil, err
	}
	list := gen.CreditBlockInvoices{Block: shown}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		block, err := credit.FindBlock(tx, req.BlockID)
		if err != nil {
			return err
		}
		sold, err := billing.CreatedBy(tx, []credit.Block{block})
		list.Invoices = make([]gen.CreditBlockInvoice, 0, len(sold)) // a View may run twice
		for _, v := range sold {
			list.Invoices = append(list.Invoices, wire.CreditBlockInvoice(v))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListCreditBlockInvoices200JSONResponse(list), nil
}
