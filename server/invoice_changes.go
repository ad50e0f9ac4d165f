package server

import (
	"context"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
)

// changeInvoice answers with an invoice after something was done to it, once for an
// Idempotency-Key.
func (s *Server) changeInvoice(ctx context.Context, change func(tx *store.Tx) (invoice.View, error)) (gen.Invoice, error) {
	return once(ctx, s, func(tx *store.Tx) (gen.Invoice, error) {
		view, err := change(tx)
		if err != nil {
			return gen.Invoice{}, err
		}
		shown, err := wire.LoadInvoices(tx, []invoice.View{view})
		if err != nil {
			return gen.Invoice{}, err
		}
		return shown[0], nil
	})
}

// IssueInvoice serves POST /v1/invoices/{invoice_id}/issue.
func (s *Server) IssueInvoice(ctx context.Context, req gen.IssueInvoiceRequestObject) (gen.IssueInvoiceResponseObject, error) {
	body, err := s.changeInvoice(ctx, func(tx *store.Tx) (invoice.View, error) {
		return billing.Issue(tx, req.InvoiceID, synchronously(req.Body))
	})
	if err != nil {
		return nil, err
	}
	return gen.IssueInvoice200JSONResponse(body), nil
}

// IssueInvoiceSummary serves POST /v1/invoices/summary/{invoice_id}/issue.
func (s *Server) IssueInvoiceSummary(ctx context.Context, req gen.IssueInvoiceSummaryRequestObject) (gen.IssueInvoiceSummaryResponseObject, error) {
	body, err := once(ctx, s, func(tx *store.Tx) (gen.InvoiceSummary, error) {
		view, err := billing.Issue(tx, req.InvoiceID, synchronously(req.Body))
		if err != nil {
			return gen.InvoiceSummary{}, err
		}
		return wire.InvoiceSummary(view), nil
	})
	if err != nil {
		return nil, err
	}
	return gen.IssueInvoiceSummary200JSONResponse(body), nil
}

func synchronously(body *gen.InvoiceIssue) bool {
	return body != nil && body.Synchronous != nil && *body.Synchronous
}

// MarkInvoicePaid serves POST /v1/invoices/{invoice_id}/mark_paid.
func (s *Server) MarkInvoicePaid(ctx context.Context, req gen.MarkInvoicePaidRequestObject) (gen.MarkInvoicePaidResponseObject, error) {
	on, err := wire.ReadDate("payment_received_date", req.Body.PaymentReceivedDate)
	if err != nil {
		return nil, err
	}
	received := invoice.Received{On: on, Reference: req.Body.ExternalID, Notes: req.Body.Notes}
	body, err := s.changeInvoice(ctx, func(tx *store.Tx) (invoice.View, error) {
		return invoice.MarkPaid(tx, req.InvoiceID, received)
	})
	if err != nil {
		return nil, err
	}
	return gen.MarkInvoicePaid200JSONResponse(body), nil
}

// PayInvoice serves POST /v1/invoices/{invoice_id}/pay.
func (s *Server) PayInvoice(ctx context.Context, req gen.PayInvoiceRequestObject) (gen.PayInvoiceResponseObject, error) {
	body, err := s.changeInvoice(ctx, func(tx *store.Tx) (invoice.View, error) {
		return invoice.Pay(tx, req.InvoiceID, req.Body.SharedPaymentTokenID)
	})
	if err != nil {
		return nil, err
	}
	return gen.PayInvoice200JSONResponse(body), nil
}

// VoidInvoice serves POST /v1/invoices/{invoice_id}/void.
func (s *Server) VoidInvoice(ctx context.Context, req gen.VoidInvoiceRequestObject) (gen.VoidInvoiceResponseObject, error) {
	body, err := s.changeInvoice(ctx, func(tx *store.Tx) (invoice.View, error) {
		return invoice.Void(tx, req.InvoiceID)
	})
	if err != nil {
		return nil, err
	}
	return gen.VoidInvoice200JSONResponse(body), nil
}

// WithdrawInvoiceLinks serves POST /v1/invoices/{invoice_id}/withdraw_links.
func (s *Server) WithdrawInvoiceLinks(ctx context.Context, req gen.WithdrawInvoiceLinksRequestObject) (gen.WithdrawInvoiceLinksResponseObject, error) {
	body, err := s.changeInvoice(ctx, func(tx *store.Tx) (invoice.View, error) {
		return invoice.WithdrawLinks(tx, req.InvoiceID)
	})
	if err != nil {
		return nil, err
	}
	return gen.WithdrawInvoiceLinks200JSONResponse(body), nil
}

// UpdateInvoice serves PUT /v1/invoices/{invoice_id}.
func (s *Server) UpdateInvoice(ctx context.Context, req gen.UpdateInvoiceRequestObject) (gen.UpdateInvoiceResponseObject, error) {
	body, err := s.changeInvoice(ctx, func(tx *store.Tx) (invoice.View, error) {
		return invoice.Update(tx, req.InvoiceID, func(inv *invoice.Invoice, buyer customer.Customer) error {
			return editInvoice(ctx, inv, buyer, *req.Body)
		})
	})
	if err != nil {
		return nil, err
	}
	return gen.UpdateInvoice200JSONResponse(body), nil
}
