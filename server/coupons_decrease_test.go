package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A line gives back with the discounts that it was charged with (semantics 6.3.6).
var _ = Describe("A smaller quantity of a fee in advance is credited with the discounts of the charge", func() {
	open := func(zone, start string, quantity int) (s fixture, sub, price string) {
		GinkgoHelper()
		s = newFixture(start)
		made := s.subscribe(s.buyer(object{"timezone": zone}), nil, with(s.fee("10.00"), object{"fixed_price_quantity": quantity}))
		return s, made.text("id"), made.text("price_intervals[0].price.id")
	}
	redeem := func(s fixture, sub string, change object) {
		GinkgoHelper()
		s.coupon(percent("LESS", "0.125"), change)
		s.post("/v1/subscriptions/"+sub+"/redeem_coupon", object{"coupon_redemption_code": "LESS", "change_option": "immediate"}).expect(200)
	}
	decrease := func(s fixture, sub, price string, quantity int) {
		GinkgoHelper()
		s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{
			"price_id": price, "quantity": json.Number([]string{"0", "1", "2"}[quantity]), "change_option": "immediate",
		}).expect(200)
	}

	DescribeTable("not with those of a coupon that came since",
		func(zone, start, coupon, day, refund string) {
			s, sub, price := open(zone, start, 5)
			s.clock(coupon)
			redeem(s, sub, nil)
			s.clock(day)
			decrease(s, sub, price, 2)
			Expect(s.refunds(sub)).To(Equal([]string{refund}))
		},
		Entry("3 of 5 for 28 of 31 days", "UTC", "2025-12-01T09:00:00Z", "2025-12-02T09:00:00Z", "2025-12-04T09:00:00Z", "27.10"),
		Entry("for the last day of a month", "UTC", "2025-02-01T09:00:00Z", "2025-02-02T09:00:00Z", "2025-02-28T09:00:00Z", "1.07"),
		Entry("over a change of the clock", "America/New_York", "2025-03-01T05:00:00Z", "2025-03-05T05:00:00Z", "2025-03-09T05:00:00Z", "22.26"),
	)

	It("also with those of a coupon that has ended", func() {
		s, sub, price := open("UTC", "2025-11-15T09:00:00Z", 5)
		redeem(s, sub, object{"duration_in_months": 1})
		s.clock("2025-12-18T09:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-12-01 issued 43.75"))
		decrease(s, sub, price, 2)
		Expect(s.refunds(sub)).To(Equal([]string{"11.86"})) // 13.55 for 14 of 31 days, less 1.69
	})

	It("each line with its own, the newest first", func() {
		s, sub, price := open("UTC", "2025-12-01T09:00:00Z", 1)
		s.clock("2025-12-02T09:00:00Z")
		redeem(s, sub, nil)
		s.clock("2025-12-11T09:00:00Z")
		decrease(s, sub, price, 2) // a rise by one for 21 of 31 days: 6.77 less 0.85
		Expect(s.bills(sub)).To(ContainElement("2025-12-11 issued 5.92"))
		s.clock("2025-12-21T09:00:00Z")
		decrease(s, sub, price, 0) // 7.10 for 11 of 31 days: 6.77 of it were charged with 5.92
		Expect(s.refunds(sub)).To(ConsistOf("5.92", "0.33"))
	})
})
