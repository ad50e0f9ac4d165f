package alert_test

import (
	"fmt"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

var _ = Describe("A threshold of usage or costs", func() {
	var w watched
	BeforeEach(func() { w = open() })
	const cost = "subscription.cost_exceeded: "
	april := period.Period{Start: march.End, End: domaintest.Instant("2025-05-01")}

	It("A-1: fires once in a billing period, at or above it (semantics 12.2.1, 12.2.3, 12.2.4)", func() {
		a := w.created(costs(nil, "100", "500"))
		w.reads(a, march, plain("99.99999999999999999999"))
		Expect(w.told()).To(BeEmpty())
		w.reads(a, march, plain("100.0"))
		Expect(w.told()).To(Equal([]string{cost + "100 by 100"}))
		w.reads(a, march, plain("50"))
		w.reads(a, march, plain("130"))
		Expect(w.told()).To(BeEmpty())
		w.reads(a, march, plain("600"))
		Expect(w.told()).To(Equal([]string{cost + "500 by 600"}))
		w.reads(a, april, plain("150"))
		Expect(w.told()).To(Equal([]string{cost + "100 by 150"}))
	})

	It("A-2: is told with the greatest of those that are reached at once", func() {
		a := w.created(costs(nil, "500", "100"))
		w.reads(a, march, plain("700"))
		Expect(w.told()).To(Equal([]string{cost + "500 by 700"}))
		w.reads(a, march, plain("700"))
		Expect(w.told()).To(BeEmpty())
	})

	It("A-7: is that of the group, and one message has all groups that crossed (semantics 12.2.11)", func() {
		dollars := money.Currency("USD")
		a := w.created(costs(func(in *alert.NewAlert) {
			in.Currency, in.GroupingKeys = &dollars, []string{"project"}
			in.ThresholdOverrides = []alert.Override{
				{GroupValues: []string{"p1"}, Thresholds: thresholds("100")}, {GroupValues: []string{"p2"}, Thresholds: thresholds()},
			}
		}, "10"))
		const grouped = "subscription.grouped_cost_exceeded: "
		w.reads(a, march, group("40", "p1"), group("400", "p2"), group("11", "p3"))
		Expect(w.told()).To(Equal([]string{grouped + "10 by 11 p3"}))
		w.reads(a, march, group("140", "p1"), group("400", "p2"), group("12", "p3"), group("10", "p4"))
		Expect(w.told()).To(Equal([]string{grouped + "100 by 140 p1", grouped + "10 by 10 p4"}))
	})

	It("fires once, however many look at the same time", func() {
		a := w.created(costs(nil, "10", "20", "30"))
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				defer GinkgoRecover()
				w.reads(a, march, plain("25"))
			})
		}
		all.Wait()
		Expect(w.told()).To(Equal([]string{cost + "20 by 25"}))
	})

	It("is told as often as the greatest value so far passes another one, whatever the values are", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			w := open()
			numbers := rapid.SliceOfNDistinct(rapid.IntRange(1, 50), 1, 6, rapid.ID[int]).Draw(rt, "thresholds")
			var texts []string
			for _, n := range numbers {
				texts = append(texts, fmt.Sprint(n))
			}
			a := w.created(costs(nil, texts...))
			most := 0
			for _, value := range rapid.SliceOfN(rapid.IntRange(0, 60), 1, 8).Draw(rt, "values") {
				w.reads(a, march, plain(fmt.Sprint(value)))
				want := []string{}
				greatest := 0
				for _, n := range numbers {
					if n > most && n <= value {
						greatest = max(greatest, n)
					}
				}
				if greatest > 0 {
					want = append(want, fmt.Sprintf("%s%d by %d", cost, greatest, value))
				}
				most = max(most, value)
				if told := w.told(); !slices.Equal(told, want) {
					rt.Fatalf("%v instead of %v", told, want)
				}
			}
		})
	})

	It("does not fire again after an update that keeps it, and a new one does (semantics 12.2.12)", func() {
		a := w.created(costs(nil, "10", "20"))
		w.reads(a, march, plain("15"))
		Expect(w.told()).To(HaveLen(1))
		w.Do(func(tx *store.Tx) (err error) {
			a, err = alert.Update(tx, a.ID, alert.Edit{Thresholds: thresholds("10", "12")})
			return err
		})
		w.reads(a, march, plain("15"))
		Expect(w.told()).To(Equal([]string{cost + "12 by 15"}))
		Expect(a.Thresholds).To(HaveExactElements(thresholds("10", "12")))
	})

	It("is not told of what was undone", func() {
		a := w.created(costs(nil, "10"))
		_ = w.Try(func(tx *store.Tx) error {
			Expect(a.Fire(tx, w.terms.ID, march, []alert.Reading{plain("15")})).To(Succeed())
			return fmt.Errorf("undone")
		})
		Expect(w.told()).To(BeEmpty())
		w.reads(a, march, plain("15"))
		Expect(w.told()).To(HaveLen(1))
	})
})

var _ = Describe("An alert of a balance", func() {
	var w watched
	BeforeEach(func() { w = open() })
	const dropped, depleted, recovered = "customer.credit_balance_dropped: ", "customer.credit_balance_depleted", "customer.credit_balance_recovered"
	made := func(t alert.Type, balance string, numbers ...string) alert.Alert {
		GinkgoHelper()
		a, err := w.balance(t, balance, numbers...)
		Expect(err).NotTo(HaveOccurred())
		return a
	}

	It("A-5: tells of a threshold each time the balance falls to it, and is armed again above it (semantics 12.2.8)", func() {
		made(alert.BalanceDropped, "60", "50", "10")
		for _, move := range []struct{ to, told string }{
			{"48", "50"}, {"47", ""}, {"9", "10"}, {"109", ""}, {"45", "50"}, {"50", ""}, {"50.01", ""}, {"50", "50"}, {"60", ""}, {"1", "10"},
		} {
			w.moves(move.to)
			want := []string{}
			if move.told != "" {
				want = append(want, dropped+move.told)
			}
			Expect(w.told()).To(Equal(want), "to "+move.to)
		}
	})

	It("A-6: tells of 0 or less, and of more than 0 again", func() {
		down, up := made(alert.BalanceDepleted, "5"), made(alert.BalanceRecovered, "5", "77")
		Expect(up.Thresholds).To(HaveExactElements(money.Decimal{}), "whatever is sent (semantics 12.2.10)")
		w.moves("0")
		Expect(w.told()).To(Equal([]string{depleted}))
		Expect(w.find(down.ID).InAlert).To(HaveLen(1))
		w.moves("-3")
		Expect(w.told()).To(BeEmpty())
		w.moves("0.01")
		Expect(w.told()).To(Equal([]string{recovered}))
		Expect(w.find(down.ID).InAlert).To(BeEmpty())
	})

	It("sends nothing when it is made or enabled on a balance that is low (semantics 12.2.7)", func() {
		a := made(alert.BalanceDropped, "5", "10")
		Expect(a.InAlert).To(HaveExactElements(thresholds("10")))
		w.moves("4")
		Expect(w.told()).To(BeEmpty())
		turn := func(on bool) {
			w.Do(func(tx *store.Tx) error {
				_, err := alert.Switch(tx, a.ID, on, nil)
				return err
			})
		}
		turn(false)
		w.moves("20")
		w.moves("3")
		turn(true)
		w.moves("2")
		Expect(w.told()).To(BeEmpty())
		w.moves("20")
		w.moves("3")
		Expect(w.told()).To(Equal([]string{dropped + "10"}))
	})

	It("A-8: is one of its type in a currency (semantics 12.2.9)", func() {
		made(alert.BalanceDropped, "5", "10")
		_, err := w.balance(alert.BalanceDropped, "5", "20")
		Expect(err).To(domaintest.BeTaken())
		made(alert.BalanceDepleted, "5")
		w.Do(func(tx *store.Tx) error {
			dollars := money.Currency("USD")
			_, err := alert.CreateForCustomer(tx, w.terms.Customer, alert.NewAlert{Type: alert.BalanceDropped, Currency: &dollars, Thresholds: thresholds("1")}, money.Decimal{})
			return err
		})
	})

	It("is of its customer and unit alone", func() {
		made(alert.BalanceDropped, "60", "50")
		w.Do(func(tx *store.Tx) error { return alert.BalanceMoved(tx, w.customer, "USD", money.Decimal{}) })
		w.Do(func(tx *store.Tx) error { return alert.BalanceMoved(tx, w.Customer(), money.Credits, money.Decimal{}) })
		Expect(w.told()).To(BeEmpty())
	})

	It("knows the thresholds that the balance is at or below, and tells of the lowest it fell to, wherever it goes", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			w := open()
			numbers := rapid.SliceOfNDistinct(rapid.IntRange(-5, 30), 1, 5, rapid.ID[int]).Draw(rt, "thresholds")
			var texts []string
			for _, n := range numbers {
				texts = append(texts, fmt.Sprint(n))
			}
			before := rapid.IntRange(-10, 40).Draw(rt, "balance")
			a, err := w.balance(alert.BalanceDropped, fmt.Sprint(before), texts...)
			if err != nil {
				rt.Fatal(err)
			}
			slices.Sort(numbers)
			for _, now := range rapid.SliceOfN(rapid.IntRange(-10, 40), 1, 8).Draw(rt, "balances") {
				w.moves(fmt.Sprint(now))
				want, below := []string{}, []string{}
				for _, n := range numbers {
					if now <= n && before > n && len(want) == 0 {
						want = append(want, fmt.Sprint(dropped, n))
					}
					if now <= n {
						below = append(below, fmt.Sprint(n))
					}
				}
				is := []string{}
				for _, t := range w.find(a.ID).InAlert {
					is = append(is, t.String())
				}
				if told := w.told(); !slices.Equal(told, want) || !slices.Equal(is, below) {
					rt.Fatalf("from %d to %d: %v instead of %v, below %v instead of %v", before, now, told, want, is, below)
				}
				before = now
			}
		})
	})
})

var _ = Describe("An alert of a subscription", func() {
	var w watched
	BeforeEach(func() { w = open() })
	dollars, euros := money.Currency("USD"), money.Currency("EUR")

	It("is one of costs, grouped and not, and one of usage for a metric; of spend there may be several (semantics 12.2.9)", func() {
		usage := alert.NewAlert{Type: alert.UsageExceeded, MetricID: &w.Metric, Thresholds: thresholds("1")}
		grouped := costs(func(in *alert.NewAlert) { in.Currency, in.GroupingKeys = &dollars, []string{"project"} }, "1")
		spend := alert.NewAlert{Type: alert.SpendExceeded, Currency: &dollars, Thresholds: thresholds("1")}
		for _, in := range []alert.NewAlert{costs(nil, "1"), usage, grouped} {
			w.created(in)
			_, err := w.create(in)
			Expect(err).To(domaintest.BeTaken())
		}
		w.created(spend)
		w.created(spend)
	})

	DescribeTable("is refused at what is wrong (semantics 12.2.10 to 12.2.12)",
		func(in alert.NewAlert, fields ...string) {
			_, err := w.create(in)
			Expect(err).To(domaintest.BeInvalid(fields...))
		},
		Entry("no threshold", costs(nil), "thresholds"),
		Entry("a threshold twice, written otherwise", costs(nil, "1", "2", "1.0"), "thresholds[2].value"),
		Entry("usage without a metric", alert.NewAlert{Type: alert.UsageExceeded, Thresholds: thresholds("1")}, "metric_id"),
		Entry("groups without a currency", costs(func(in *alert.NewAlert) { in.GroupingKeys = []string{"a"} }, "1"), "currency"),
		Entry("a key twice", costs(func(in *alert.NewAlert) { in.Currency, in.GroupingKeys = &dollars, []string{"a", "a"} }, "1"), "grouping_keys[1]"),
		Entry("overrides without groups", costs(func(in *alert.NewAlert) { in.ThresholdOverrides = []alert.Override{{GroupValues: []string{"a"}}} }, "1"), "threshold_overrides"),
		Entry("an override for another number of keys", costs(func(in *alert.NewAlert) {
			in.Currency, in.GroupingKeys = &dollars, []string{"a", "b"}
			in.ThresholdOverrides = []alert.Override{{GroupValues: []string{"a"}}}
		}, "1"), "threshold_overrides[0].group_values"),
		Entry("two overrides for one group", costs(func(in *alert.NewAlert) {
			in.Currency, in.GroupingKeys = &dollars, []string{"a"}
			in.ThresholdOverrides = []alert.Override{{GroupValues: []string{"x"}}, {GroupValues: []string{"x"}}}
		}, "1"), "threshold_overrides[1].group_values"),
		Entry("a filter by something else", costs(func(in *alert.NewAlert) {
			in.Currency, in.GroupingKeys = &dollars, []string{"a"}
			in.PriceFilters = []rating.Filter{{Field: "currency"}}
		}, "1"), "price_filters[0].field"),
	)

	It("is refused where no price goes with it", func() {
		_, err := w.create(costs(func(in *alert.NewAlert) { in.Currency = &euros }, "1"))
		Expect(err).To(domaintest.BeRefused("in this currency"))
		var other catalog.Metric
		w.Do(func(tx *store.Tx) (err error) {
			other, err = catalog.CreateMetric(tx, catalog.NewMetric{Name: "Other", ItemID: w.Item, SQL: "SELECT COUNT(*) FROM events"})
			return err
		})
		_, err = w.create(alert.NewAlert{Type: alert.UsageExceeded, MetricID: &other.ID, Thresholds: thresholds("1")})
		Expect(err).To(domaintest.BeRefused("charged by this metric"))
	})

	It("is missing once it is deleted, and in another account, and can be made again", func() {
		a := w.created(costs(nil, "1"))
		other := open()
		Expect(other.Try(func(tx *store.Tx) error { _, err := alert.Find(tx, a.ID); return err })).To(domaintest.BeMissing())
		w.Do(func(tx *store.Tx) error { return alert.Delete(tx, a.ID) })
		Expect(w.Try(func(tx *store.Tx) error { return alert.Delete(tx, a.ID) })).To(domaintest.BeMissing())
		w.created(costs(nil, "1"))
	})

	It("is told of when it is disabled, once (subscription.alert_disabled)", func() {
		a := w.created(costs(nil, "1"))
		for range 2 {
			w.Do(func(tx *store.Tx) error { _, err := alert.Switch(tx, a.ID, false, nil); return err })
		}
		Expect(w.told()).To(Equal([]string{"subscription.alert_disabled"}))
		Expect(w.find(a.ID).Enabled).To(BeFalse())
	})
})

var _ = Describe("An alert of a plan", func() {
	var w watched
	var a alert.Alert
	BeforeEach(func() {
		w = open()
		w.Do(func(tx *store.Tx) (err error) {
			a, err = alert.CreateForPlan(tx, w.terms.PlanID, nil, costs(nil, "10"))
			return err
		})
	})
	on := func(id string) (enabled bool) {
		GinkgoHelper()
		w.Do(func(tx *store.Tx) error {
			seen, err := alert.SeenFrom(tx, id, []alert.Alert{w.find(a.ID)})
			enabled = seen[0].Enabled
			return err
		})
		return enabled
	}
	turn := func(on bool, subscription *string) error {
		return w.Try(func(tx *store.Tx) error { _, err := alert.Switch(tx, a.ID, on, subscription); return err })
	}

	It("holds for each of its subscriptions, and can be disabled for one (semantics 12.2.6)", func() {
		second := w.SellPlan(w.Customer(), "2025-03-05", w.terms.PlanID)
		Expect(turn(false, &second.ID)).To(Succeed())
		Expect([]bool{on(w.terms.ID), on(second.ID)}).To(Equal([]bool{true, false}))
		Expect(w.told()).To(Equal([]string{"subscription.alert_disabled"}))
		Expect(turn(true, &second.ID)).To(Succeed())
		Expect(on(second.ID)).To(BeTrue())
		Expect(turn(false, nil)).To(Succeed())
		Expect([]bool{on(w.terms.ID), on(second.ID)}).To(Equal([]bool{false, false}))
	})

	It("fires for each of its subscriptions by itself", func() {
		second := w.SellPlan(w.Customer(), "2025-03-05", w.terms.PlanID)
		for _, id := range []string{w.terms.ID, second.ID, second.ID} {
			w.Do(func(tx *store.Tx) error { return a.Fire(tx, id, march, []alert.Reading{plain("10")}) })
		}
		Expect(w.told()).To(HaveLen(2))
	})

	It("is not switched for a subscription to another plan, and not deleted (semantics 12.2.13)", func() {
		other := w.Subscribe(w.Customer(), "2025-03-01", w.Fee("1"))
		Expect(turn(false, &other.ID)).To(domaintest.BeRefused("not to the version of the plan"))
		Expect(w.Try(func(tx *store.Tx) error { return alert.Delete(tx, a.ID) })).To(domaintest.BeRefused("disable it instead"))
		own := w.created(costs(nil, "1"))
		Expect(w.Try(func(tx *store.Tx) error {
			_, err := alert.Switch(tx, own.ID, false, &w.terms.ID)
			return err
		})).To(domaintest.BeRefused("only an alert of a plan"))
	})

	It("is off for a subscription with too many groups, and there alone (semantics 12.2.11)", func() {
		second := w.SellPlan(w.Customer(), "2025-03-05", w.terms.PlanID)
		w.Do(func(tx *store.Tx) error { return a.DisableForGroups(tx, second.ID, alert.MostGroups+1) })
		Expect([]bool{on(w.terms.ID), on(second.ID)}).To(Equal([]bool{true, false}))
		Expect(w.told()).To(Equal([]string{"subscription.alert_disabled"}))
	})
})

var _ = Describe("What is to be looked at for alerts (semantics 12.2.7)", func() {
	var w watched
	BeforeEach(func() { w = open() })
	subscription := func() string { return "subscription " + w.terms.ID }
	all := func() []string { // with the looks that new events make
		w.Do(func(tx *store.Tx) error { _, err := alert.ScanNewEvents(tx); return err })
		return w.due()
	}

	It("is nothing where nothing is watched", func() {
		w.Do(func(tx *store.Tx) error { return alert.ScheduleEvaluation(tx, w.terms.ID) })
		w.Record(w.customer, "2025-03-10T09:00:00Z", "1")
		Expect(w.Next(alert.NextDue, "2026-01-01")).To(BeEmpty())
		Expect(all()).To(BeEmpty())
	})

	It("is a subscription when its alert is made, changed or enabled, and its terms change, once for all of it", func() {
		a := w.created(costs(nil, "1"))
		w.Do(func(tx *store.Tx) error { return alert.ScheduleEvaluation(tx, w.terms.ID) })
		Expect(w.due()).To(Equal([]string{subscription()}))
		w.Do(func(tx *store.Tx) error {
			_, err := alert.Update(tx, a.ID, alert.Edit{Thresholds: thresholds("2")})
			return err
		})
		Expect(w.due()).To(Equal([]string{subscription()}))
		w.Do(func(tx *store.Tx) error { _, err := alert.Switch(tx, a.ID, false, nil); return err })
		w.Do(func(tx *store.Tx) error { return alert.ScheduleEvaluation(tx, w.terms.ID) })
		Expect(w.due()).To(BeEmpty())
		w.Do(func(tx *store.Tx) error { _, err := alert.Switch(tx, a.ID, true, nil); return err })
		Expect(w.due()).To(Equal([]string{subscription()}))
	})

	It("are those whose customers new events are of, and no others", func() {
		w.created(costs(nil, "1"))
		other := w.Customer()
		w.Subscribe(other, "2025-03-01", w.Calls("unit", `{"unit_amount": "1.00"}`))
		w.due()
		w.Record(w.customer, "2025-03-10T09:00:00Z", "1")
		w.Record(other, "2025-03-10T09:00:00Z", "1")
		Expect(w.Next(alert.NextDue, "2025-03-10T09:00:01")).To(Equal("2025-03-10T09:00"))
		Expect(all()).To(Equal([]string{subscription()}))
		Expect(all()).To(BeEmpty())
	})

	It("are the balances of a customer with an alert of one", func() {
		_, err := w.balance(alert.BalanceDropped, "60", "50")
		Expect(err).NotTo(HaveOccurred())
		Expect(w.due()).To(Equal([]string{"customer " + w.customer}))
		w.Record(w.customer, "2025-03-10T09:00:00Z", "1")
		Expect(all()).To(Equal([]string{"customer " + w.customer}))
		w.Do(func(tx *store.Tx) error { return alert.DeleteOf(tx, w.customer) })
		w.Record(w.customer, "2025-03-10T09:30:00Z", "1")
		Expect(all()).To(BeEmpty())
	})

	It("is due at the instant that was said, over a change of the clock, and not before", func() {
		w.created(costs(nil, "1"))
		w.due()
		w.Do(func(tx *store.Tx) error {
			return alert.RescheduleAt(tx, w.terms.ID, domaintest.Instant("2025-03-30T03:00:00+02:00"))
		})
		Expect(w.Next(alert.NextDue, "2025-03-30T00:59:59")).To(BeEmpty())
		Expect(w.Next(alert.NextDue, "2025-04-01")).To(Equal("2025-03-30T01:00"))
		w.Clock("2025-03-30T00:59:59.999999Z")
		Expect(w.due()).To(BeEmpty())
		w.Clock("2025-03-30T01:00:00Z")
		Expect(w.due()).To(Equal([]string{subscription()}))
	})

	It("is of no other account", func() {
		other := open()
		w.created(costs(nil, "1"))
		Expect(other.due()).To(BeEmpty())
		Expect(w.due()).To(HaveLen(1))
	})
})
