package portal

import (
	"slices"
	"strings"

	"tollkeeper/domain/account"
	"tollkeeper/domain/alert"
	"tollkeeper/domain/alerting"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/mail"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// OwnAlert is an alert that the customer set.
type OwnAlert struct {
	alert.Alert
	Watches *Choice // what it watches; nil where that can no longer be chosen
}

// Choice is something that an alert of the customer's own can watch (semantics 20.1.6).
type Choice struct {
	Value    string // names it in a form
	Type     alert.Type
	Name     string // of the plan or the price; "" of a balance
	Currency money.Currency

	subscriptionID string // "": of a balance
	in             alert.NewAlert
}

// mostChoices bounds the choices.
const mostChoices = 100

// ownAlerts are the alerts that a customer set, and what another one can watch. There is no choice where none
// can be added.
func ownAlerts(tx *store.Tx, c customer.Customer, subscriptions []subscription.Terms, permanent bool) (own []OwnAlert, open []Choice, err error) {
	set, err := alert.Own(tx, c.ID)
	if err != nil {
		return nil, nil, err
	}
	all, err := choices(tx, c, subscriptions)
	if err != nil {
		return nil, nil, err
	}
	for _, a := range set {
		row := OwnAlert{Alert: a}
		if k := slices.IndexFunc(all, func(w Choice) bool { return w.Value == valueOf(a) }); k >= 0 {
			row.Watches = &all[k]
		}
		own = append(own, row)
	}
	settings, err := account.Of(tx)
	if permanent || len(set) >= alert.MostOwn || !mail.Sends(settings) || c.Email == "" {
		all = nil
	}
	return own, all, err
}

// choices are the costs of active subscriptions, the usage that their prices charge, and the prepaid balances.
func choices(tx *store.Tx, c customer.Customer, subscriptions []subscription.Terms) (all []Choice, err error) {
	add := func(choice Choice) {
		of := alert.Alert{Type: choice.Type, MetricID: choice.in.MetricID, Currency: choice.in.Currency}
		if choice.subscriptionID != "" {
			of.SubscriptionID = &choice.subscriptionID
		}
		choice.Value, choice.in.Type = valueOf(of), choice.Type
		known := slices.ContainsFunc(all, func(o Choice) bool { return o.Value == choice.Value })
		if !known && len(all) < mostChoices {
			all = append(all, choice)
		}
	}
	for _, t := range subscriptions {
		add(Choice{Type: alert.CostExceeded, Name: t.Plan.Name, Currency: t.Currency, subscriptionID: t.ID})
		for _, i := range t.Intervals {
			if i.Price.Type == catalog.PriceUsage && (i.EndAt == nil || tx.Now.Before(*i.EndAt)) {
				metric := i.Metric.ID
				add(Choice{Type: alert.UsageExceeded, Name: i.Price.Name, Currency: t.Currency, subscriptionID: t.ID, in: alert.NewAlert{MetricID: &metric}})
			}
		}
	}
	ledgers, err := credit.LedgersOf(tx, []string{c.ID})
	for _, l := range ledgers[c.ID] {
		currency := l.Currency
		add(Choice{Type: alert.BalanceDropped, Currency: currency, in: alert.NewAlert{Currency: &currency}})
	}
	return all, err
}

// valueOf names what an alert watches.
func valueOf(a alert.Alert) string {
	switch {
	case a.MetricID != nil:
		return strings.Join([]string{"usage", *a.SubscriptionID, *a.MetricID}, " ")
	case a.SubscriptionID != nil:
		return "cost " + *a.SubscriptionID
	}
	return "balance " + string(*a.Currency)
}

// AddAlert sets an alert of the customer's own, on the choice of that value, as the form of a session does. The
// value is compared with the choices, so an alert watches nothing of another customer.
func AddAlert(tx *store.Tx, c customer.Customer, value, threshold string) error {
	if err := alert.RoomForOwn(tx, c.ID); err != nil {
		return err
	}
	subscriptions, err := active(tx, c)
	if err != nil {
		return err
	}
	_, open, err := ownAlerts(tx, c, subscriptions, false)
	if err != nil {
		return err
	}
	chosen := slices.IndexFunc(open, func(w Choice) bool { return w.Value == value })
	if chosen < 0 {
		return fault.Bad("watch", "must be one of the choices")
	}
	limit, err := money.Parse(strings.TrimSpace(threshold))
	if err != nil || limit.Sign() < 0 {
		return fault.Bad("threshold", "must be a number of 0 or more")
	}
	in := open[chosen].in
	in.OwnerID, in.Thresholds = &c.ID, []money.Decimal{limit}
	if id := open[chosen].subscriptionID; id != "" {
		_, err = alert.CreateForSubscription(tx, id, in)
	} else {
		_, err = alerting.Balance(tx, c, in)
	}
	return err
}

// RemoveAlert removes an alert that the customer set. One that was removed before is no error.
func RemoveAlert(tx *store.Tx, c customer.Customer, id string) error {
	err := alert.DeleteOwn(tx, c.ID, id)
	if fault.Is(err, fault.KindMissing) {
		return nil
	}
	return err
}
