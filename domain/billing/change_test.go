package billing_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
	"pgregory.net/rapid"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/money"
	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

var _ = Describe("Changes of a subscription", func() {
	It("leave charged, less what is credited, what each day was worth", func() {
		rapid.Check(GinkgoT(), func(rt *rapid.T) {
			a := open("2025-06-01")
			t, _ := a.subscribe(a.Customer(), "2025-06-01", a.Fee("30")) // a seat is 1 a day
			price := t.Intervals[0].PriceID
			day, seats := 1, 1
			worth, hour := 0, 0 // of the days up to that one, exclusive
			pass := func(until int) {
				if until > day {
					hour = 0
				}
				worth += (until - day) * seats
				day = until
			}
			for range rapid.IntRange(1, 8).Draw(rt, "changes") {
				pass(rapid.IntRange(day, 30).Draw(rt, "day"))
				hour = rapid.IntRange(hour, 20).Draw(rt, "hour") // several times at one instant too
				a.Clock(fmt.Sprintf("2025-06-%02dT%02d:00:00", day, hour))
				seats = rapid.IntRange(0, 9).Draw(rt, "seats")
				a.Do(func(tx *store.Tx) error {
					_, err := billing.ChangeQuantity(tx, t.ID, subscription.NewQuantity{PriceID: price, Quantity: money.FromInt(int64(seats))}, true)
					return err
				})
			}
			if rapid.Bool().Draw(rt, "canceled") {
				pass(rapid.IntRange(day, 30).Draw(rt, "end"))
				a.Clock(fmt.Sprintf("2025-06-%02dT23:30:00", day))
				a.Do(func(tx *store.Tx) error {
					_, err := billing.Cancel(tx, t.ID, subscription.Cancellation{Option: subscription.ChangeImmediate}, true)
					return err
				})
			} else {
				pass(31)
			}
			NewWithT(rt).Expect(a.charged(t).String()).To(Equal(fmt.Sprint(worth)))
		})
	})
})
