package alerting_test

import (
	"fmt"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/alerting"
	"tollkeeper/domain/billing"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/customer"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

func TestAlerting(t *testing.T) {
	RegisterFailHandler(Fail)
	RunSpecs(t, "alerting")
}

// watched is a customer with a subscription that alerts watch.
type watched struct {
	domaintest.Account
	customer customer.Customer
	terms    subscription.Terms
	heard    *domaintest.Announcements
}

// open subscribes a customer in a time zone to prices, from a date on, and sets the clock to it.
func open(start, zone string, prices func(a domaintest.Account) []catalog.NewPrice) watched {
	GinkgoHelper()
	w := watched{Account: domaintest.Open(start)}
	w.customer = w.CustomerIn(zone)
	plan := w.Plan(catalog.NewPlan{Prices: domaintest.Listed(prices(w.Account)...)}).ID
	w.Do(func(tx *store.Tx) (err error) {
		w.terms, _, err = billing.Subscribe(tx, subscription.NewSubscription{CustomerID: &w.customer.ID, PlanID: &plan, StartDate: &start})
		return err
	})
	w.heard = w.Listen()
	return w
}

// calls is usage at 1.00 a call.
func calls(a domaintest.Account) []catalog.NewPrice {
	return []catalog.NewPrice{a.Calls("unit", `{"unit_amount": "1.00"}`)}
}

func thresholds(numbers ...string) []money.Decimal {
	all := []money.Decimal{}
	for _, n := range numbers {
		all = append(all, money.Must(n))
	}
	return all
}

// usage makes an alert of what the metric counts.
func (w watched) usage(numbers ...string) alert.Alert {
	GinkgoHelper()
	return w.alert(alert.NewAlert{Type: alert.UsageExceeded, MetricID: &w.Metric, Thresholds: thresholds(numbers...)})
}

// costs makes an alert of the costs.
func (w watched) costs(numbers ...string) alert.Alert {
	GinkgoHelper()
	return w.alert(alert.NewAlert{Type: alert.CostExceeded, Thresholds: thresholds(numbers...)})
}

func (w watched) alert(in alert.NewAlert) (made alert.Alert) {
	GinkgoHelper()
	w.Do(func(tx *store.Tx) (err error) {
		made, err = alert.CreateForSubscription(tx, w.terms.ID, in)
		return err
	})
	return made
}

// uses records events at an instant, and looks at what they come to.
func (w watched) uses(when string, numbers ...string) {
	GinkgoHelper()
	w.Record(w.customer.ID, when, numbers...)
	w.look()
}

// look does all that is to be looked at by now.
func (w watched) look() {
	GinkgoHelper()
	for due := true; due; {
		w.Do(func(tx *store.Tx) (err error) {
			if _, due, err = alerting.NextEvaluation(tx, tx.Now); err != nil || !due {
				return err
			}
			_, err = alerting.EvaluateNext(tx)
			return err
		})
	}
}

// told writes what was announced since the last call as "threshold by value, from period start".
func (w watched) told() []string {
	texts := []string{}
	for _, a := range w.heard.Take() {
		switch about := a.About.(type) {
		case alert.ThresholdCrossing:
			for _, c := range about.Groups {
				text := fmt.Sprintf("%s by %s", c.Threshold, c.Value)
				for _, value := range c.Group {
					text += " " + value
				}
				texts = append(texts, text+", from "+about.Period.Start.Format("2006-01-02T15:04"))
			}
		case alert.BalanceDrop:
			texts = append(texts, string(a.Type))
		}
	}
	return texts
}
