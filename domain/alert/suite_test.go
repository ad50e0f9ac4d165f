package alert_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/subscription"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

func TestAlert(t *testing.T) { domaintest.RunSuite(t, "alerts", 30) }

// watched is a customer with a subscription to usage at 1.00 a call, from 1 March 2025 on. It is
// the 10th.
type watched struct {
	domaintest.Account
	customer string
	terms    subscription.Terms
	heard    *domaintest.Announcements
}

func open() watched {
	GinkgoHelper()
	w := watched{Account: domaintest.Open("2025-03-10T09:00:00Z")}
	w.customer = w.Customer()
	w.terms = w.Subscribe(w.customer, "2025-03-01", w.Calls("unit", `{"unit_amount": "1.00"}`))
	w.heard = w.Listen()
	return w
}

var march = period.Period{Start: domaintest.Instant("2025-03-01"), End: domaintest.Instant("2025-04-01")}

// thresholds are those numbers.
func thresholds(numbers ...string) []money.Decimal {
	all := []money.Decimal{}
	for _, n := range numbers {
		all = append(all, money.Must(n))
	}
	return all
}

// costs is an alert of costs, changed.
func costs(change func(*alert.NewAlert), numbers ...string) alert.NewAlert {
	in := alert.NewAlert{Type: alert.CostExceeded, Thresholds: thresholds(numbers...)}
	if change != nil {
		change(&in)
	}
	return in
}

// create makes an alert of the subscription, which may be refused.
func (w watched) create(in alert.NewAlert) (made alert.Alert, err error) {
	err = w.Try(func(tx *store.Tx) (err error) {
		made, err = alert.CreateForSubscription(tx, w.terms.ID, in)
		return err
	})
	return made, err
}

// created is create for what must succeed.
func (w watched) created(in alert.NewAlert) alert.Alert {
	GinkgoHelper()
	made, err := w.create(in)
	Expect(err).NotTo(HaveOccurred())
	return made
}

// balance makes an alert of the customer's credits, whose balance is that.
func (w watched) balance(t alert.Type, balance string, numbers ...string) (made alert.Alert, err error) {
	credits := money.Credits
	err = w.Try(func(tx *store.Tx) (err error) {
		buyer := w.terms.Customer
		made, err = alert.CreateForCustomer(tx, buyer, alert.NewAlert{Type: t, Currency: &credits, Thresholds: thresholds(numbers...)}, money.Must(balance))
		return err
	})
	return made, err
}

// moves lets the customer's credits go to that balance.
func (w watched) moves(balance string) {
	GinkgoHelper()
	w.Do(func(tx *store.Tx) error {
		return alert.BalanceMoved(tx, w.customer, money.Credits, money.Must(balance))
	})
}

// reads compares values of the subscription's period with an alert, one for each group.
func (w watched) reads(a alert.Alert, in period.Period, values ...alert.Reading) {
	GinkgoHelper()
	w.Do(func(tx *store.Tx) error { return a.Fire(tx, w.terms.ID, in, values) })
}

// plain is the reading of an alert without groups.
func plain(value string) alert.Reading { return alert.Reading{Value: money.Must(value)} }

// group is the reading of a group.
func group(value string, values ...string) alert.Reading {
	return alert.Reading{Group: values, Value: money.Must(value)}
}

// told writes what was announced since the last call as "type: threshold by value".
func (w watched) told() []string {
	texts := []string{}
	for _, a := range w.heard.Take() {
		switch about := a.About.(type) {
		case alert.ThresholdCrossing:
			for _, c := range about.Groups {
				texts = append(texts, strings.TrimSpace(fmt.Sprintf("%s: %s by %s %s", a.Type, c.Threshold, c.Value, strings.Join(c.Group, " "))))
			}
		case alert.BalanceDrop:
			text := string(a.Type)
			if a.Type == webhook.CustomerCreditBalanceDropped {
				text += ": " + about.Threshold.String()
			}
			texts = append(texts, text)
		case alert.Disabled:
			texts = append(texts, string(a.Type))
		}
	}
	return texts
}

// find reads an alert.
func (w watched) find(id string) (a alert.Alert) {
	GinkgoHelper()
	w.Do(func(tx *store.Tx) (err error) {
		a, err = alert.Find(tx, id)
		return err
	})
	return a
}

// due takes all that is to be looked at by now, and writes it as "subscription" or "customer".
func (w watched) due() []string {
	GinkgoHelper()
	texts := []string{}
	for {
		var due alert.Due
		var found bool
		w.Do(func(tx *store.Tx) (err error) {
			due, found, err = alert.TakeDue(tx)
			return err
		})
		switch {
		case !found:
			return texts
		case due.CustomerID != nil:
			texts = append(texts, "customer "+*due.CustomerID)
		default:
			texts = append(texts, "subscription "+*due.SubscriptionID)
		}
	}
}
