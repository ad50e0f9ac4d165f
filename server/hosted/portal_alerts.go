package hosted

import (
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/alerting"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/server/mails"
	"tollkeeper/store"
	"tollkeeper/store/fault"
)

// ownAlerts are the alerts that the customer set, and what another one can watch.
type ownAlerts struct {
	Rows    []ownAlert
	Watched []watched // none: no alert can be added
	Email   string
}

type ownAlert struct{ ID, About, Threshold string }

// watched is something that an alert can watch.
type watched struct {
	Value string // of the choice in the form
	Name  string

	subscriptionID string // "": of a balance
	in             alert.NewAlert
}

// changed are the rows with a button that removes them.
func (o ownAlerts) changed(v *visitor) []ownAlert {
	if v.Lasting {
		return nil
	}
	return o.Rows
}

// mostWatched bounds the choices of the form.
const mostWatched = 100

// ownAlerts reads them. Choices are of the customer's own subscriptions and balances alone, and a form is compared with
// them: so an alert watches nothing of another customer.
func (v *visitor) ownAlerts(tx *store.Tx, subscriptions []subscription.Terms) (o ownAlerts, err error) {
	set, err := alert.Own(tx, v.Customer.ID)
	if err != nil {
		return o, err
	}
	choices, err := v.watched(tx, subscriptions)
	if err != nil {
		return o, err
	}
	for _, a := range set {
		row := ownAlert{ID: a.ID, About: v.Words.AlertCost, Threshold: v.Words.Number(a.Thresholds[0])}
		switch {
		case a.MetricID != nil:
			row.About = v.Words.AlertUsage
		case a.CustomerID != nil:
			row.About, row.Threshold = v.Words.AlertBalance, v.Words.Money(a.Thresholds[0], *a.Currency)
		}
		if k := slices.IndexFunc(choices, func(w watched) bool { return w.Value == valueOf(a) }); k >= 0 {
			row.About = choices[k].Name
		}
		o.Rows = append(o.Rows, row)
	}
	mailed, err := mails.SendsAlerts(tx, v.Customer)
	if mailed && !v.Lasting && len(set) < alert.MostOwn {
		o.Watched, o.Email = choices, v.Customer.Email
	}
	return o, err
}

// watched are the costs of active subscriptions, the usage that their prices charge, and the prepaid balances.
func (v *visitor) watched(tx *store.Tx, subscriptions []subscription.Terms) (all []watched, err error) {
	w := v.Words
	add := func(subscriptionID, name string, in alert.NewAlert) {
		of := alert.Alert{Type: in.Type, MetricID: in.MetricID, Currency: in.Currency}
		if subscriptionID != "" {
			of.SubscriptionID = &subscriptionID
		}
		choice := watched{Value: valueOf(of), Name: name, subscriptionID: subscriptionID, in: in}
		known := slices.ContainsFunc(all, func(o watched) bool { return o.Value == choice.Value })
		if !known && len(all) < mostWatched {
			all = append(all, choice)
		}
	}
	for _, t := range subscriptions {
		if t.Status(tx.Now) != subscription.StatusActive {
			continue
		}
		add(t.ID, w.Fill(w.AlertCostOf, "name", t.Plan.Name+", "+string(t.Currency)), alert.NewAlert{Type: alert.CostExceeded})
		for _, i := range t.Intervals {
			if i.Price.Type == catalog.PriceUsage && (i.EndAt == nil || tx.Now.Before(*i.EndAt)) {
				metric := i.Metric.ID
				add(t.ID, w.Fill(w.AlertUsageOf, "name", i.Price.Name), alert.NewAlert{Type: alert.UsageExceeded, MetricID: &metric})
			}
		}
	}
	ledgers, err := credit.LedgersOf(tx, []string{v.Customer.ID})
	for _, l := range ledgers[v.Customer.ID] {
		currency := l.Currency
		add("", w.Fill(w.AlertBalanceOf, "name", string(currency)), alert.NewAlert{Type: alert.BalanceDropped, Currency: &currency})
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

// addAlert sets an alert.
func (p *pages) addAlert(c echo.Context) error {
	return p.change(c, addAlert, "#alerts", func(tx *store.Tx, v *visitor) error {
		subscriptions, err := subscription.OfCustomer(tx, v.Customer.ID)
		if err != nil {
			return err
		}
		if err := alert.RoomForOwn(tx, v.Customer.ID); err != nil {
			return err
		}
		own, err := v.ownAlerts(tx, subscriptions)
		if err != nil {
			return err
		}
		chosen := slices.IndexFunc(own.Watched, func(w watched) bool { return w.Value == c.FormValue("watch") })
		if chosen < 0 {
			return fault.Bad("watch", "must be one of the choices")
		}
		threshold, err := money.Parse(strings.TrimSpace(c.FormValue("threshold")))
		if err != nil || threshold.Sign() < 0 {
			return fault.Bad("threshold", "must be a number of 0 or more")
		}
		choice := own.Watched[chosen]
		in := choice.in
		in.OwnerID, in.Thresholds = &v.Customer.ID, []money.Decimal{threshold}
		if choice.subscriptionID == "" {
			_, err = alerting.Balance(tx, v.Customer, in)
		} else {
			_, err = alert.CreateForSubscription(tx, choice.subscriptionID, in)
		}
		return err
	})
}

// removeAlert removes an alert that the customer set.
func (p *pages) removeAlert(c echo.Context) error {
	return p.change(c, removeAlert, "#alerts", func(tx *store.Tx, v *visitor) error {
		err := alert.DeleteOwn(tx, v.Customer.ID, c.FormValue("alert"))
		if fault.Is(err, fault.KindMissing) { // it was removed before
			return nil
		}
		return err
	})
}
