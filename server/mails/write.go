package mails

import (
	"fmt"
	"time"

	"tollkeeper/domain/account"
	"tollkeeper/domain/alert"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/invoice"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// writer writes the mails of a transaction.
type writer struct {
	tx       *store.Tx
	settings account.Account
}

// writers queue the mails of what is announced to webhooks.
var writers = map[webhook.Type]func(w writer, a webhook.Announcement) error{
	webhook.InvoiceIssued:               writer.invoiceIssued,
	webhook.InvoicePaymentSucceeded:     writer.receipt,
	webhook.InvoiceManuallyMarkedAsPaid: writer.receipt,
	webhook.CreditNoteIssued:            writer.creditNote,

	webhook.SubscriptionUsageExceeded:              writer.crossing,
	webhook.SubscriptionCostExceeded:               writer.crossing,
	webhook.SubscriptionSpendExceeded:              writer.crossing,
	webhook.SubscriptionGroupedCostExceeded:        writer.crossing,
	webhook.SubscriptionLicenseBalanceThresholdMet: writer.crossing,
	webhook.CustomerCreditBalanceDepleted:          writer.balance,
	webhook.CustomerCreditBalanceDropped:           writer.balance,
	webhook.CustomerCreditBalanceRecovered:         writer.balance,
}

// Announce queues the mails of what a transaction announced, before it commits.
func Announce(tx *store.Tx, notes []any) error {
	var w writer
	for _, note := range notes {
		var write func(w writer) error
		switch n := note.(type) {
		case webhook.Announcement:
			if of := writers[n.Type]; of != nil {
				write = func(w writer) error { return of(w, n) }
			}
		case mail.Due:
			write = func(w writer) error { return w.reminder(n.Reminder) }
		}
		if write == nil {
			continue
		}
		if w.tx == nil {
			settings, err := account.Of(tx)
			if err != nil || !mail.Sends(settings) {
				return err
			}
			w = writer{tx, settings}
		}
		if err := write(w); err != nil && !fault.Is(err, fault.KindMissing) { // made and taken back in one transaction
			return fmt.Errorf("write a mail: %w", err)
		}
	}
	return nil
}

// about is an invoice with its customer.
type about struct {
	invoice.Invoice
	buyer customer.Customer
	zone  *time.Location
}

func (w writer) about(id string) (a about, err error) {
	if err := store.Found(w.tx.Where("id = ?", id).Take(&a.Invoice).Error, "Invoice", id); err != nil {
		return a, err
	}
	a.buyer, err = customer.Find(w.tx, a.CustomerID)
	a.zone = a.buyer.Location()
	return a, err
}

// day writes a day of the customer's.
func (a about) day(at time.Time) string { return at.In(a.zone).Format("2 January 2006") }

func (a about) amount(d money.Decimal) string { return Amount(d, a.Currency) }

// recipients are the addresses of a customer who takes mail.
func recipients(c customer.Customer) (all []string) {
	if !c.EmailDelivery {
		return nil
	}
	seen := map[string]bool{}
	for _, address := range append([]string{c.Email}, c.AdditionalEmails...) {
		if address != "" && !seen[address] {
			seen[address] = true
			all = append(all, address)
		}
	}
	return all
}

// queue renders a mail with the account's template, and queues it.
func (w writer) queue(l mail.Letter, v View, values map[string]string, to ...string) error {
	if len(to) == 0 {
		return nil
	}
	t, _, err := mail.TemplateOf(w.tx, l.Kind)
	if err != nil {
		return err
	}
	values["account_name"] = w.settings.Name
	v.Sender = w.settings.Name
	l.Subject, v.Paragraphs = t.Fill(values)
	if l.Text, l.HTML, err = v.Render(l.Subject); err != nil {
		return err
	}
	return mail.Queue(w.tx, w.settings, l, to...)
}

// invoiceFacts are what each mail about an invoice shows.
func (a about) facts(more ...Fact) []Fact {
	return append([]Fact{{"Invoice", *a.Number}, {"Date", a.day(*a.IssuedAt)}}, more...)
}

// invoiceIssued queues the mail of an issued invoice, unless it is about nothing, and plans its reminders.
func (w writer) invoiceIssued(n webhook.Announcement) error {
	a, err := w.about(n.ID)
	if err != nil || a.IssuedAt == nil || a.Status == invoice.StatusVoid || a.Total.IsZero() {
		return err
	}
	if err := mail.Plan(w.tx, w.settings, a.Invoice, a.zone); err != nil {
		return err
	}
	note := "Please pay " + a.amount(a.Due()) + " by " + a.day(*a.DueAt) + "."
	switch {
	case a.Status == invoice.StatusPaid:
		note = "There is nothing left to pay."
	case a.NextAttemptAt != nil:
		note = "We will charge " + a.amount(a.Due()) + " to your payment method on " + a.day(*a.NextAttemptAt) + "."
	}
	v := View{Heading: a.amount(a.Due()), Caption: "due " + a.day(*a.DueAt), Facts: a.facts(Fact{"Due date", a.day(*a.DueAt)}, Fact{"Total", a.amount(*a.Total)}, Fact{"Amount due", a.amount(a.Due())})}
	if a.Due().IsZero() {
		v.Heading, v.Caption = a.amount(*a.Total), "nothing to pay"
	}
	return w.queue(mail.Letter{Kind: mail.InvoiceIssued, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: "issued " + a.ID}, v, map[string]string{
		"customer_name": a.buyer.Name, "invoice_number": *a.Number, "invoice_date": a.day(*a.IssuedAt), "due_date": a.day(*a.DueAt),
		"total": a.amount(*a.Total), "amount_due": a.amount(a.Due()), "payment_note": note,
	}, recipients(a.buyer)...)
}

// receipt queues the mail of a payment.
func (w writer) receipt(n webhook.Announcement) error {
	a, err := w.about(n.ID)
	if err != nil || a.PaidAt == nil || a.Due().IsZero() {
		return err
	}
	return w.queue(mail.Letter{Kind: mail.Receipt, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: "receipt " + a.ID},
		View{Heading: a.amount(a.Due()), Caption: "paid " + a.day(*a.PaidAt), Facts: a.facts(Fact{"Paid", a.day(*a.PaidAt)}, Fact{"Amount paid", a.amount(a.Due())})},
		map[string]string{
			"customer_name": a.buyer.Name, "invoice_number": *a.Number, "invoice_date": a.day(*a.IssuedAt), "amount_paid": a.amount(a.Due()), "paid_on": a.day(*a.PaidAt),
		}, recipients(a.buyer)...)
}

// reminder queues a reminder, unless the invoice asks for nothing any more. Before the due date, no one is reminded who
// is charged without doing anything.
func (w writer) reminder(r mail.Reminder) error {
	a, err := w.about(r.InvoiceID)
	if err != nil || a.Status != invoice.StatusIssued || a.Due().IsZero() || r.Days <= 0 && a.NextAttemptAt != nil {
		return err
	}
	when := map[bool]string{true: "was due on ", false: "is due on "}[r.Days > 0] + a.day(*a.DueAt)
	if r.Days == 0 {
		when = "is due today"
	}
	v := View{Heading: a.amount(a.Due()), Caption: when, Facts: a.facts(Fact{"Due date", a.day(*a.DueAt)}, Fact{"Amount due", a.amount(a.Due())})}
	return w.queue(mail.Letter{Kind: mail.ReminderMail, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: fmt.Sprintf("reminder %s %d", a.ID, r.Days)}, v, map[string]string{
		"customer_name": a.buyer.Name, "invoice_number": *a.Number, "invoice_date": a.day(*a.IssuedAt), "due_date": a.day(*a.DueAt),
		"amount_due": a.amount(a.Due()), "when_due": when,
	}, recipients(a.buyer)...)
}

// creditNote queues the mail of a credit note.
func (w writer) creditNote(n webhook.Announcement) error {
	note, err := invoice.FindCreditNote(w.tx, n.ID)
	if err != nil || note.VoidedAt != nil {
		return err
	}
	a, err := w.about(note.InvoiceID)
	if err != nil {
		return err
	}
	v := View{Heading: a.amount(note.Total), Caption: "credited", Facts: []Fact{{"Credit note", note.Number}, {"Date", a.day(note.CreatedAt)}, {"Invoice", *a.Number}, {"Total", a.amount(note.Total)}}}
	if note.Adjusted.Sign() > 0 {
		v.Facts = append(v.Facts, Fact{"Still due", a.amount(a.Due())})
	}
	if rest := note.Total.Sub(note.Adjusted); rest.Sign() > 0 {
		v.Facts = append(v.Facts, Fact{"To your balance", a.amount(rest)})
	}
	return w.queue(mail.Letter{Kind: mail.CreditNote, CustomerID: &a.CustomerID, InvoiceID: &a.ID, Occasion: "credit note " + note.ID}, v, map[string]string{
		"customer_name": a.buyer.Name, "credit_note_number": note.Number, "invoice_number": *a.Number, "credit_note_date": a.day(note.CreatedAt), "total": a.amount(note.Total),
	}, recipients(a.buyer)...)
}

// crossing queues the mail of an alert about usage, costs or licenses.
func (w writer) crossing(n webhook.Announcement) error {
	c, is := n.About.(alert.ThresholdCrossing)
	if !is || len(c.Groups) == 0 || w.settings.AlertEmails == "" {
		return nil
	}
	terms, err := subscription.Find(w.tx, n.ID)
	if err != nil {
		return err
	}
	currency := terms.Currency
	if c.Alert.Currency != nil {
		currency = *c.Alert.Currency
	}
	show := func(d money.Decimal) string { return Amount(d, currency) }
	title := "Costs reached the threshold"
	switch c.Alert.Type {
	case alert.UsageExceeded:
		title, show = "Usage reached the threshold", func(d money.Decimal) string { return d.WithoutTail().String() }
	case alert.SpendExceeded:
		title = "Spend reached the threshold"
	case alert.LicenseReached:
		title, show = "Credits of a license used", func(d money.Decimal) string { return d.WithoutTail().String() + " %" }
	}
	first := c.Groups[0]
	facts := []Fact{{"Customer", terms.Customer.Name}, {"Plan", terms.Plan.Name}}
	for _, g := range c.Groups[:min(len(c.Groups), mostGroups)] {
		facts = append(facts, Fact{groupName(g.Group), show(g.Value) + ", threshold " + show(g.Threshold)})
	}
	if more := len(c.Groups) - mostGroups; more > 0 {
		facts = append(facts, Fact{"And", fmt.Sprint(more, " more")})
	}
	facts = append(facts, Fact{"Period", period.DateOf(c.Period.Start, terms.Customer.Location()).String() + " to " + period.DateOf(c.Period.End, terms.Customer.Location()).String()})
	return w.alert(terms.CustomerID, View{Heading: title, Caption: terms.Customer.Name, Facts: facts}, map[string]string{
		"customer_name": terms.Customer.Name, "alert": title, "threshold": show(first.Threshold), "value": show(first.Value),
	})
}

// mostGroups is how many groups of an alert a mail lists.
const mostGroups = 10

func groupName(group []string) string {
	if len(group) == 0 {
		return "Value"
	}
	text := group[0]
	for _, g := range group[1:] {
		text += " · " + g
	}
	return text
}

// balance queues the mail of an alert about prepaid credits.
func (w writer) balance(n webhook.Announcement) error {
	d, is := n.About.(alert.BalanceDrop)
	if !is || w.settings.AlertEmails == "" {
		return nil
	}
	buyer, err := customer.Find(w.tx, n.ID)
	if err != nil {
		return err
	}
	unit := *d.Alert.Currency
	title := map[alert.Type]string{alert.BalanceDepleted: "Credits are used up", alert.BalanceDropped: "Credits run low", alert.BalanceRecovered: "Credits are back"}[d.Alert.Type]
	threshold, value := Amount(d.Threshold, unit), "at the threshold or below"
	if d.Alert.Type == alert.BalanceRecovered {
		value = "above zero again"
	}
	return w.alert(buyer.ID, View{Heading: title, Caption: buyer.Name, Facts: []Fact{{"Customer", buyer.Name}, {"Threshold", threshold}}}, map[string]string{
		"customer_name": buyer.Name, "alert": title, "threshold": threshold, "value": value,
	})
}

func (w writer) alert(customerID string, v View, values map[string]string) error {
	l := mail.Letter{Kind: mail.Alert, CustomerID: &customerID, Occasion: store.NewID("alert")} // it is announced once
	return w.queue(l, v, values, w.settings.AlertRecipients()...)
}
