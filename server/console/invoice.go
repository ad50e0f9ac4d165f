package console

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"tollkeeper/gen"
	"tollkeeper/server/console/form"
)

// invoiceView is an invoice, with the work of one line when it is opened.
type invoiceView struct {
	visit    *visit
	Invoice  gen.Invoice
	Customer string // name
	Zone     *time.Location
	Opened   string // id of the line whose work is shown
	Work     gen.LineItemExplanation
	WorkErr  error
	Received received
}

// loadInvoice reads the invoice that the address names.
func loadInvoice(v *visit) (invoiceView, error) {
	i, err := fetch[gen.Invoice](v, "fetchInvoice", params{"invoice_id": v.param("id")}, nil)
	if err != nil {
		return invoiceView{}, err
	}
	names, err := v.customers([]string{i.Customer.ID})
	if err != nil {
		return invoiceView{}, err
	}
	got, err := v.received(i)
	return invoiceView{visit: v, Invoice: i, Customer: names.name(i.Customer.ID), Zone: names.zone(i.Customer.ID), Received: got}, err
}

// invoicePage shows an invoice. The work of a line is shown when the address names the line.
func invoicePage(v *visit) (templ.Component, error) {
	view, err := loadInvoice(v)
	if err != nil {
		return nil, err
	}
	view.Opened = v.query("line")
	if view.Opened != "" {
		view.Work, view.WorkErr = fetch[gen.LineItemExplanation](v, "explainInvoiceLineItem", params{"invoice_id": view.Invoice.ID, "line_item_id": view.Opened}, nil)
	}
	return invoiceDetail(view), nil
}

func (i invoiceView) head() head {
	invoice := i.Invoice
	known := []string{"invoice_id", invoice.ID}
	h := head{
		Crumbs: []crumb{{link("invoices"), "Invoices"}, {link("customers", invoice.Customer.ID), i.Customer}},
		Title:  invoiceName(invoice.InvoiceHeader),
		Badge:  invoiceBadge(i.visit, invoice.InvoiceHeader),
		Meta:   []templ.Component{day(invoice.InvoiceDate, i.Zone), text("Days are in " + i.Zone.String()), copyable(invoice.ID)},
	}
	switch invoice.Status {
	case "draft":
		h.Actions = i.visit.actions(
			doing{Operation: "voidInvoice", Name: "Void", Kind: "danger", Known: known},
			doing{Operation: "updateInvoice", Name: "Edit", Known: known},
			doing{Operation: "createInvoiceLineItem", Name: "Add line", Known: known},
			doing{Operation: "issueInvoice", Name: "Issue invoice", Kind: "primary", Known: known},
		)
	case "issued", "synced":
		h.Actions = i.visit.actions(
			doing{Operation: "voidInvoice", Name: "Void", Kind: "danger", Known: known},
			doing{Operation: "withdrawInvoiceLinks", Name: "Withdraw links", Known: known},
			doing{Operation: "updateInvoice", Name: "Edit", Known: known},
			doing{Operation: "createCreditNote", Name: "Credit", Address: link("invoices", invoice.ID, "credit")},
			doing{Operation: "payInvoice", Name: "Collect", Known: known},
			doing{Operation: "markInvoicePaid", Name: "Mark as paid", Kind: "primary", Known: known},
		)
	case "paid":
		h.Actions = i.visit.actions(
			doing{Operation: "withdrawInvoiceLinks", Name: "Withdraw links", Known: known},
			doing{Operation: "createCreditNote", Name: "Credit", Address: link("invoices", invoice.ID, "credit")},
		)
	}
	return h
}

// credit is what the form of a credit note begins with: every line of the invoice.
func (i invoiceView) credit() (known []string) {
	for k, line := range i.Invoice.LineItems {
		place := "line_items[" + decimal(k) + "]"
		known = append(known, place+".invoice_line_item_id", line.ID, place+".amount", line.Amount)
	}
	return known
}

// facts about the invoice.
func (i invoiceView) facts() []fact {
	invoice := i.Invoice
	facts := []fact{
		{"Customer", anchor(link("customers", invoice.Customer.ID), i.Customer)},
		{"Invoice date", day(invoice.InvoiceDate, i.Zone)},
		{"Due", optionalDay(invoice.DueDate, i.Zone)},
	}
	if invoice.Subscription != nil {
		facts = append(facts, fact{"Subscription", anchor(link("subscriptions", invoice.Subscription.ID), "Open")})
	}
	if invoice.Status == "draft" {
		facts = append(facts, fact{"Issues by itself", text(onOff(invoice.WillAutoIssue, "Yes", "No"))})
		if invoice.ScheduledIssueAt != nil {
			facts = append(facts, fact{"Will be issued", instant(*invoice.ScheduledIssueAt)})
		}
		if invoice.EligibleToIssueAt != nil {
			facts = append(facts, fact{"May be issued from", instant(*invoice.EligibleToIssueAt)})
		}
	}
	facts = append(facts, fact{"Collect", text(onOff(invoice.AutoCollection.Enabled != nil && *invoice.AutoCollection.Enabled, "Automatically", "By hand"))})
	if invoice.Memo != nil {
		facts = append(facts, fact{"Memo", text(*invoice.Memo)})
	}
	if invoice.BillingAddress != nil {
		facts = append(facts, fact{"Billing address", text(termsOf(invoice.BillingAddress).addressLine())})
	}
	return facts
}

// timeline is what happened to the invoice, the newest first.
func (i invoiceView) timeline() (all []moment) {
	invoice := i.Invoice
	add := func(at *string, what, tone string) {
		if at != nil {
			all = append(all, moment{*at, what, tone})
		}
	}
	add(&invoice.CreatedAt, "Draft opened", "")
	add(invoice.IssueFailedAt, "Issuing failed", "bad")
	add(invoice.IssuedAt, "Issued", "info")
	add(invoice.PaymentStartedAt, "Payment began", "")
	add(invoice.PaymentFailedAt, "Payment failed", "bad")
	add(invoice.PaidAt, "Paid", "good")
	add(invoice.VoidedAt, "Voided", "")
	if invoice.Overdue {
		add(invoice.DueDate, "Became due", "bad")
	}
	slices.SortStableFunc(all, func(a, b moment) int { return strings.Compare(a.At, b.At) })
	slices.Reverse(all)
	return all
}

// totals are the sums at the foot of the lines, as the API gives them.
func (i invoiceView) totals() []fact {
	invoice, c := i.Invoice, i.Invoice.Currency
	asked := "Amount due"
	if invoice.Status == gen.InvoiceStatusPaid {
		asked = "Paid" // the API keeps the amount of an invoice that is paid
	}
	return []fact{{"Subtotal", moneyIn(invoice.Subtotal, c)}, {"Total", moneyIn(invoice.Total, c)}, {asked, moneyIn(invoice.AmountDue, c)}}
}

// notes is the table of credit notes.
func (i invoiceView) notes() table {
	t := table{Label: "Credit notes", Links: true, Columns: []column{{"Number", ""}, {"Total", "num"}}}
	for _, n := range i.Invoice.CreditNotes {
		t.Rows = append(t.Rows, []templ.Component{rowLink(link("credit-notes", n.ID), n.CreditNoteNumber, form.Words(n.Reason)), moneyIn(n.Total, i.Invoice.Currency)})
	}
	return t
}
