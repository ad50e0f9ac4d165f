package server

import (
	"context"

	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// CreateInvoice serves POST /v1/invoices.
func (s *Server) CreateInvoice(ctx context.Context, req gen.CreateInvoiceRequestObject) (gen.CreateInvoiceResponseObject, error) {
	wanted, err := wire.ReadOneOffInvoice(*req.Body)
	if err != nil {
		return nil, err
	}
	body, err := s.changeInvoice(ctx, func(tx *store.Tx) (invoice.View, error) { return invoice.CreateOneOff(tx, wanted) })
	if err != nil {
		return nil, err
	}
	return gen.CreateInvoice201JSONResponse(body), nil
}

// CreateInvoiceLineItem serves POST /v1/invoice_line_items.
func (s *Server) CreateInvoiceLineItem(ctx context.Context, req gen.CreateInvoiceLineItemRequestObject) (gen.CreateInvoiceLineItemResponseObject, error) {
	wanted, err := wire.ReadInvoiceLine(*req.Body)
	if err != nil {
		return nil, err
	}
	created, err := once(ctx, s, func(tx *store.Tx) (gen.InvoiceLineItem, error) {
		view, line, err := invoice.AddLine(tx, wanted)
		if err != nil {
			return gen.InvoiceLineItem{}, err
		}
		sources, err := wire.LoadLineSources(tx, []invoice.Line{line})
		return sources.LineItem(line, view.Currency), err
	})
	if err != nil {
		return nil, err
	}
	return gen.CreateInvoiceLineItem201JSONResponse(created), nil
}

// DeleteInvoiceLineItem serves DELETE /v1/invoices/{invoice_id}/invoice_line_items/{line_item_id}.
func (s *Server) DeleteInvoiceLineItem(ctx context.Context, req gen.DeleteInvoiceLineItemRequestObject) (gen.DeleteInvoiceLineItemResponseObject, error) {
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		return invoice.DeleteLine(tx, req.InvoiceID, req.LineItemID)
	})
	if err != nil {
		return nil, err
	}
	return gen.DeleteInvoiceLineItem204Response{}, nil
}
