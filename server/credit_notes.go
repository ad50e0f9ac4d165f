package server

import (
	"context"

	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateCreditNote serves POST /v1/credit_notes.
func (s *Server) CreateCreditNote(ctx context.Context, req gen.CreateCreditNoteRequestObject) (gen.CreateCreditNoteResponseObject, error) {
	wanted, err := wire.ReadCreditNote(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.CreditNote, error) {
		note, err := invoice.CreateCreditNote(tx, wanted)
		if err != nil {
			return gen.CreditNote{}, err
		}
		return wire.CreditNote(note), nil
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateCreditNote201JSONResponse(created), nil
}

// ListCreditNotes serves GET /v1/credit_notes.
func (s *Server) ListCreditNotes(ctx context.Context, req gen.ListCreditNotesRequestObject) (gen.ListCreditNotesResponseObject, error) {
	p := req.Params
	created, err := wire.ReadRange("created_at", p.CreatedAtGt, p.CreatedAtGte, p.CreatedAtLt, p.CreatedAtLte)
	if err != nil {
		return nil, err
	}
	var page gen.CreditNotePage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		notes, next, err := invoice.ListCreditNotes(tx, created, wire.ReadPage(p.Limit, p.Cursor))
		page = gen.CreditNotePage{Data: wire.MapSlice(notes, wire.CreditNote), PaginationMetadata: wire.Page(next)}
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListCreditNotes200JSONResponse(page), nil
}

// FetchCreditNote serves GET /v1/credit_notes/{credit_note_id}.
func (s *Server) FetchCreditNote(ctx context.Context, req gen.FetchCreditNoteRequestObject) (gen.FetchCreditNoteResponseObject, error) {
	var note invoice.CreditNote
	err := s.store.View(ctx, func(tx *store.Tx) (err error) {
		note, err = invoice.FindCreditNote(tx, req.CreditNoteID)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchCreditNote200JSONResponse(wire.CreditNote(note)), nil
}

// ListCreditableLineItems serves GET /v1/invoices/{invoice_id}/creditable_line_items.
func (s *Server) ListCreditableLineItems(ctx context.Context, req gen.ListCreditableLineItemsRequestObject) (gen.ListCreditableLineItemsResponseObject, error) {
	var shown gen.CreditableLineItems
	err := s.store.View(ctx, func(tx *store.Tx) error {
		inv, lines, err := invoice.LinesToCredit(tx, req.InvoiceID)
		shown = wire.CreditableLineItems(inv, lines)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListCreditableLineItems200JSONResponse(shown), nil
}
