package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateLedgerEntry serves POST /v1/customers/{customer_id}/credits/ledger_entry.
func (s *Server) CreateLedgerEntry(ctx context.Context, req gen.CreateLedgerEntryRequestObject) (gen.CreateLedgerEntryResponseObject, error) {
	created, err := s.createLedgerEntry(ctx, customer.Find, req.CustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreateLedgerEntry201JSONResponse(created), nil
}

// CreateLedgerEntryByExternalID serves POST /v1/customers/external_customer_id/{external_customer_id}/credits/ledger_entry.
func (s *Server) CreateLedgerEntryByExternalID(ctx context.Context, req gen.CreateLedgerEntryByExternalIDRequestObject) (gen.CreateLedgerEntryByExternalIDResponseObject, error) {
	created, err := s.createLedgerEntry(ctx, customer.FindByExternalID, req.ExternalCustomerID, *req.Body)
	if err != nil {
		return nil, err
	}
	return gen.CreateLedgerEntryByExternalID201JSONResponse(created), nil
}

func (s *Server) createLedgerEntry(ctx context.Context, find findCustomer, identifier string, in gen.LedgerEntryCreate) (gen.LedgerEntry, error) {
	var unlock func()
	defer func() {
		if unlock != nil {
			unlock() // after the commit
		}
	}()
	return once(ctx, s, func(tx *store.Tx) (gen.LedgerEntry, error) {
		buyer, err := find(tx, identifier)
		if err != nil {
			return gen.LedgerEntry{}, err
		}
		currency, change, err := wire.ReadLedgerChange(tx, in, buyer)
		if err != nil {
			return gen.LedgerEntry{}, err
		}
		if unlock == nil { // a transaction that is run again keeps the lock
			if unlock, err = s.ledgers.lock(ctx, buyer.ID); err != nil {
				return gen.LedgerEntry{}, err
			}
		}
		entry, err := billing.ChangeCredits(tx, buyer.ID, currency, change)
		if err != nil {
			return gen.LedgerEntry{}, err
		}
		shown, err := wire.LoadLedgerEntries(tx, []credit.Entry{entry}, buyer)
		if err != nil {
			return gen.LedgerEntry{}, err
		}
		return shown[0], nil
	})
}

// ListLedgerEntries serves GET /v1/customers/{customer_id}/credits/ledger.
func (s *Server) ListLedgerEntries(ctx context.Context, req gen.ListLedgerEntriesRequestObject) (gen.ListLedgerEntriesResponseObject, error) {
	page, err := s.listLedgerEntries(ctx, customer.Find, req.CustomerID, req.Params)
	if err != nil {
		return nil, err
	}
	return gen.ListLedgerEntries200JSONResponse(page), nil
}

// ListLedgerEntriesByExternalID serves GET /v1/customers/external_customer_id/{external_customer_id}/credits/ledger.
func (s *Server) ListLedgerEntriesByExternalID(ctx context.Context, req gen.ListLedgerEntriesByExternalIDRequestObject) (gen.ListLedgerEntriesByExternalIDResponseObject, error) {
	page, err := s.listLedgerEntries(ctx, customer.FindByExternalID, req.ExternalCustomerID, gen.ListLedgerEntriesParams(req.Params))
	if err != nil {
		return nil, err
	}
	return gen.ListLedgerEntriesByExternalID200JSONResponse(page), nil
}

func (s *Server) listLedgerEntries(ctx context.Context, find findCustomer, identifier string, p gen.ListLedgerEntriesParams) (page gen.LedgerEntryPage, err error) {
	filter := credit.EntryFilter{Currency: wire.ReadCreditCurrency(p.Currency)}
	if p.EntryStatus != nil {
		filter.Status = credit.EntryStatus(*p.EntryStatus)
	}
	if p.EntryType != nil {
		filter.Kind = credit.Kind(*p.EntryType)
	}
	if filter.MinimumAmount, err = wire.ReadOptionalAmount("minimum_amount", p.MinimumAmount); err != nil {
		return page, err
	}
	if err := s.deduct(ctx, find, identifier); err != nil {
		return page, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		filter.CreatedAt, err = wire.ReadLocalRange("created_at", buyer.Location(), p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
		if err != nil {
			return err
		}
		entries, next, err := credit.ListEntries(tx, buyer.ID, filter, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		page.PaginationMetadata = wire.Page(next)
		page.Data, err = wire.LoadLedgerEntries(tx, entries, buyer)
		return err
	})
	return page, err
}

// deduct brings the ledgers of a customer up to date, to be read.
func (s *Server) deduct(ctx context.Context, find findCustomer, identifier string) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		return billing.BurnDown(tx, buyer.ID)
	})
}

// ListCredits serves GET /v1/customers/{customer_id}/credits.
func (s *Server) ListCredits(ctx context.Context, req gen.ListCreditsRequestObject) (gen.ListCreditsResponseObject, error) {
	page, err := s.listCredits(ctx, customer.Find, req.CustomerID, req.Params)
	if err != nil {
		return nil, err
	}
	return gen.ListCredits200JSONResponse(page), nil
}

// ListCreditsByExternalID serves GET /v1/customers/external_customer_id/{external_customer_id}/credits.
func (s *Server) ListCreditsByExternalID(ctx context.Context, req gen.ListCreditsByExternalIDRequestObject) (gen.ListCreditsByExternalIDResponseObject, error) {
	page, err := s.listCredits(ctx, customer.FindByExternalID, req.ExternalCustomerID, gen.ListCreditsParams(req.Params))
	if err != nil {
		return nil, err
	}
	return gen.ListCreditsByExternalID200JSONResponse(page), nil
}

func (s *Server) listCredits(ctx context.Context, find findCustomer, identifier string, p gen.ListCreditsParams) (page gen.CustomerCreditBlockPage, err error) {
	filter := credit.BlockFilter{Currency: wire.ReadCreditCurrency(p.Currency), All: p.IncludeAllBlocks != nil && *p.IncludeAllBlocks}
	if err := s.deduct(ctx, find, identifier); err != nil {
		return page, err
	}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		buyer, err := find(tx, identifier)
		if err != nil {
			return err
		}
		filter.EffectiveAt, err = wire.ReadLocalRange("effective_date", buyer.Location(),
			p.EffectiveDateGt, p.EffectiveDateGte, p.EffectiveDateLt, p.EffectiveDateLte)
		if err != nil {
			return err
		}
		blocks, next, err := credit.ListBlocks(tx, buyer.ID, filter, wire.ReadPage(p.Limit, p.Cursor))
		if err != nil {
			return err
		}
		of, err := wire.LoadBlockOrigins(tx, blocks...)
		page = gen.CustomerCreditBlockPage{
			Data:               wire.MapSlice(blocks, func(b credit.Block) gen.CustomerCreditBlock { return wire.CustomerCreditBlock(b, of) }),
			PaginationMetadata: wire.Page(next),
		}
		return err
	})
	return page, err
}
