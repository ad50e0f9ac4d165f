package mails

import (
	"embed"
	"fmt"
	"html/template"
	"strconv"
	"strings"
	plain "text/template"
	"time"

	"tollkeeper/domain/document"
	"tollkeeper/domain/letterhead"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/portal"
)

// View is what the frame of a mail shows. Empty fields are left out.
type View struct {
	Sender     string // the account's name
	Heading    string // an amount, or what happened
	Caption    string
	Paragraphs []string
	Facts      []Fact
	Link       *Link
	Footer     string     // "": who sent it
	Words      mail.Words // its language; English when empty
}

// Fact is a term and what it is.
type Fact struct{ Term, Value string }

// Link is a page that the mail leads to.
type Link struct{ Text, URL string }

//go:embed frame.html.tmpl frame.txt.tmpl
var frames embed.FS

var (
	htmlFrame = template.Must(template.ParseFS(frames, "frame.html.tmpl"))
	textFrame = plain.Must(plain.ParseFS(frames, "frame.txt.tmpl"))
)

// Render writes a mail as text and as HTML.
func (v View) Render(subject string) (text, html string, err error) {
	if v.Words.Language == "" {
		v.Words = mail.In(letterhead.English)
	}
	if v.Footer == "" {
		v.Footer = document.In(v.Words.Language).Fill(v.Words.SentBy, "sender", v.Sender)
	}
	page := struct {
		View
		Subject string
	}{v, subject}
	var plainText, rich strings.Builder
	if err := textFrame.Execute(&plainText, page); err != nil {
		return "", "", fmt.Errorf("write the text of a mail: %w", err)
	}
	if err := htmlFrame.Execute(&rich, page); err != nil {
		return "", "", fmt.Errorf("write the HTML of a mail: %w", err)
	}
	return strings.TrimSpace(plainText.String()) + "\n", rich.String(), nil
}

// Amount writes an amount with its currency for the account's own people: USD 1,234.50.
func Amount(d money.Decimal, currency money.Currency) string {
	digits, sign := currency.Format(d.Abs()), ""
	if d.Sign() < 0 {
		sign = "−"
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	grouped := ""
	for ; len(whole) > 3; whole = whole[:len(whole)-3] {
		grouped = "," + whole[len(whole)-3:] + grouped
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	if currency.Valid() {
		return string(currency) + "\u00a0" + sign + whole + grouped + fraction
	}
	return sign + whole + grouped + fraction + "\u00a0" + string(currency)
}

// Example is a mail of a kind as an account would send it, with made-up values.
func Example(sender string, t mail.Template, m mail.Words) (subject, text, html string, err error) {
	d := document.In(m.Language)
	day := func(month time.Month, day int) string {
		return d.LongDate(period.Date{Year: 2025, Month: month, Day: day})
	}
	on := func(text, day string) string {
		return d.Fill(text, "date", day, "amount", d.Money(money.Must("1200"), "USD"))
	}
	values := map[string]string{
		"account_name": sender, "customer_name": "Globex", "invoice_number": "GLOBEX-00042", "invoice_date": day(time.April, 1), "due_date": day(time.April, 30),
		"total": d.Money(money.Must("1250"), "USD"), "amount_due": d.Money(money.Must("1200"), "USD"), "payment_note": on(m.PleasePay, day(time.April, 30)),
		"amount_paid": d.Money(money.Must("1200"), "USD"), "paid_on": day(time.April, 12), "when_due": on(m.WasDue, day(time.April, 30)),
		"credit_note_number": "GLOBEX-00042-CN-1", "credit_note_date": day(time.April, 14), "minutes": strconv.Itoa(portal.MailedMinutes),
		"alert": "Usage reached the threshold", "threshold": "1000", "value": "1017",
	}
	v := View{Sender: sender, Words: m, Link: &Link{m.SeeInvoice, "https://billing.example/i/example"}}
	facts := []Fact{{m.Invoice, values["invoice_number"]}, {m.Date, values["invoice_date"]}}
	switch t.Kind {
	case mail.InvoiceIssued, mail.ReminderMail:
		v.Heading, v.Caption = values["amount_due"], on(m.DueOn, values["due_date"])
		v.Facts = append(facts, Fact{m.DueDate, values["due_date"]}, Fact{m.Total, values["total"]}, Fact{m.AmountDue, values["amount_due"]})
		if t.Kind == mail.ReminderMail {
			v.Caption = values["when_due"]
		}
	case mail.Receipt:
		v.Heading, v.Caption, v.Link.Text = values["amount_paid"], on(m.PaidOn, values["paid_on"]), m.SeeReceipt
		v.Facts = append(facts, Fact{m.AmountPaid, values["amount_paid"]})
	case mail.CreditNote:
		v.Heading, v.Caption, v.Link.Text = values["total"], m.Credited, m.SeeCreditNote
		v.Facts = append([]Fact{{m.CreditNote, values["credit_note_number"]}}, facts[0], Fact{m.Total, values["total"]})
	case mail.PortalLink:
		v.Link = &Link{m.OpenPortal, "https://billing.example/portal/example"}
	case mail.CustomerAlert:
		values["alert"], values["threshold"], values["value"] = m.CostReached, d.Money(money.Must("1000"), "USD"), d.Money(money.Must("1017"), "USD")
		v.Heading, v.Link = m.CostReached, nil
		v.Facts = []Fact{{m.Threshold, values["threshold"]}, {m.Reached, values["value"]}, {m.Period, d.Days(period.Date{Year: 2025, Month: time.April, Day: 1}, period.Date{Year: 2025, Month: time.April, Day: 30})}}
	case mail.Alert:
		v.Heading, v.Caption, v.Link = values["alert"], "Globex", nil
		v.Facts = []Fact{{"Customer", "Globex"}, {"Plan", "Pro"}, {"Value", "1017, threshold 1000"}}
	}
	subject, v.Paragraphs = t.Fill(values)
	text, html, err = v.Render(subject)
	return subject, text, html, err
}
