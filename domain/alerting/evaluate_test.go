package alerting_test

import (
	"encoding/json"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/alerting"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/credit"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("Alerts of usage", func() {
	It("A-1, A-2: fire once in a billing period, at the greatest threshold that is reached", func() {
		w := open("2025-03-01", "UTC", calls)
		w.usage("100", "500")
		w.uses("2025-03-10T08:00:00Z", "80")
		Expect(w.told()).To(BeEmpty())
		w.uses("2025-03-10T08:10:00Z", "40")
		Expect(w.told()).To(Equal([]string{"100 by 120, from 2025-03-01T00:00"}))
		w.uses("2025-03-10T08:20:00Z", "-50")
		w.uses("2025-03-10T08:30:00Z", "50")
		Expect(w.told()).To(BeEmpty(), "it fell and rose again (semantics 12.2.4)")
		w.uses("2025-03-10T09:00:00Z", "480")
		Expect(w.told()).To(Equal([]string{"500 by 600, from 2025-03-01T00:00"}))
		w.uses("2025-04-05T00:00:00Z", "700")
		Expect(w.told()).To(Equal([]string{"500 by 700, from 2025-04-01T00:00"}))
	})

	It("have nothing to look at where no events came in since", func() {
		w := open("2025-03-01", "UTC", calls)
		more := func() (some bool) {
			w.Do(func(tx *store.Tx) (err error) {
				some, err = alerting.EvaluateNext(tx)
				return err
			})
			return some
		}
		Expect(more()).To(BeFalse(), "there is no alert")
		w.usage("100")
		w.look()
		Expect(more()).To(BeFalse(), "no event came in")
		w.Record(w.customer.ID, "2025-03-10T08:00:00Z", "120")
		Expect(more()).To(BeTrue(), "an event came in")
		w.look()
		Expect(more()).To(BeFalse(), "it was looked at")
	})

	It("fire at once where they are made above a threshold (semantics 12.2.7)", func() {
		w := open("2025-03-01", "UTC", calls)
		w.Record(w.customer.ID, "2025-03-10T08:00:00Z", "120")
		w.usage("100")
		Expect(w.Next(alerting.NextEvaluation, "2025-03-10T08:00:00Z")).To(Equal("2025-03-10T08:00"))
		w.look()
		Expect(w.told()).To(Equal([]string{"100 by 120, from 2025-03-01T00:00"}))
	})

	It("look at the closed and the running period until the grace period ends (semantics 12.2.5)", func() {
		w := open("2025-03-01", "UTC", calls)
		w.usage("100")
		w.uses("2025-03-31T20:00:00Z", "60")
		w.uses("2025-04-01T05:00:00Z", "101")
		Expect(w.told()).To(Equal([]string{"100 by 101, from 2025-04-01T00:00"}))
		w.Clock("2025-04-01T11:59:59Z")
		w.RecordLate(w.customer.ID, "2025-03-31T23:59:59Z", "40")
		w.look()
		Expect(w.told()).To(Equal([]string{"100 by 100, from 2025-03-01T00:00"}))
	})

	It("do not look at a period whose grace period has ended", func() {
		w := open("2025-03-01", "UTC", calls)
		w.usage("100")
		w.uses("2025-03-31T20:00:00Z", "60")
		w.Setting("grace_period_seconds", 24*3600)
		w.Clock("2025-04-01T20:00:00Z")
		w.RecordLate(w.customer.ID, "2025-03-31T21:00:00Z", "40")
		w.Setting("grace_period_seconds", 12*3600)
		w.look()
		Expect(w.told()).To(BeEmpty())
	})

	It("count in the billing periods of the customer's zone, over a clock change and the end of a month", func() {
		w := open("2025-03-01T05:00:00Z", "America/New_York", calls)
		w.usage("100")
		w.Clock("2025-04-01T04:30:00Z")
		w.RecordLate(w.customer.ID, "2025-04-01T03:59:59Z", "100") // still March there, in summer time
		w.RecordLate(w.customer.ID, "2025-04-01T04:00:00Z", "150")
		w.look()
		Expect(w.told()).To(ConsistOf("100 by 100, from 2025-03-01T05:00", "100 by 150, from 2025-04-01T04:00"))
	})

	It("are not looked at where no price is charged by their metric any more (semantics 12.2.5)", func() {
		w := open("2025-03-01", "UTC", func(a domaintest.Account) []catalog.NewPrice { return append(calls(a), a.Fee("5.00")) })
		w.usage("100")
		end := "2025-04-01"
		w.Clock("2025-03-20")
		w.Do(func(tx *store.Tx) error {
			t, err := subscription.Lock(tx, w.terms.ID)
			if err != nil {
				return err
			}
			return subscription.ChangeIntervals(tx, t, subscription.IntervalChanges{
				Edit: []subscription.IntervalEdit{{ID: t.Intervals[0].ID, End: subscription.Sent[*string]{Given: true, Value: &end}}},
			})
		})
		w.uses("2025-04-10T08:00:00Z", "500")
		Expect(w.told()).To(BeEmpty())
	})

	It("fire once, however many servers look", func() {
		w := open("2025-03-01", "UTC", calls)
		w.usage("100")
		w.Record(w.customer.ID, "2025-03-10T08:00:00Z", "120")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				defer GinkgoRecover()
				w.look()
			})
		}
		all.Wait()
		w.look()
		Expect(w.told()).To(Equal([]string{"100 by 120, from 2025-03-01T00:00"}))
	})
})

var _ = Describe("Alerts of costs", func() {
	const from = ", from 2025-03-01T00:00"

	It("count fees from the first day, and minimums (semantics 12.2.2)", func() {
		w := open("2025-03-01", "UTC", func(a domaintest.Account) []catalog.NewPrice { return append(calls(a), a.Fee("21.00")) })
		w.costs("20", "30")
		w.look()
		Expect(w.told()).To(Equal([]string{"20 by 21" + from}))
		w.uses("2025-03-10T08:00:00Z", "8")
		Expect(w.told()).To(BeEmpty())
		w.uses("2025-03-10T09:00:00Z", "1")
		Expect(w.told()).To(Equal([]string{"30 by 30" + from}))
	})

	It("A-4: do not count what prepaid credits pay", func() {
		w := open("2025-03-01", "UTC", calls)
		w.Do(func(tx *store.Tx) error {
			_, err := credit.Add(tx, w.customer, credit.Grant{Currency: "USD", Amount: money.Must("40.00")})
			return err
		})
		w.costs("50")
		w.uses("2025-03-10T08:00:00Z", "85")
		Expect(w.told()).To(BeEmpty())
		w.uses("2025-03-10T09:00:00Z", "10")
		Expect(w.told()).To(Equal([]string{"50 by 55" + from}))
	})

	It("of what is spent count the rated subtotal, of some prices where they say so", func() {
		w := open("2025-03-01", "UTC", func(a domaintest.Account) []catalog.NewPrice { return append(calls(a), a.Fee("21.00")) })
		dollars := money.Currency("USD")
		w.alert(alert.NewAlert{Type: alert.SpendExceeded, Currency: &dollars, Thresholds: thresholds("10"),
			PriceFilters: []rating.Filter{{Field: rating.FilterPriceType, Operator: rating.FilterIncludes, Values: []string{"usage"}}}})
		w.look()
		Expect(w.told()).To(BeEmpty())
		w.uses("2025-03-10T08:00:00Z", "10")
		Expect(w.told()).To(Equal([]string{"10 by 10" + from}))
	})

	It("by groups rate each group alone", func() {
		w := open("2025-03-01", "UTC", func(a domaintest.Account) []catalog.NewPrice {
			price := a.Calls("tiered", `{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1.00"}, {"first_unit": 10, "last_unit": null, "unit_amount": "0.10"}]}`)
			return []catalog.NewPrice{price}
		})
		dollars := money.Currency("USD")
		w.alert(alert.NewAlert{Type: alert.CostExceeded, Currency: &dollars, GroupingKeys: []string{"n"}, Thresholds: thresholds("9")})
		w.uses("2025-03-10T08:00:00Z", "8", "9", "30")
		Expect(w.told()).To(ConsistOf(HavePrefix("9 by 9 "), HavePrefix("9 by 12 ")))
	})
})

var _ = Describe("A look at alerts by the clock", func() {
	It("comes as a billing period begins in the customer's zone, and as a price ends", func() {
		w := open("2025-10-01T04:00:00Z", "America/New_York", calls)
		w.usage("100")
		w.look()
		Expect(w.Next(alerting.NextEvaluation, "2025-12-31")).To(Equal("2025-11-01T04:00"))
		w.Clock("2025-11-01T04:00:00Z")
		w.look()
		Expect(w.Next(alerting.NextEvaluation, "2025-12-31")).To(Equal("2025-12-01T05:00"))
		w.Do(func(tx *store.Tx) error {
			t, err := subscription.Lock(tx, w.terms.ID)
			if err != nil {
				return err
			}
			return subscription.Cancel(tx, t, domaintest.Instant("2025-11-20T12:00:00Z"))
		})
		w.Do(func(tx *store.Tx) error { return alert.ScheduleEvaluation(tx, w.terms.ID) })
		w.look()
		Expect(w.Next(alerting.NextEvaluation, "2025-12-31")).To(Equal("2025-11-20T12:00"))
	})

	It("sees a fee of the new period without an event", func() {
		w := open("2025-03-01", "UTC", func(a domaintest.Account) []catalog.NewPrice { return []catalog.NewPrice{a.Fee("21.00")} })
		w.costs("20")
		w.look()
		Expect(w.told()).To(HaveLen(1))
		w.Clock("2025-04-01")
		w.look()
		Expect(w.told()).To(Equal([]string{"20 by 21, from 2025-04-01T00:00"}))
	})
})

var _ = Describe("Alerts of a balance", func() {
	made := func(w watched, currency money.Currency, t alert.Type, numbers ...string) (a alert.Alert, err error) {
		err = w.Try(func(tx *store.Tx) (err error) {
			a, err = alerting.Balance(tx, w.customer, alert.NewAlert{Type: t, Currency: &currency, Thresholds: thresholds(numbers...)})
			return err
		})
		return a, err
	}
	add := func(w watched, amount string) {
		GinkgoHelper()
		w.Do(func(tx *store.Tx) error {
			_, err := credit.Add(tx, w.customer, credit.Grant{Currency: money.Credits, Amount: money.Must(amount)})
			return err
		})
	}

	It("begin with the balance as it is (semantics 12.2.7)", func() {
		w := open("2025-03-01", "UTC", calls)
		add(w, "20")
		a, err := made(w, money.Credits, alert.BalanceDropped, "50", "10")
		Expect(err).NotTo(HaveOccurred())
		Expect(a.InAlert).To(HaveExactElements(thresholds("50")))
		w.look()
		Expect(w.told()).To(BeEmpty())
	})

	It("go by the balance when they are changed, and send nothing then", func() {
		w := open("2025-03-01", "UTC", calls)
		add(w, "20")
		a, err := made(w, money.Credits, alert.BalanceDropped, "10")
		Expect(err).NotTo(HaveOccurred())
		w.Do(func(tx *store.Tx) (err error) {
			a, err = alerting.Update(tx, a.ID, alert.Edit{Thresholds: thresholds("20", "5")})
			return err
		})
		Expect(a.InAlert).To(HaveExactElements(thresholds("20")))
		w.look()
		Expect(w.told()).To(BeEmpty())
	})

	It("are told of what usage leaves of it, when events have come in", func() {
		w := open("2025-03-01", "UTC", func(a domaintest.Account) []catalog.NewPrice {
			price := a.Calls("unit", `{"unit_amount": "1"}`)
			price.Currency, price.ConversionRate = money.Credits, number("1")
			return []catalog.NewPrice{price}
		})
		add(w, "20")
		_, err := made(w, money.Credits, alert.BalanceDropped, "10")
		Expect(err).NotTo(HaveOccurred())
		w.uses("2025-03-01T08:00:00Z", "5")
		Expect(w.told()).To(BeEmpty())
		w.uses("2025-03-01T09:00:00Z", "5")
		Expect(w.told()).To(Equal([]string{"customer.credit_balance_dropped"}))
	})

	DescribeTable("are refused at what is wrong",
		func(currency money.Currency, t alert.Type, numbers []string, fields ...string) {
			w := open("2025-03-01", "UTC", calls)
			_, err := made(w, currency, t, numbers...)
			Expect(err).To(domaintest.BeInvalid(fields...))
		},
		Entry("a unit that is none", money.Currency("tokens"), alert.BalanceDepleted, nil, "currency"),
		Entry("dropped without a threshold", money.Credits, alert.BalanceDropped, nil, "thresholds"),
		Entry("both", money.Currency("tokens"), alert.BalanceDropped, nil, "currency", "thresholds"),
	)
})

func number(text string) *json.Number {
	n := json.Number(text)
	return &n
}
