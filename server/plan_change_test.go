package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// move asks for another plan: now, or as change says.
func (a *api) move(sub, plan string, change object, more ...header) *answer {
	GinkgoHelper()
	return a.post("/v1/subscriptions/"+sub+"/schedule_plan_change",
		with(object{"plan_id": plan, "change_option": "immediate"}, change), more...)
}

// onDate is the request to change the plan on a date.
func onDate(date string) object {
	return object{"change_option": "requested_date", "change_date": date}
}

var _ = Describe("POST /v1/subscriptions/{subscription_id}/schedule_plan_change", func() {
	const refused = "400-constraint-violation"

	It("S-5: credits the rest of each fee before the next plan's is invoiced", func() {
		s := newFixture("2023-07-01T00:00:00Z")
		buyer := s.buyer(nil)
		advanced, beginner := s.plan(nil, s.fee("500.00")).text("id"), s.plan(nil, s.fee("50.00")).text("id")
		sub := s.subscribe(buyer, nil, s.fee("100.00")).text("id")
		s.collect(sub)
		s.clock("2023-07-04T00:00:00Z")
		after := s.move(sub, advanced, nil).expect(200)
		Expect(after.at("plan.id")).To(Equal(advanced))
		Expect(changed(after)).To(Equal([]string{"2023-07-04 issued 451.61", "2023-08-01 draft 500.00", "refund 90.32"}))
		Expect(after.entry("changed_resources.created_invoices", 0).at("amount_due")).To(Equal("361.29"))
		Expect(s.balance(buyer)).To(Equal("0.00"))
		s.collect(sub)
		s.clock("2023-07-11T00:00:00Z")
		after = s.move(sub, beginner, nil).expect(200)
		Expect(changed(after)).To(Equal([]string{"2023-07-11 paid 33.87", "2023-08-01 draft 50.00", "refund 338.71"}))
		Expect(after.entry("changed_resources.created_invoices", 0).at("amount_due")).To(Equal("0.00"))
		Expect(s.balance(buyer)).To(Equal("304.84"))
		s.clock("2023-08-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2023-07-01 paid 100.00", "2023-07-04 paid 451.61", "2023-07-11 paid 33.87", "2023-08-01 paid 50.00", "2023-09-01 draft 50.00",
		}))
		Expect(s.balance(buyer)).To(Equal("254.84"))
	})

	It("bills usage of each plan for its own time, on an invoice of its own", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(nil)
		dear := s.plan(nil, s.calls("2.00"), s.fee("31.00")).text("id")
		sub := s.subscribe(buyer, nil, s.calls("1.00")).text("id")
		s.use(buyer, "2025-03-01T00:00:00Z", "10")
		s.clock("2025-03-11T09:30:00Z")
		s.use(buyer, "2025-03-11T09:29:59Z", "3")
		s.move(sub, dear, nil).expect(200)
		s.use(buyer, "2025-03-11T09:30:00Z", "5")
		Expect(s.bills(sub)).To(ContainElements("2025-03-11 issued 21.00", "2025-03-11 draft 13.00", "2025-04-01 draft 41.00"))
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElements("2025-03-11 issued 13.00", "2025-03-11 issued 21.00", "2025-04-01 issued 41.00"))
	})

	Describe("planned for later", func() {
		It("changes the plan, with its credit and settings, when the day comes", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			buyer := s.buyer(nil)
			plan := s.plan(nil, s.fee("62.00")).text("id")
			sub := s.subscribe(buyer, nil, s.fee("31.00")).text("id")
			s.collect(sub)
			after := s.move(sub, plan, with(onDate("2025-03-21"), object{"net_terms": 7, "default_invoice_memo": "Thanks"})).expect(200)
			Expect(after.at("plan.id")).NotTo(Equal(plan))
			Expect(after.at("net_terms")).To(Equal(json.Number("0")))
			Expect(after.each("price_intervals", "start_date")).To(Equal(list{"2025-03-01T00:00:00+00:00", "2025-03-21T00:00:00+00:00"}))
			Expect(after.entry("price_intervals", 0).at("end_date")).To(Equal("2025-03-21T00:00:00+00:00"))
			s.clock("2025-03-20T23:59:59Z")
			Expect(s.balance(buyer)).To(Equal("0.00"))
			s.clock("2025-03-21T00:00:00Z")
			now := s.get("/v1/subscriptions/" + sub).expect(200)
			Expect(now.at("plan.id")).To(Equal(plan))
			Expect(now.at("net_terms")).To(Equal(json.Number("7")))
			Expect(now.at("default_invoice_memo")).To(Equal("Thanks"))
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 paid 31.00", "2025-03-21 issued 22.00", "2025-04-01 draft 62.00"}))
			Expect(s.invoices(sub).entry("data", 1).at("amount_due")).To(Equal("11.00"))
			Expect(s.get("/v1/subscriptions?plan_id=" + plan).expect(200).list("data")).To(HaveLen(1))
		})

		It("comes when the term ends", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			plan := s.plan(nil, s.fee("62.00")).text("id")
			sub := s.subscribe(s.buyer(nil), nil, with(s.fee("310.00"), object{"cadence": "quarterly"})).text("id")
			after := s.move(sub, plan, object{"change_option": "end_of_subscription_term"}).expect(200)
			Expect(after.entry("price_intervals", 1).at("start_date")).To(Equal("2025-06-01T00:00:00+00:00"))
			s.clock("2025-06-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 310.00", "2025-06-01 issued 62.00", "2025-07-01 draft 62.00"}))
		})

		It("gives way to another one of the same day, or of an earlier one", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			a, b := s.plan(nil, s.fee("62.00")).text("id"), s.plan(nil, s.fee("93.00")).text("id")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
			s.move(sub, a, onDate("2025-03-21T12:00:00Z")).expect(200)
			Expect(s.move(sub, b, onDate("2025-03-21")).expect(200).list("price_intervals")).To(HaveLen(2))
			Expect(s.move(sub, a, onDate("2025-03-25")).expect(200).list("price_intervals")).To(HaveLen(3))
			Expect(s.move(sub, a, onDate("2025-03-11")).expect(200).list("price_intervals")).To(HaveLen(2))
			schedule := s.get("/v1/subscriptions/" + sub + "/schedule").expect(200)
			Expect(schedule.each("data", "plan.id")[0]).To(Equal(a))
			Expect(schedule.each("data", "start_date")).To(Equal(list{"2025-03-11T00:00:00+00:00", "2025-03-01T00:00:00+00:00"}))
			Expect(schedule.each("data", "end_date")).To(Equal(list{nil, "2025-03-11T00:00:00+00:00"}))
			later := s.get("/v1/subscriptions/" + sub + "/schedule?start_date[gt]=2025-03-01&limit=1").expect(200)
			Expect(later.list("data")).To(HaveLen(1))
			s.get("/v1/subscriptions/nope/schedule").refuse(404, "404-resource-not-found", "Subscription")
		})

		It("takes back an end from then on, and stays before an earlier one", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			plan := s.plan(nil, s.fee("62.00")).text("id")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
			s.cancel(sub, asOf("2025-04-11")).expect(200)
			s.move(sub, plan, onDate("2025-04-12")).refuse(400, refused, "ended by then")
			after := s.move(sub, plan, onDate("2025-04-11")).expect(200)
			Expect(after.at("end_date")).To(BeNil())
			s.cancel(sub, asOf("2025-04-01")).expect(200)
			Expect(s.get("/v1/subscriptions/" + sub + "/schedule").expect(200).list("data")).To(HaveLen(1))
			s.clock("2025-06-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00"}))
		})
	})

	DescribeTable("begins billing cycles where it is asked to",
		func(change object, day string, bills ...string) {
			s := newFixture("2025-03-10T00:00:00Z")
			plan := s.plan(nil, s.fee("31.00")).text("id")
			sub := s.subscribe(s.buyer(nil), object{"align_billing_with_subscription_start_date": true}, s.calls("1.00")).text("id")
			s.clock("2025-03-20T00:00:00Z")
			after := s.move(sub, plan, change).expect(200)
			Expect(after.at("billing_cycle_day")).To(Equal(json.Number(day)))
			s.clock("2025-04-25T00:00:00Z")
			Expect(s.bills(sub)).To(ContainElements(bills))
		},
		Entry("as before", object{}, "10", "2025-03-20 issued 21.00", "2025-04-10 issued 31.00", "2025-05-10 draft 31.00"),
		Entry("as before, in so many words", object{"billing_cycle_alignment": "unchanged"}, "10", "2025-03-20 issued 21.00", "2025-04-10 issued 31.00"),
		Entry("on the day of the change", object{"billing_cycle_alignment": "plan_change_date"}, "20", "2025-03-20 issued 31.00", "2025-04-20 issued 31.00"),
		Entry("the older way", object{"align_billing_with_plan_change_date": true}, "20", "2025-03-20 issued 31.00", "2025-04-20 issued 31.00"),
		Entry("on the first of the month", object{"billing_cycle_alignment": "start_of_month"}, "1", "2025-03-20 issued 12.00", "2025-04-01 issued 31.00", "2025-05-01 draft 31.00"),
		Entry("at an anchor", object{"billing_cycle_anchor_configuration": object{"day": 25}}, "25", "2025-03-20 issued 5.54", "2025-03-25 issued 31.00", "2025-04-25 issued 31.00"),
	)

	It("begins the phases of the new plan, and ends where they end", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		plan := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD",
			"plan_phases": list{object{"order": 1, "duration": 1, "duration_unit": "monthly"}, object{"order": 2, "duration": 1, "duration_unit": "monthly"}},
			"prices":      list{object{"price": s.fee("31.00"), "plan_phase_order": 1}, object{"price": s.fee("62.00"), "plan_phase_order": 2}},
		}).expect(201).text("id")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("10.00")).text("id")
		after := s.move(sub, plan, onDate("2025-04-01")).expect(200)
		Expect(after.at("end_date")).To(Equal("2025-06-01T00:00:00+00:00"))
		s.clock("2025-04-15T00:00:00Z")
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("active_plan_phase_order")).To(Equal(json.Number("1")))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 10.00", "2025-04-01 issued 31.00", "2025-05-01 issued 62.00"}))
	})

	It("differs from the plan as a new subscription may, with a coupon of its own", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		s.coupon(percent("A", "0.5"), nil)
		made := s.plan(nil, s.fee("31.00"))
		sub := s.subscribe(s.buyer(nil), nil, s.fee("10.00")).text("id")
		s.move(sub, made.text("id"), with(onDate("2025-04-01"), object{
			"coupon_redemption_code": "A",
			"replace_prices":         list{object{"replaces_price_id": made.entry("prices", 0).at("id"), "fixed_price_quantity": 4}},
		})).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 10.00", "2025-04-01 draft 62.00"}))
	})

	It("counts days of a month in which the clock changes, in the customer's zone", func() {
		s := newFixture("2025-03-01T12:00:00Z")
		buyer := s.buyer(object{"timezone": "America/Los_Angeles"})
		plan := s.plan(nil, s.fee("62.00")).text("id")
		sub := s.subscribe(buyer, object{"start_date": "2025-03-01"}, s.fee("31.00")).text("id")
		after := s.move(sub, plan, onDate("2025-03-31")).expect(200)
		Expect(after.entry("price_intervals", 1).at("start_date")).To(Equal("2025-03-31T07:00:00+00:00"))
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-03-31 issued 2.00", "2025-04-01 issued 62.00", "2025-05-01 draft 62.00"}))
		Expect(s.invoices(sub).each("data", "amount_due")).To(ContainElement("30.00"))
	})

	It("moves to another version of the same plan", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		made := s.plan(nil, s.fee("31.00"))
		plan := made.text("id")
		s.post("/v1/plans/"+plan+"/versions", object{"version": 2, "replace_prices": list{
			object{"replaces_price_id": made.entry("prices", 0).at("id"), "price": s.fee("62.00")},
		}}).expect(201)
		sub := s.post("/v1/subscriptions", object{"customer_id": s.buyer(nil), "plan_id": plan}).expect(201).text("id")
		s.move(sub, plan, with(onDate("2025-04-01"), object{"plan_version_number": 2})).expect(200)
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 62.00", "2025-05-01 draft 62.00"}))
	})

	It("is refused for other currencies, plans that take none, and dates that are past changing", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		euros := s.plan(object{"currency": "EUR"}, s.fee("31.00")).text("id")
		draft := s.plan(object{"status": "draft"}, s.fee("31.00")).text("id")
		plan := s.plan(nil, s.fee("31.00")).text("id")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("10.00")).text("id")
		s.move(sub, euros, nil).refuse(400, refused, "EUR")
		s.move(sub, draft, nil).refuse(400, refused, "draft")
		s.move(sub, "nope", nil).refuse(404, "404-resource-not-found", "Plan")
		s.move("nope", plan, nil).refuse(404, "404-resource-not-found", "Subscription")
		s.move(sub, plan, onDate("2025-02-28")).invalid("change_date: must not be before the start")
		s.clock("2025-03-11T00:00:00Z")
		s.move(sub, plan, nil).expect(200)
		s.move(sub, plan, onDate("2025-03-10")).invalid("change_date: must not be before a change of the plan")
		s.cancel(sub, nil).expect(200)
		s.move(sub, plan, nil).refuse(400, refused, "has ended")
	})

	DescribeTable("refuses requests that are wrong in themselves",
		func(change object, violations ...string) {
			s := newFixture("2025-03-01T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
			s.move(sub, "p", change).invalid(violations...)
		},
		Entry("no plan", object{"plan_id": absent}, "plan_id, external_plan_id: exactly one"),
		Entry("two names of a plan", object{"external_plan_id": "p"}, "plan_id, external_plan_id: exactly one"),
		Entry("no time", object{"change_option": absent}, "change_option: is required"),
		Entry("the option without its date", object{"change_option": "requested_date"}, "change_date: is required"),
		Entry("a date without its option", object{"change_date": "2025-04-01"}, "change_date: must not be given"),
		Entry("another alignment", object{"billing_cycle_alignment": "soon"}, "billing_cycle_alignment: "),
		Entry("two alignments", object{"billing_cycle_alignment": "unchanged", "billing_cycle_anchor_configuration": object{"day": 3}},
			"billing_cycle_anchor_configuration: cannot be combined"),
		Entry("another member", object{"reason": "x"}, "reason: is not a field"),
	)
})

var _ = Describe("POST /v1/subscriptions/{subscription_id}/unschedule_pending_plan_changes", func() {
	It("takes back all that lies ahead, gives coupons back, and leaves a cancellation", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		coupon := s.coupon(percent("A", "0.5"), object{"max_redemptions": 1})
		a, b := s.plan(nil, s.fee("62.00")).text("id"), s.plan(nil, s.fee("93.00")).text("id")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		s.move(sub, a, with(onDate("2025-03-11"), object{"coupon_redemption_code": "A"})).expect(200)
		s.move(sub, b, onDate("2025-03-21")).expect(200)
		s.cancel(sub, asOf("2025-05-01")).expect(200)
		after := s.post("/v1/subscriptions/"+sub+"/unschedule_pending_plan_changes", nil).expect(200)
		Expect(after.list("price_intervals")).To(HaveLen(1))
		Expect(after.at("end_date")).To(Equal("2025-05-01T00:00:00+00:00"))
		Expect(after.at("redeemed_coupon")).To(BeNil())
		Expect(s.get("/v1/coupons/" + coupon).expect(200).at("times_redeemed")).To(Equal(json.Number("0")))
		s.clock("2025-06-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 31.00"}))
		s.post("/v1/subscriptions/nope/unschedule_pending_plan_changes", nil).refuse(404, "404-resource-not-found", "Subscription")
	})

	It("takes back a change on the day of a start that lies ahead", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		plan := s.plan(nil, s.fee("62.00")).text("id")
		sub := s.subscribe(s.buyer(nil), object{"start_date": "2025-04-01"}, s.fee("31.00")).text("id")
		s.move(sub, plan, with(onDate("2025-04-01"), object{"net_terms": 7})).expect(200)
		Expect(s.get("/v1/subscriptions/" + sub + "/schedule").expect(200).list("data")).To(HaveLen(2))
		after := s.post("/v1/subscriptions/"+sub+"/unschedule_pending_plan_changes", nil).expect(200)
		after.shows(object{"net_terms": json.Number("0"), "status": "upcoming"})
		Expect(s.get("/v1/subscriptions/" + sub + "/schedule").expect(200).list("data")).To(HaveLen(1))
		s.move(sub, plan, nil).expect(200)
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("plan.id")).To(Equal(plan))
		Expect(s.bills(sub)).To(Equal([]string{"2025-04-01 issued 62.00", "2025-05-01 draft 62.00"}))
	})

	It("leaves the end of phases as it was, and takes back that of a plan not reached", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		ramp := func() object {
			return object{"name": "Ramp", "currency": "USD",
				"plan_phases": list{object{"order": 1, "duration": 2, "duration_unit": "monthly"}},
				"prices":      list{object{"price": s.fee("31.00"), "plan_phase_order": 1}}}
		}
		plan := s.post("/v1/plans", ramp()).expect(201).text("id")
		sub := s.post("/v1/subscriptions", object{"customer_id": s.buyer(nil), "plan_id": plan}).expect(201).text("id")
		Expect(s.move(sub, plan, onDate("2025-04-01")).expect(200).at("end_date")).To(Equal("2025-06-01T00:00:00+00:00"))
		after := s.post("/v1/subscriptions/"+sub+"/unschedule_pending_plan_changes", nil).expect(200)
		Expect(after.at("end_date")).To(Equal("2025-05-01T00:00:00+00:00"))
		Expect(after.entry("price_intervals", 0).at("end_date")).To(Equal("2025-05-01T00:00:00+00:00"))
	})
})
