package mails

import (
	"embed"
	"fmt"
	"html/template"
	"strings"
	plain "text/template"

	"tollkeeper/domain/mail"
	"tollkeeper/domain/money"
)

// View is what the frame of a mail shows. Empty fields are left out.
type View struct {
	Sender     string // the account's name
	Heading    string // an amount, or what happened
	Caption    string
	Paragraphs []string
	Facts      []Fact
	Link       *Link
	Footer     string
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

// Amount writes an amount with its currency: USD 1,234.50.
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
func Example(sender string, t mail.Template) (subject, text, html string, err error) {
	values := map[string]string{
		"account_name": sender, "customer_name": "Globex", "invoice_number": "GLOBEX-00042", "invoice_date": "1 April 2025", "due_date": "30 April 2025",
		"total": "USD\u00a01,250.00", "amount_due": "USD\u00a01,200.00", "payment_note": "Please pay USD\u00a01,200.00 by 30 April 2025.", "amount_paid": "USD\u00a01,200.00",
		"paid_on": "12 April 2025", "when_due": "was due on 30 April 2025", "credit_note_number": "GLOBEX-00042-CN-1", "credit_note_date": "14 April 2025",
		"alert": "Usage reached the threshold", "threshold": "1000", "value": "1017",
	}
	v := View{Sender: sender}
	facts := []Fact{{"Invoice", values["invoice_number"]}, {"Date", values["invoice_date"]}}
	switch t.Kind {
	case mail.InvoiceIssued, mail.ReminderMail:
		v.Heading, v.Caption, v.Facts = values["amount_due"], "due "+values["due_date"], append(facts, Fact{"Due date", values["due_date"]}, Fact{"Total", values["total"]}, Fact{"Amount due", values["amount_due"]})
		if t.Kind == mail.ReminderMail {
			v.Caption = values["when_due"]
		}
	case mail.Receipt:
		v.Heading, v.Caption, v.Facts = values["amount_paid"], "paid "+values["paid_on"], append(facts, Fact{"Amount paid", values["amount_paid"]})
	case mail.CreditNote:
		v.Heading, v.Caption, v.Facts = values["total"], "credited", append([]Fact{{"Credit note", values["credit_note_number"]}}, facts[0], Fact{"Total", values["total"]})
	case mail.Alert:
		v.Heading, v.Caption, v.Facts = values["alert"], "Globex", []Fact{{"Customer", "Globex"}, {"Plan", "Pro"}, {"Value", "1017, threshold 1000"}}
	}
	subject, v.Paragraphs = t.Fill(values)
	text, html, err = v.Render(subject)
	return subject, text, html, err
}
