package alert_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/catalog"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/rating"
	"tollkeeper/store"
)

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

	It("sends subscription.alert_disabled once when it is disabled", func() {
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
		Expect(turn(false, &other.ID)).To(domaintest.BeRefused("on another plan or plan version"))
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
