package charge_test

import (
	"time"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/charge"
	"tollkeeper/domain/subscription"
)

var _ = Describe("A document at the end of a day", func() {
	It("knows documents of that day and before, not of later ones", func() {
		on := func(day int) time.Time { return time.Date(2025, 1, day, 0, 0, 0, 0, time.UTC) }
		var earlier []charge.Charged
		for _, day := range []int{1, 10, 11, 12} {
			earlier = append(earlier, charge.Charged{ServicePeriod: subscription.ServicePeriod{BilledOn: on(day)}})
		}
		var known []int
		d := charge.Document{Date: on(31), Earlier: earlier}
		for _, c := range d.ForDays(on(11)).Earlier {
			known = append(known, c.BilledOn.Day())
		}
		Expect(known).To(Equal([]int{1, 10, 11}))
		Expect(earlier).To(HaveLen(4))
	})
})
