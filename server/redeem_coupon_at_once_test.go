package server_test

import (
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Redeeming a coupon from many clients", func() {
	const refused = "400-constraint-violation"
	var s fixture
	BeforeEach(func() { s = newFixture("2025-01-15T00:00:00Z") })

	DescribeTable("gives a coupon away as often as it may be, to whoever asks at once",
		func(asking, most int) {
			limited := s.coupon(percent("FEW", "0.1"), object{"max_redemptions": most})
			subs := make([]string, asking)
			for k := range subs {
				subs[k] = s.subscribe(s.buyer(nil), nil, s.fee("10.00")).text("id")
			}
			var given atomic.Int64
			var all sync.WaitGroup
			for _, sub := range subs {
				all.Go(func() {
					defer GinkgoRecover()
					if answer := s.redeem(sub, "FEW", nil); answer.status == 200 {
						given.Add(1)
					} else {
						answer.refuse(400, refused, "as often as it may")
					}
				})
			}
			all.Wait()
			Expect(given.Load()).To(BeEquivalentTo(min(asking, most)))
			Expect(s.get("/v1/coupons/" + limited).expect(200).at("times_redeemed")).To(Equal(json.Number(fmt.Sprint(min(asking, most)))))
			Expect(s.get("/v1/coupons/" + limited + "/subscriptions").expect(200).list("data")).To(HaveLen(min(asking, most)))
		},
		Entry("fewer than there are", 4, 6),
		Entry("more than there are", 8, 3),
		Entry("many for one", 8, 1),
	)
})
