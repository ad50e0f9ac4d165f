package alert_test

import (
	"fmt"
	"slices"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/alert"
	"tollkeeper/domain/domaintest"
	"tollkeeper/domain/money"
	"tollkeeper/store"
)

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
