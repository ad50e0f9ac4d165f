package alert_test

import (
	"fmt"
	"slices"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/domain/period"
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

	It("A-2: sends one message with the greatest of the thresholds reached at once", func() {
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

	It("sends one message each time the greatest value so far passes another threshold, for any values", func() {
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
