package server

import (
	"context"
	"regexp"
	"strconv"
	"time"

	"tollkeeper/domain/fault"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store"
)

// ListInvoices serves GET /v1/invoices.
func (s *Server) ListInvoices(ctx context.Context, req gen.ListInvoicesRequestObject) (gen.ListInvoicesResponseObject, error) {
	filter, err := invoiceFilterFromWire(req.Params)
	if err != nil {
		return nil, err
	}
	var list gen.InvoicePage
	err = s.store.View(ctx, func(tx *store.Tx) error {
		views, next, err := invoice.List(tx, filter, pageFromWire(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = pageToWire(next)
		list.Data, err = invoicesToWire(tx, views)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gen.ListInvoices200JSONResponse(list), nil
}

// ListInvoiceSummaries serves GET /v1/invoices/summary.
func (s *Server) ListInvoiceSummaries(ctx context.Context, req gen.ListInvoiceSummariesRequestObject) (gen.ListInvoiceSummariesResponseObject, error) {
	filter, err := invoiceFilterFromWire(gen.ListInvoicesParams(req.Params))
	if err != nil {
		return nil, err
	}
	list := gen.InvoiceSummaryPage{Data: []gen.InvoiceSummary{}}
	err = s.store.View(ctx, func(tx *store.Tx) error {
		views, next, err := invoice.List(tx, filter, pageFromWire(req.Params.Limit, req.Params.Cursor))
		if err != nil {
			return err
		}
		list.PaginationMetadata = pageToWire(next)
		for _, v := range views {
			list.Data = append(list.Data, invoiceSummaryToWire(v))
		}
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
		shown, err = invoicesToWire(tx, []invoice.View{view})
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
		invoices, err := invoicesToWire(tx, []invoice.View{view})
		if err != nil {
			return err
		}
		shown = gen.UpcomingInvoice{
			InvoiceHeader:   invoices[0].InvoiceHeader,
			InvoiceContent:  invoices[0].InvoiceContent,
			InvoiceTargeted: gen.InvoiceTargeted{TargetDate: instantToWire(view.InvoiceDate)},
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return gen.FetchUpcomingInvoice200JSONResponse(shown), nil
}

// dueWindow is a number of days or months: 7d, 2m.
var dueWindow = regexp.MustCompile(`^(\d{1,4})([dm])$`)

func invoiceFilterFromWire(p gen.ListInvoicesParams) (f invoice.Filter, err error) {
	f = invoice.Filter{
		CustomerID:         orEmpty(p.CustomerID),
		ExternalCustomerID: orEmpty(p.ExternalCustomerID),
		SubscriptionID:     orEmpty(p.SubscriptionID),
		Recurring:          p.IsRecurring,
		ByDate:             invoice.DateType(orEmpty(p.DateType)),
	}
	for _, status := range several(p.Status, p.Statuses) {
		f.Statuses = append(f.Statuses, invoice.Status(status))
	}
	var failed [8]error
	f.Amount, failed[0] = optionalAmountFromWire("amount", p.Amount)
	f.AmountGt, failed[1] = optionalAmountFromWire("amount[gt]", p.AmountGt)
	f.AmountLt, failed[2] = optionalAmountFromWire("amount[lt]", p.AmountLt)
	f.DueDate, failed[3] = dayFromWire("due_date", p.DueDate)
	f.DueDateGt, failed[4] = dayFromWire("due_date[gt]", p.DueDateGt)
	f.DueDateLt, failed[5] = dayFromWire("due_date[lt]", p.DueDateLt)
	f.Window, failed[6] = windowFromWire(p.DueDateWindow)
	f.InvoiceDate, failed[7] = rangeFromWire("invoice_date", p.InvoiceDateGt, p.InvoiceDateGte, p.InvoiceDateLt, p.InvoiceDateLte)
	return f, fault.Join(failed[:]...)
}

func dayFromWire(field string, text *gen.DateOrDateTime) (*period.Date, error) {
	at, err := instantFromWire(field, text, time.UTC)
	if at == nil || err != nil {
		return nil, err
	}
	day := period.DateOf(*at, time.UTC)
	return &day, nil
}

func windowFromWire(text *string) (*invoice.Window, error) {
	if text == nil {
		return nil, nil
	}
	parts := dueWindow.FindStringSubmatch(*text)
	if parts == nil {
		return nil, fault.Bad("due_date_window", "must be a number of days or months, such as 7d or 2m")
	}
	n, _ := strconv.Atoi(parts[1])
	if parts[2] == "m" {
		return &invoice.Window{Months: n}, nil
	}
	return &invoice.Window{Days: n}, nil
}
