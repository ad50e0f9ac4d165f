package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The discount of a coupon", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var sub string
	BeforeEach(func() {
		s = newFixture("2025-03-01T05:00:00Z")
		s.coupon(percent("TWO", "0.5"), object{"duration_in_months": 2})
		s.coupon(percent("EVER", "0.5"), nil)
	})
	redeem := func(code, date string) {
		GinkgoHelper()
		s.redeem(sub, code, object{"change_option": "requested_date", "change_date": date}).expect(200)
	}
	plan := func(date string, prices ...object) {
		GinkgoHelper()
		s.move(sub, s.plan(nil, prices...).text("id"), onDate(date)).expect(200)
	}
	planned := func() {
		GinkgoHelper()
		s.post("/v1/subscriptions/"+sub+"/unschedule_pending_plan_changes", nil).expect(200)
	}
	ending := func() {
		GinkgoHelper()
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
	}
	// fee gives the fee of the subscription another end.
	fee := func(end any) {
		GinkgoHelper()
		of := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 0).text("id")
		s.intervals(sub, edit(of, object{"end_date": end})).expect(200)
	}

	// Each subscription is billed like a twin on which nothing was scheduled but the coupon.
	DescribeTable("is what it would be, had never been scheduled what is taken back:",
		func(code, date string, change func()) {
			buyer := s.buyer(object{"timezone": "America/New_York"})
			twin := s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00")).text("id")
			sub = s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00")).text("id")
			change()
			changed := sub
			sub = twin
			redeem(code, date)
			for _, day := range []string{"2025-03-20", "2025-04-20", "2025-05-20", "2025-06-20", "2025-07-20"} {
				s.clock(day + "T00:00:00Z")
				s.use(buyer, day+"T00:00:00Z", "10")
			}
			Expect(s.bills(changed)).To(Equal(s.bills(twin)))
			Expect(s.bills(twin)).To(ContainElement(HaveSuffix("issued 20.50")))
			of := func(id string) any { return s.get("/v1/subscriptions/" + id).expect(200).at("redeemed_coupon") }
			Expect(of(changed)).To(Equal(of(twin)))
		},
		Entry("a change of the plan, which it begins after", "TWO", "2025-05-01", func() {
			plan("2025-04-11", s.fee("62.00"))
			redeem("TWO", "2025-05-01")
			planned()
		}),
		Entry("a change of the plan, which it begins with", "TWO", "2025-05-01", func() {
			plan("2025-05-01", s.fee("62.00"))
			redeem("TWO", "2025-05-01")
			planned()
		}),
		Entry("a change of the plan, which it begins before", "TWO", "2025-04-01", func() {
			plan("2025-05-01", s.fee("62.00"))
			redeem("TWO", "2025-04-01")
			planned()
		}),
		Entry("a change of the plan that was scheduled after it", "TWO", "2025-05-01", func() {
			redeem("TWO", "2025-05-01")
			plan("2025-04-11", s.fee("62.00"))
			planned()
		}),
		Entry("several changes of the plan", "EVER", "2025-06-01", func() {
			plan("2025-04-11", s.fee("62.00"))
			plan("2025-05-11", s.fee("93.00"))
			redeem("EVER", "2025-06-01")
			planned()
		}),
		Entry("a change of the plan that another took the place of", "TWO", "2025-05-01", func() {
			plan("2025-04-11", s.fee("62.00"))
			redeem("TWO", "2025-05-01")
			plan("2025-04-06", s.fee("93.00"))
			planned()
		}),
		Entry("a change of the plan, and a cancellation that had to give way to it", "TWO", "2025-04-01", func() {
			redeem("TWO", "2025-04-01")
			s.cancel(sub, asOf("2025-05-11")).expect(200)
			plan("2025-05-01", s.fee("62.00"))
			planned()
		}),
		Entry("a cancellation amid its months", "TWO", "2025-04-01", func() {
			redeem("TWO", "2025-04-01")
			s.cancel(sub, asOf("2025-05-11")).expect(200)
			ending()
		}),
		Entry("a cancellation when its months are over", "TWO", "2025-04-01", func() {
			redeem("TWO", "2025-04-01")
			s.cancel(sub, asOf("2025-06-01")).expect(200)
			ending()
		}),
		Entry("a cancellation that it was redeemed under", "TWO", "2025-04-01", func() {
			s.cancel(sub, asOf("2025-06-01")).expect(200)
			redeem("TWO", "2025-04-01")
			ending()
		}),
		Entry("a cancellation, and it is for ever", "EVER", "2025-04-01", func() {
			redeem("EVER", "2025-04-01")
			s.cancel(sub, asOf("2025-05-11")).expect(200)
			ending()
		}),
		Entry("a cancellation, while clocks change", "TWO", "2025-03-05", func() {
			redeem("TWO", "2025-03-05")
			s.cancel(sub, asOf("2025-05-05")).expect(200)
			ending()
		}),
		Entry("one cancellation after another", "TWO", "2025-04-01", func() {
			redeem("TWO", "2025-04-01")
			s.cancel(sub, asOf("2025-05-11")).expect(200)
			s.cancel(sub, asOf("2025-04-11")).expect(200)
			ending()
		}),
		Entry("the end of a price, which it begins after", "TWO", "2025-05-01", func() {
			fee("2025-05-01")
			redeem("TWO", "2025-05-01")
			fee(nil)
		}),
	)

	It("is for what a plan begins later, once no change of the plan keeps that away", func() {
		ramp := s.post("/v1/plans", object{"name": "Ramp", "currency": "USD",
			"plan_phases": list{object{"order": 1, "duration": 2, "duration_unit": "monthly"}, object{"order": 2}},
			"prices": list{
				object{"price": s.fee("31.00"), "plan_phase_order": 1}, object{"price": s.fee("62.00"), "plan_phase_order": 2},
			}}).expect(201).text("id")
		sub = s.post("/v1/subscriptions", object{"customer_id": s.buyer(nil), "plan_id": ramp}).expect(201).text("id")
		plan("2025-04-01", s.fee("93.00"))
		redeem("EVER", "2025-04-01")
		planned()
		s.clock("2025-05-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 31.00", "2025-04-01 issued 15.50", "2025-05-01 issued 31.00", "2025-06-01 draft 31.00",
		}))
	})

	It("is for the plan that the subscription is to be on, where that is not taken back", func() {
		sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		plan("2025-04-01", s.fee("62.00"))
		redeem("TWO", "2025-05-01")
		discount := s.get("/v1/subscriptions/"+sub).expect(200).entry("adjustment_intervals", 0)
		Expect(discount.list("applies_to_price_interval_ids")).To(HaveLen(1))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 31.00", "2025-04-01 issued 62.00", "2025-05-01 issued 31.00", "2025-06-01 issued 31.00",
			"2025-07-01 issued 62.00", "2025-08-01 draft 62.00",
		}))
	})

	It("is refused where what the subscription is to have cannot be discounted", func() {
		sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		fee("2025-04-01")
		s.redeem(sub, "EVER", object{"change_option": "requested_date", "change_date": "2025-04-01"}).refuse(400, refused, "no price")
	})

	It("of a change of the plan is for that plan alone, and gone with it", func() {
		sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		next := s.plan(nil, s.fee("62.00")).text("id")
		after := s.move(sub, next, with(onDate("2025-05-01"), object{"coupon_redemption_code": "EVER"})).expect(200)
		Expect(after.entry("adjustment_intervals", 0).list("adjustment.filters[0].values")).To(HaveLen(1))
		planned()
		s.clock("2025-06-01T00:00:00Z")
		Expect(s.bills(sub)[2:]).To(Equal([]string{"2025-05-01 issued 31.00", "2025-06-01 issued 31.00", "2025-07-01 draft 31.00"}))
	})

	It("stays where it is, with its trial moved and a cancellation taken back", func() {
		sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		s.move(sub, s.plan(nil, s.fee("62.00")).text("id"), object{"coupon_redemption_code": "TWO", "trial_duration_days": 14}).expect(200)
		s.cancel(sub, asOf("2025-04-20")).expect(200)
		s.trial(sub, "2025-03-31", object{"shift": true}).expect(200)
		ending()
		s.clock("2025-06-01T00:00:00Z")
		Expect(s.bills(sub)[1:]).To(Equal([]string{
			"2025-03-31 issued 1.00", "2025-04-01 issued 31.00", "2025-05-01 issued 31.00", "2025-06-01 issued 62.00", "2025-07-01 draft 62.00",
		}))
	})

	It("is given no end while the subscription is to end, and then has none", func() {
		sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		redeem("TWO", "2025-04-01")
		s.cancel(sub, asOf("2025-05-01")).expect(200)
		discount := s.get("/v1/subscriptions/"+sub).expect(200).entry("adjustment_intervals", 0).text("id")
		after := s.intervals(sub, object{"edit_adjustments": list{object{"adjustment_interval_id": discount, "end_date": nil}}}).expect(200)
		Expect(after.entry("adjustment_intervals", 0).at("end_date")).To(Equal("2025-05-01T00:00:00+00:00"))
		ending()
		s.clock("2025-06-01T00:00:00Z")
		Expect(s.bills(sub)[1:]).To(Equal([]string{"2025-04-01 issued 15.50", "2025-05-01 issued 15.50", "2025-06-01 issued 15.50", "2025-07-01 draft 15.50"}))
	})

	It("ends with a subscription that is to end, and after as many months once it goes on", func() {
		sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		redeem("TWO", "2025-03-31")
		ends := func() any {
			GinkgoHelper()
			return s.get("/v1/subscriptions/" + sub).expect(200).at("redeemed_coupon.end_date")
		}
		s.cancel(sub, asOf("2025-04-30")).expect(200)
		Expect(ends()).To(Equal("2025-04-30T00:00:00+00:00"))
		ending()
		Expect(ends()).To(Equal("2025-05-31T00:00:00+00:00"))
	})
})
