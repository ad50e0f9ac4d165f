package wire

import (
	"regexp"
	"strconv"
	"time"

	"tollkeeper/domain/invoice"
	"tollkeeper/domain/period"
	"tollkeeper/gen"
	"tollkeeper/store/fault"
)

// dueWindow is a number of days or months: 7d, 2m.
var dueWindow = regexp.MustCompile(`^(\d{1,4})([dm])$`)

// ReadInvoiceFilter reads the query of a list of invoices. Bare dates are in UTC.
func ReadInvoiceFilter(p gen.ListInvoicesParams) (f invoice.Filter, err error) {
	f = invoice.Filter{
		CustomerID:         Deref(p.CustomerID),
		ExternalCustomerID: Deref(p.ExternalCustomerID),
		SubscriptionID:     Deref(p.SubscriptionID),
		Recurring:          p.IsRecurring,
		Overdue:            p.Overdue,
		ByDate:             invoice.DateType(Deref(p.DateType)),
	}
	for _, status := range OneOrMany(p.Status, p.Statuses) {
		f.Statuses = append(f.Statuses, invoice.Status(status))
	}
	var failed [8]error
	f.Amount, failed[0] = ReadOptionalAmount("amount", p.Amount)
	f.AmountGt, failed[1] = ReadOptionalAmount("amount[gt]", p.AmountGt)
	f.AmountLt, failed[2] = ReadOptionalAmount("amount[lt]", p.AmountLt)
	f.DueDate, failed[3] = dayFromWire("due_date", p.DueDate)
	f.DueDateGt, failed[4] = dayFromWire("due_date[gt]", p.DueDateGt)
	f.DueDateLt, failed[5] = dayFromWire("due_date[lt]", p.DueDateLt)
	f.Window, failed[6] = windowFromWire(p.DueDateWindow)
	f.InvoiceDate, failed[7] = ReadRange("invoice_date", p.InvoiceDateGt, p.InvoiceDateGte, p.InvoiceDateLt, p.InvoiceDateLte)
	return f, fault.Join(failed[:]...)
}

// dayFromWire reads a date, or the date in UTC of a date-time. Nil stays nil.
func dayFromWire(field string, text *gen.DateOrDateTime) (*period.Date, error) {
	at, err := ReadInstant(field, text, time.UTC)
	if at == nil || err != nil {
		return nil, err
	}
	day := period.DateOf(*at, time.UTC)
	return &day, nil
}

// windowFromWire reads due_date_window: a number of days or months, such as 7d or 2m.
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
