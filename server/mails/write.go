package mails

import (
	"fmt"

	"tollkeeper/domain/account"
	"tollkeeper/domain/alert"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/letterhead"
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
		case alert.OwnCrossing:
			write = func(w writer) error { return w.ownCrossing(n) }
		case alert.OwnDrop:
			write = func(w writer) error { return w.ownDrop(n) }
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

// queue renders a mail with the account's template, and queues it.
func (w writer) queue(l mail.Letter, words mail.Words, v View, values map[string]string, to ...string) error {
	if len(to) == 0 {
		return nil
	}
	t, _, err := mail.TemplateOf(w.tx, l.Kind, words)
	if err != nil {
		return err
	}
	values["account_name"] = w.settings.Name
	v.Sender, v.Words = w.settings.Name, words
	l.Subject, v.Paragraphs = t.Fill(values)
	if l.Text, l.HTML, err = v.Render(l.Subject); err != nil {
		return err
	}
	return mail.Queue(w.tx, w.settings, l, to...)
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

// mostGroups is how many groups of an alert a mail lists (semantics 18.1.9).
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
	return w.queue(l, mail.In(letterhead.English), v, values, w.settings.AlertRecipients()...)
}
