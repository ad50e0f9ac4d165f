package server

import (
	"context"

	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/paper"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// RegenerateInvoicePDF serves POST /v1/invoices/{invoice_id}/regenerate_invoice_pdf.
func (s *Server) RegenerateInvoicePDF(ctx context.Context, req gen.RegenerateInvoicePDFRequestObject) (gen.RegenerateInvoicePDFResponseObject, error) {
	shown, err := s.regenerate(ctx, paper.Ref{Kind: document.KindInvoice, ID: req.InvoiceID})
	if err != nil {
		return nil, err
	}
	return gen.RegenerateInvoicePDF200JSONResponse(shown), nil
}

// RegenerateReceiptPDF serves POST /v1/invoices/{invoice_id}/regenerate_receipt_pdf.
func (s *Server) RegenerateReceiptPDF(ctx context.Context, req gen.RegenerateReceiptPDFRequestObject) (gen.RegenerateReceiptPDFResponseObject, error) {
	shown, err := s.regenerate(ctx, paper.Ref{Kind: document.KindReceipt, ID: req.InvoiceID})
	if err != nil {
		return nil, err
	}
	return gen.RegenerateReceiptPDF200JSONResponse(shown), nil
}

func (s *Server) regenerate(ctx context.Context, ref paper.Ref) (gen.Invoice, error) {
	file, err := s.fonts.Again(ctx, s.store, ref) // before the transaction, which others may wait for
	if err != nil {
		return gen.Invoice{}, err
	}
	return once(ctx, s, func(tx *store.Tx) (shown gen.Invoice, err error) {
		v, err := invoice.Find(tx, ref.ID)
		if err != nil {
			return shown, err
		}
		if err := file.Replace(tx); err != nil {
			return shown, err
		}
		all, err := wire.LoadInvoices(tx, []invoice.View{v})
		if err != nil {
			return shown, err
		}
		return all[0], nil
	})
}
