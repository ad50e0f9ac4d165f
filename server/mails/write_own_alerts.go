package mails

import (
	"tollkeeper/domain/alert"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/document"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// ownCrossing queues the mail of an alert about usage or costs that the customer set.
func (w writer) ownCrossing(n alert.OwnCrossing) error {
	terms, err := subscription.Find(w.tx, n.SubscriptionID)
	if err != nil {
		return err
	}
	m, err := w.language(mail.CustomerAlert, terms.Customer)
	if err != nil {
		return err
	}
	words := document.In(m.Language)
	title, show := m.CostReached, func(d money.Decimal) string { return words.Money(d, terms.Currency) }
	if n.Alert.Type == alert.UsageExceeded {
		title, show = m.UsageReached, words.Number
	}
	first := n.Groups[0]
	zone := terms.Customer.Location()
	facts := []Fact{
		{m.Threshold, show(first.Threshold)}, {m.Reached, show(first.Value)},
		{m.Period, words.Days(period.DateOf(n.Period.Start, zone), period.DateOf(n.Period.End.Add(-1), zone))},
	}
	return w.ownAlert(terms.Customer, m, View{Heading: title, Caption: terms.Plan.Name, Facts: facts}, map[string]string{
		"alert": title, "threshold": show(first.Threshold), "value": show(first.Value),
	})
}

// ownDrop queues the mail of an alert about prepaid credits that the customer set.
func (w writer) ownDrop(n alert.OwnDrop) error {
	buyer, err := customer.Find(w.tx, *n.Alert.CustomerID)
	if err != nil {
		return err
	}
	m, err := w.language(mail.CustomerAlert, buyer)
	if err != nil {
		return err
	}
	threshold := document.In(m.Language).Money(n.Threshold, *n.Alert.Currency)
	return w.ownAlert(buyer, m, View{Heading: m.BalanceFell, Facts: []Fact{{m.Threshold, threshold}}}, map[string]string{
		"alert": m.BalanceFell, "threshold": threshold, "value": m.AtOrBelow,
	})
}

// ownAlert queues a mail to the customer's first address, also where email_delivery is false: the customer asked for it.
func (w writer) ownAlert(buyer customer.Customer, m mail.Words, v View, values map[string]string) error {
	if buyer.Email == "" {
		return nil
	}
	values["customer_name"] = buyer.Name
	l := mail.Letter{Kind: mail.CustomerAlert, CustomerID: &buyer.ID, Occasion: store.NewID("alert")} // it is noted once
	return w.queue(l, m, v, values, buyer.Email)
}
