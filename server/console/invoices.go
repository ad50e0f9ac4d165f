package console

import (
	"time"

	"github.com/a-h/templ"

	"tollkeeper/domain/export"
	"tollkeeper/gen"
)

// everyInvoice asks for invoices in all states.
var everyInvoice = []string{"draft", "issued", "paid", "synced", "void"}

// overdue stands beside the states in the list's filter: those issued invoices that are (semantics 8.1.9).
const overdue = "overdue"

// invoicesPage lists invoices, the newest first.
func invoicesPage(v *visit) (templ.Component, error) {
	query := v.filters("status", "is_recurring", "due_date[lt]")
	switch v.query("status") {
	case "":
		query["status[]"] = everyInvoice
	case overdue:
		query.Del("status")
		query.Set("overdue", "true")
	}
	page, err := fetch[gen.InvoiceSummaryPage](v, "listInvoiceSummaries", nil, query)
	if err != nil {
		return nil, err
	}
	t, err := invoiceTable(v, page.Data)
	if err != nil {
		return nil, err
	}
	create := doing{Operation: "createInvoice", Name: "New invoice", Icon: "plus", Kind: "primary"}
	return listPage(v, listing{
		Head:    head{Title: "Invoices", Lead: "What customers owe. Dates are days of each customer's time zone.", Actions: append(v.exports(export.Invoices), v.actions(create)...)},
		Filters: v.choices("status", "All", "draft", "issued", overdue, "paid", "void"),
		Table:   t,
		Pager:   v.pager("invoices", len(page.Data), page.PaginationMetadata.NextCursor),
		Narrow:  v.filtered(), All: link("invoices"),
		Empty: empty{Icon: "file", Title: "No invoices yet", Text: "Subscriptions open invoices as their periods begin and end. An invoice of its own can be made at any time.", Action: v.first(create)},
	}), nil
}

// invoiceTable shows invoices of several customers.
func invoiceTable(v *visit, all []gen.InvoiceSummary) (table, error) {
	names, err := v.customers(idsOf(all, func(i gen.InvoiceSummary) string { return i.Customer.ID }))
	t := table{Label: "Invoices", Links: true, Columns: []column{{"Invoice", ""}, {"Customer", ""}, {"Status", ""}, {"Date", "mid"}, {"Due", "wide"}, {"Total", "num"}, {"Amount due", "num wide"}}}
	for _, i := range all {
		zone := names.zone(i.Customer.ID)
		due := i.AmountDue
		if i.Status == gen.InvoiceStatusPaid {
			due = "0" // the API keeps the amount of an invoice that is paid
		}
		t.Rows = append(t.Rows, []templ.Component{
			numberLink(link("invoices", i.ID), invoiceName(i.InvoiceHeader)), names.link(i.Customer.ID), invoiceBadge(v, i.InvoiceHeader),
			day(i.InvoiceDate, zone), optionalDay(i.DueDate, zone), moneyIn(i.Total, i.Currency), moneyIn(due, i.Currency),
		})
	}
	return t, err
}

// customerInvoiceTable shows invoices of the customer whose page it is.
func customerInvoiceTable(c customerView) table {
	return shortInvoiceTable(c.visit, c.Invoices, c.Zone)
}

// shortInvoiceTable shows invoices of one customer.
func shortInvoiceTable(v *visit, all []gen.InvoiceSummary, zone *time.Location) table {
	t := table{Label: "Invoices", Links: true, Columns: []column{{"Invoice", ""}, {"Status", ""}, {"Date", "mid"}, {"Due", "wide"}, {"Total", "num"}}}
	for _, i := range all {
		t.Rows = append(t.Rows, []templ.Component{
			numberLink(link("invoices", i.ID), invoiceName(i.InvoiceHeader)), invoiceBadge(v, i.InvoiceHeader), day(i.InvoiceDate, zone), optionalDay(i.DueDate, zone), moneyIn(i.Total, i.Currency),
		})
	}
	return t
}

// invoiceName is the number of an invoice. A draft may have none.
func invoiceName(i gen.InvoiceHeader) string {
	if i.InvoiceNumber == "" {
		return "Draft"
	}
	return i.InvoiceNumber
}
