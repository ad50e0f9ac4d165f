package server

import (
	"context"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/gen"
	"tollkeeper/server/wire"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ListInvoices serves GET /v1/invoices.
func (s *Server) ListInvoices(ctx context.Context, req gen.ListInvoicesRequestObject) (gen.ListInvoicesResponseObject, error) {
	filter, err := wire.ReadInvoiceFilter(req.Params)
	if err != nil {
		return nil, err
	}
	var list gen.InvoicePage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		views, next, err := invoice.List(tx, filter, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = wire.Page(next)
		list.Data, err = wire.LoadInvoices(tx, views)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListInvoices200JSONResponse(list), nil
}

// ListInvoiceSummaries serves GET /v1/invoices/summary.
func (s *Server) ListInvoiceSummaries(ctx context.Context, req gen.ListInvoiceSummariesRequestObject) (gen.ListInvoiceSummariesResponseObject, error) {
	filter, err := wire.ReadInvoiceFilter(gen.ListInvoicesParams(req.Params))
	if err != nil {
		return nil, err
	}
	var list gen.InvoiceSummaryPage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		views, next, err := invoice.List(tx, filter, wire.ReadPage(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = wire.Page(next)
		list.Data = wire.MapSlice(views, wire.InvoiceSummary)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return gen.ListInvoiceSummaries200JSONResponse(list), nil
}

// FetchInvoice serves GET /v1/invoices/{invoice_id}.
func (s *Server) FetchInvoice(ctx context.Context, req gen.FetchInvoiceRequestObject) (gen.FetchInvoiceResponseObject, error) {
	var shown []gen.Invoice
	err := s.store.View(ctx, func(tx *store.Tx) error {
		view, err := invoice.Find(tx, req.InvoiceID)
		if err != nil {
			return err
		}
		shown, err = wire.LoadInvoices(tx, []invoice.View{view})
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchInvoice200JSONResponse(shown[0]), nil
}

// FetchUpcomingInvoice serves GET /v1/invoices/upcoming.
func (s *Server) FetchUpcomingInvoice(ctx context.Context, req gen.FetchUpcomingInvoiceRequestObject) (gen.FetchUpcomingInvoiceResponseObject, error) {
	var shown gen.UpcomingInvoice
	err := s.store.View(ctx, func(tx *store.Tx) error {
		view, err := invoice.Upcoming(tx, req.Params.SubscriptionID)
		if err != nil {
			return err
		}
		invoices, err := wire.LoadInvoices(tx, []invoice.View{view})
		if err != nil {
			return err
		}
		shown = gen.UpcomingInvoice{
			InvoiceHeader:   invoices[0].InvoiceHeader,
			InvoiceContent:  invoices[0].InvoiceContent,
			InvoiceTargeted: gen.InvoiceTargeted{TargetDate: wire.Instant(view.InvoiceDate)},
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchUpcomingInvoice200JSONResponse(shown), nil
}

// ExplainInvoiceLineItem serves
// GET /v1/invoices/{invoice_id}/line_items/{line_item_id}/explanation.
func (s *Server) ExplainInvoiceLineItem(ctx context.Context, req gen.ExplainInvoiceLineItemRequestObject) (gen.ExplainInvoiceLineItemResponseObject, error) {
	var shown gen.LineItemExplanation
	err := s.store.View(ctx, func(tx *store.Tx) error {
		explained, err := invoice.Explain(tx, req.InvoiceID, req.LineItemID)
		if err != nil {
			return err
		}
		price := explained.Price
		names, err := wire.LoadItemNames(tx, []catalog.Price{price})
		sources := wire.LineSources{Prices: map[string]catalog.Price{price.ID: price}, ItemNames: names, Adjustments: explained.Adjustments}
		shown = wire.Explanation(explained, sources.Price(explained.Line))
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ExplainInvoiceLineItem200JSONResponse(shown), nil
}

// editInvoice changes what the body names. Net terms and a due date take each other's
// place; a date cannot be taken away, so null leaves it.
func editInvoice(ctx context.Context, inv *invoice.Invoice, buyer customer.Customer, in gen.InvoiceUpdate) error {
	if in.NetTerms != nil && in.DueDate != nil {
		return fault.Bad("due_date, net_terms", "at most one must be specified")
	}
	if sent(ctx, "auto_collection") {
		inv.AutoCollection = in.AutoCollection
	}
	if sent(ctx, "net_terms") {
		inv.NetTermsDays = in.NetTerms
		if in.NetTerms != nil {
			inv.CustomDueAt = nil
		}
	}
	var dueErr, dateErr error
	if sent(ctx, "due_date") {
		inv.CustomDueAt = nil
		if in.DueDate != nil {
			at, err := invoice.DateIn(buyer, "due_date", *in.DueDate)
			inv.CustomDueAt, inv.NetTermsDays, dueErr = &at, nil, err
		}
	}
	if in.InvoiceDate != nil {
		inv.InvoiceDate, dateErr = invoice.DateIn(buyer, "invoice_date", *in.InvoiceDate)
	}
	return fault.Join(dueErr, dateErr, editMetadata(ctx, &inv.Metadata, in.Metadata))
}
