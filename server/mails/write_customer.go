package mails

import (
	"fmt"
	"time"

	"tollkeeper/domain/customer"
	"tollkeeper/domain/document"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/webhook"
)

// about is an invoice with its customer.
type about struct {
	invoice.Invoice
	buyer customer.Customer
	zone  *time.Location
	mail  mail.Words
	words document.Words // of the same language, for amounts and dates
	page  string         // "": the server has no address that customers reach
}

// about reads an invoice for a mail of a kind.
func (w writer) about(id string, kind mail.Kind) (a about, err error) {
	if a.Invoice, err = invoice.FindRow(w.tx, id); err != nil {
		return a, err
	}
	if a.buyer, err = customer.Find(w.tx, a.CustomerID); err != nil {
		return a, err
	}
	a.zone = a.buyer.Location()
	if a.mail, err = w.language(kind, a.buyer); err != nil {
		return a, err
	}
	a.words = document.In(a.mail.Language)
	if w.tx.Mailed && a.IssuedAt != nil {
		a.page, err = invoice.MailedPage(w.tx, a.Invoice)
	}
	return a, err
}

// language is that of a mail (semantics 18.1.10): the customer's. A text of the account's own for all languages has
// the language of the letterhead, since it is one text.
func (w writer) language(kind mail.Kind, buyer customer.Customer) (mail.Words, error) {
	head, err := letterhead.CurrentText(w.tx)
	if err != nil {
		return mail.Words{}, err
	}
	words := mail.In(invoice.LanguageOf(head, buyer))
	_, common, err := mail.TemplateOf(w.tx, kind, words)
	if common {
		buyer.Language = nil
		words = mail.In(invoice.LanguageOf(head, buyer))
	}
	return words, err
}

// day writes a day of the customer's.
func (a about) day(at time.Time) string { return a.words.LongDate(period.DateOf(at, a.zone)) }

func (a about) amount(d money.Decimal) string { return a.words.Money(d, a.Currency) }

// on fills in a date, with an amount those texts that have one.
func (a about) on(text string, at time.Time) string {
	return a.words.Fill(text, "date", a.day(at), "amount", a.amount(a.Due()))
}

// link leads to the page of the invoice; nil where customers cannot reach the server.
func (a about) link(text string) *Link {
	if a.page == "" {
		return nil
	}
	return &Link{Text: text, URL: a.page}
}

// facts are what each mail about an invoice shows.
func (a about) facts(more ...Fact) []Fact {
	return append([]Fact{{a.mail.Invoice, *a.Number}, {a.mail.Date, a.day(*a.IssuedAt)}}, more...)
}

// invoiceIssued queues the mail of an issued invoice, and plans its reminders.
func (w writer) invoiceIssued(n webhook.Announcement) error {
	a, err := w.about(n.ID, mail.InvoiceIssued)
	if err != nil || !mail.SendsInvoice(a.Invoice) {
		return err
	}
	if err := mail.Plan(w.tx, w.settings, a.Invoice, a.zone); err != nil {
		return err
	}
	m := a.mail
	note := a.on(m.PleasePay, *a.DueAt)
	switch {
	case a.Status == invoice.StatusPaid:
		note = m.NothingLeft
	case a.NextAttemptAt != nil:
		note = a.on(m.WillCharge, *a.NextAttemptAt)
	}
	v := View{
		Heading: a.amount(a.Due()), Caption: a.on(m.DueOn, *a.DueAt), Link: a.link(m.SeeInvoice),
		Facts: a.facts(Fact{m.DueDate, a.day(*a.DueAt)}, Fact{m.Total, a.amount(*a.Total)}, Fact{m.AmountDue, a.amount(a.Due())}),
	}
	if a.Due().IsZero() {
		v.Heading, v.Caption = a.amount(*a.Total), m.NothingToPay
	}
	return w.queue(mail.Letter{Kind: mail.InvoiceIssued, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: "issued " + a.ID}, m, v, map[string]string{
		"customer_name": a.buyer.Name, "invoice_number": *a.Number, "invoice_date": a.day(*a.IssuedAt), "due_date": a.day(*a.DueAt),
		"total": a.amount(*a.Total), "amount_due": a.amount(a.Due()), "payment_note": note,
	}, mail.Recipients(a.buyer)...)
}

// receipt queues the mail of a payment.
func (w writer) receipt(n webhook.Announcement) error {
	a, err := w.about(n.ID, mail.Receipt)
	if err != nil || !mail.SendsReceipt(a.Invoice) {
		return err
	}
	m := a.mail
	return w.queue(mail.Letter{Kind: mail.Receipt, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: "receipt " + a.ID}, m,
		View{
			Heading: a.amount(a.Due()), Caption: a.on(m.PaidOn, *a.PaidAt), Link: a.link(m.SeeReceipt),
			Facts: a.facts(Fact{m.Paid, a.day(*a.PaidAt)}, Fact{m.AmountPaid, a.amount(a.Due())}),
		},
		map[string]string{
			"customer_name": a.buyer.Name, "invoice_number": *a.Number, "invoice_date": a.day(*a.IssuedAt), "amount_paid": a.amount(a.Due()), "paid_on": a.day(*a.PaidAt),
		}, mail.Recipients(a.buyer)...)
}

// reminder queues a reminder, which says when the invoice is due, or was (semantics 18.1.8).
func (w writer) reminder(r mail.Reminder) error {
	a, err := w.about(r.InvoiceID, mail.ReminderMail)
	if err != nil || !r.Sends(a.Invoice) {
		return err
	}
	m := a.mail
	when := a.on(m.IsDue, *a.DueAt)
	switch {
	case r.Days > 0:
		when = a.on(m.WasDue, *a.DueAt)
	case r.Days == 0:
		when = m.IsDueToday
	}
	v := View{Heading: a.amount(a.Due()), Caption: when, Link: a.link(m.SeeInvoice), Facts: a.facts(Fact{m.DueDate, a.day(*a.DueAt)}, Fact{m.AmountDue, a.amount(a.Due())})}
	return w.queue(mail.Letter{Kind: mail.ReminderMail, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: fmt.Sprintf("reminder %s %d", a.ID, r.Days)}, m, v, map[string]string{
		"customer_name": a.buyer.Name, "invoice_number": *a.Number, "invoice_date": a.day(*a.IssuedAt), "due_date": a.day(*a.DueAt),
		"amount_due": a.amount(a.Due()), "when_due": when,
	}, mail.Recipients(a.buyer)...)
}

// creditNote queues the mail of a credit note.
func (w writer) creditNote(n webhook.Announcement) error {
	note, err := invoice.FindCreditNote(w.tx, n.ID)
	if err != nil || !mail.SendsCreditNote(note) {
		return err
	}
	a, err := w.about(note.InvoiceID, mail.CreditNote)
	if err != nil {
		return err
	}
	m := a.mail
	v := View{
		Heading: a.amount(note.Total), Caption: m.Credited, Link: a.link(m.SeeCreditNote),
		Facts: []Fact{{m.CreditNote, note.Number}, {m.Date, a.day(note.CreatedAt)}, {m.Invoice, *a.Number}, {m.Total, a.amount(note.Total)}},
	}
	if note.Adjusted.Sign() > 0 {
		v.Facts = append(v.Facts, Fact{m.StillDue, a.amount(a.Due())})
	}
	if rest := note.ToBalance(); rest.Sign() > 0 {
		v.Facts = append(v.Facts, Fact{m.ToBalance, a.amount(rest)})
	}
	return w.queue(mail.Letter{Kind: mail.CreditNote, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: "credit note " + note.ID}, m, v, map[string]string{
		"customer_name": a.buyer.Name, "credit_note_number": note.Number, "invoice_number": *a.Number, "credit_note_date": a.day(note.CreatedAt), "total": a.amount(note.Total),
	}, mail.Recipients(a.buyer)...)
}
