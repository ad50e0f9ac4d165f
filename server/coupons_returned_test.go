package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The redemption of a coupon", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var coupon, sub string
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		coupon = s.coupon(percent("A", "0.5"), object{"max_redemptions": 1})
		sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
	})
	redeem := func(date string) {
		GinkgoHelper()
		s.redeem(sub, "A", object{"change_option": "requested_date", "change_date": date}).expect(200)
	}
	plan := func(date, code string) {
		GinkgoHelper()
		s.move(sub, s.plan(nil, s.fee("62.00")).text("id"), with(onDate(date), object{"coupon_redemption_code": code})).expect(200)
	}
	// removal ends the discount where it begins.
	removal := func() object {
		GinkgoHelper()
		discount := s.get("/v1/subscriptions/"+sub).expect(200).entry("adjustment_intervals", 0)
		return object{"edit_adjustments": list{object{"adjustment_interval_id": discount.at("id"), "end_date": discount.at("start_date")}}}
	}
	unschedule := func(more ...header) {
		GinkgoHelper()
		s.post("/v1/subscriptions/"+sub+"/unschedule_pending_plan_changes", nil, more...).expect(200)
	}
	times := func() any {
		GinkgoHelper()
		return s.get("/v1/coupons/" + coupon).expect(200).at("times_redeemed")
	}

	DescribeTable("is taken back where it was planned, and is so no more:", func(undo func()) {
		undo()
		Expect(times()).To(Equal(json.Number("0")))
		s.redeem(s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id"), "A", object{"change_option": "immediate"}).expect(200)
	},
		Entry("a change of the plan is unscheduled", func() { plan("2025-03-11", "A"); unschedule() }),
		Entry("another change of the plan takes its place", func() {
			plan("2025-03-11", "A")
			s.move(sub, s.plan(nil, s.fee("93.00")).text("id"), onDate("2025-03-06")).expect(200)
		}),
		Entry("the subscription ends before that", func() { redeem("2025-03-11"); s.cancel(sub, asOf("2025-03-06")).expect(200) }),
		Entry("the subscription ends before the plan changes", func() { plan("2025-03-11", "A"); s.cancel(sub, asOf("2025-03-06")).expect(200) }),
		Entry("its discount is removed before it begins", func() { redeem("2025-03-11"); s.intervals(sub, removal()).expect(200) }),
		Entry("its discount is removed, and then the change of the plan that it came with", func() {
			plan("2025-03-11", "A")
			s.intervals(sub, removal()).expect(200)
			unschedule()
		}),
		Entry("a change of the plan is unscheduled, as a change that waited", func() {
			plan("2025-03-11", "A")
			unschedule(header{"Create-Pending-Subscription-Change", "true"})
			Expect(times()).To(Equal(json.Number("1")), "as long as it waits")
			waits := s.get("/v1/subscriptions/" + sub).expect(200).text("pending_subscription_change.id")
			s.post("/v1/subscription_changes/"+waits+"/apply", object{}).expect(200)
		}),
	)

	DescribeTable("counts, whatever becomes of it once it has begun:", func(undo func()) {
		undo()
		Expect(times()).To(Equal(json.Number("1")))
		s.redeem(s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id"), "A", object{"change_option": "immediate"}).refuse(400, refused, "as often")
	},
		Entry("its discount ends", func() {
			redeem("2025-03-01")
			discount := s.get("/v1/subscriptions/"+sub).expect(200).entry("adjustment_intervals", 0).at("id")
			s.intervals(sub, object{"edit_adjustments": list{object{"adjustment_interval_id": discount, "end_date": "2025-03-11"}}}).expect(200)
		}),
		Entry("its discount is removed at the instant that it begins", func() {
			redeem("2025-03-11")
			s.clock("2025-03-11T00:00:00Z")
			s.intervals(sub, removal()).expect(200)
		}),
		Entry("all prices are removed that it is for", func() {
			redeem("2025-03-01")
			fee := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 0).text("id")
			s.intervals(sub, edit(fee, object{"end_date": "2025-03-01"})).expect(200)
		}),
		Entry("the plan changes that it was for", func() {
			redeem("2025-03-01")
			s.move(sub, s.plan(nil, s.fee("93.00")).text("id"), onDate("2025-03-11")).expect(200)
		}),
		Entry("another change of the plan is unscheduled", func() {
			plan("2025-03-01", "A")
			s.move(sub, s.plan(nil, s.fee("93.00")).text("id"), onDate("2025-03-11")).expect(200)
			unschedule()
		}),
		Entry("a change that would take it back is refused", func() {
			redeem("2025-03-11")
			s.intervals(sub, with(removal(), object{"edit": list{object{"price_interval_id": "nope"}}})).expect(400)
		}),
		Entry("the subscription is canceled before it begins, of which it was a part", func() {
			sub = s.subscribe(s.buyer(nil), object{"start_date": "2025-04-01", "coupon_redemption_code": "A"}, s.fee("31.00")).text("id")
			s.cancel(sub, object{"cancel_option": "immediate"}).expect(200)
		}),
	)

	It("is taken back up to the local midnight that it begins at, where clocks change", func() {
		york := s.subscribe(s.buyer(object{"timezone": "America/New_York"}), nil, s.fee("31.00")).text("id")
		s.redeem(york, "A", object{"change_option": "requested_date", "change_date": "2025-04-01"}).expect(200)
		sub = york
		s.clock("2025-04-01T03:59:59Z")
		s.intervals(york, removal()).expect(200)
		Expect(times()).To(Equal(json.Number("0")))
		s.redeem(york, "A", object{"change_option": "requested_date", "change_date": "2025-04-01"}).expect(200)
		s.clock("2025-04-01T04:00:00Z")
		s.intervals(york, removal()).expect(200)
		Expect(times()).To(Equal(json.Number("1")))
	})
})
