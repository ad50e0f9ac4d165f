package server

import (
	"context"

	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/paper"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
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
	return once(ctx, s, func(tx *store.Tx) (shown gen.Invoice, err error) {
		v, err := invoice.Find(tx, ref.ID)
		if err != nil {
			return shown, err
		}
		if v.Status == invoice.StatusDraft {
			return shown, fault.Refused("a draft has no PDF")
		}
		if err := s.fonts.Again(tx, ref); err != nil {
			return shown, err
		}
		all, err := wire.LoadInvoices(tx, []invoice.View{v})
		if err != nil {
			return shown, err
		}
		return all[0], nil
	})
}
