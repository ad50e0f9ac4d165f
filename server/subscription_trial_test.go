package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/domain/webhook"
	"tollkeeper/store"
)

// trial asks for another end of a trial.
func (a *api) trial(sub, end string, change object) *answer {
	GinkgoHelper()
	return a.post("/v1/subscriptions/"+sub+"/update_trial", with(object{"trial_end_date": end}, change))
}

var _ = Describe("Trials", func() {
	// tried subscribes to a fee and usage, with a trial of some days.
	tried := func(s fixture, days int, buyer, change object) (sub, customer string) {
		GinkgoHelper()
		customer = s.buyer(buyer)
		return s.subscribe(customer, with(object{"trial_duration_days": days}, change), s.fee("30.00"), s.calls("0.10")).text("id"), customer
	}

	It("S-7: fees are not charged, usage is free, and one invoice comes at the end", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		sub, buyer := tried(s, 14, nil, nil)
		s.use(buyer, "2025-05-01T00:00:00Z", "500")
		Expect(s.bills(sub)).To(Equal([]string{"2025-05-15 draft 16.45"}))
		shown := s.get("/v1/subscriptions/" + sub).expect(200)
		shown.shows(object{
			"status": "active", "trial_info.end_date": "2025-05-15T00:00:00+00:00",
			"current_billing_period_start_date": "2025-05-01T00:00:00+00:00", "current_billing_period_end_date": "2025-05-15T00:00:00+00:00",
		})
		Expect(shown.list("adjustment_intervals")).To(BeEmpty())
		s.clock("2025-05-15T12:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-05-15 issued 16.45", "2025-06-01 draft 30.00"}))
		bill := s.invoices(sub).entry("data", 1)
		bill.shows(object{"subtotal": "66.45", "total": "16.45"})
		Expect(lines(bill)).To(Equal([]string{"Calls 2025-05-01 to 2025-05-15: 0.00", "Fee 2025-05-15 to 2025-06-01: 16.45"}))
		bill.entry("line_items", 0).shows(object{"subtotal": "50.00", "adjusted_subtotal": "0.00"})
		Expect(bill.entry("line_items", 0).entry("adjustments", 0).at("reason")).To(Equal("Trial"))
		Expect(bill.entry("line_items", 0).entry("adjustments", 0).at("amount")).To(Equal("-50.00"))
		Expect(bill.at("discounts")).To(Equal(list{object{
			"discount_type": "trial", "trial_percentage_discount": number("1"), "trial_amount_discount": nil,
			"applies_to_price_ids": list{}, "filters": list{}, "reason": "Trial",
		}}))
		explained := s.get("/v1/invoices/" + bill.text("id") + "/line_items/" + bill.entry("line_items", 0).text("id") + "/explanation").expect(200)
		explained.addsUp()
		s.clock("2025-06-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-05-15 issued 16.45", "2025-06-01 issued 30.00", "2025-07-01 draft 30.00"}))
	})

	It("are told of as they end, once, wherever their end was moved to", func() {
		s := newFixture("2025-03-20T00:00:00Z")
		s.listens(webhook.SubscriptionTrialEnded)
		sub, _ := tried(s, 14, object{"timezone": "Europe/Berlin"}, nil)
		other, _ := tried(s, 14, nil, nil)
		s.trial(sub, "2025-03-31", nil).expect(200)
		s.trial(other, "immediate", nil).expect(200)
		Expect(s.newsTypes()).To(Equal(list{"subscription.trial_ended"}))
		s.clock("2025-03-30T21:59:59Z") // summer time has begun
		Expect(s.told()).To(HaveLen(1))
		s.clock("2025-06-01T00:00:00Z")
		told := s.told()
		Expect(told).To(HaveLen(2))
		told[0].shows(object{"subscription.id": other, "created_at": "2025-03-20T00:00:00+00:00"})
		told[1].shows(object{"subscription.id": sub, "created_at": "2025-03-30T22:00:00+00:00"})
	})

	It("show what their usage is worth, and that it costs nothing", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		sub, buyer := tried(s, 14, nil, nil)
		s.use(buyer, "2025-05-01T00:00:00Z", "500")
		s.clock("2025-05-02T00:00:00Z")
		costs := s.get("/v1/subscriptions/" + sub + "/costs").expect(200)
		costs.entry("data", 0).shows(object{"subtotal": "50.00", "total": "0.00", "timeframe_end": "2025-05-02T00:00:00+00:00"})
	})

	It("may be longer than a billing period, and are one invoice all the same", func() {
		s := newFixture("2025-01-31T00:00:00Z")
		sub, buyer := tried(s, 40, nil, object{"align_billing_with_subscription_start_date": true})
		s.use(buyer, "2025-01-31T00:00:00Z", "100")
		s.clock("2025-03-13T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-12 issued 18.39", "2025-03-31 draft 30.00"})) // 19 of 31 days
		Expect(lines(s.invoices(sub).entry("data", 1))[0]).To(Equal("Calls 2025-01-31 to 2025-03-12: 0.00"))
	})

	It("end at a local midnight, across a change of the clock", func() {
		s := newFixture("2025-03-05T15:00:00Z")
		sub, _ := tried(s, 7, object{"timezone": "America/New_York"}, nil)
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("trial_info.end_date")).To(Equal("2025-03-12T04:00:00+00:00"))
		s.clock("2025-03-12T16:00:00Z")
		Expect(s.bills(sub)[0]).To(Equal("2025-03-12 issued 19.35")) // 20 of 31 days
	})

	It("know no minimums, maximums, coupons or one-time fees", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		s.coupon(percent("A", "0.5"), nil)
		buyer := s.buyer(nil)
		plan := s.plan(object{"adjustments": list{object{"adjustment": object{
			"adjustment_type": "minimum", "minimum_amount": "62.00", "item_id": s.item, "applies_to_all": true,
		}}}}, s.calls("0.10"), with(s.fee("8.00"), object{"name": "Setup", "cadence": "one_time"})).text("id")
		sub := s.post("/v1/subscriptions", object{
			"customer_id": buyer, "plan_id": plan, "trial_duration_days": 14, "coupon_redemption_code": "A",
		}).expect(201).text("id")
		s.use(buyer, "2025-05-01T00:00:00Z", "500")
		s.clock("2025-06-02T00:00:00Z")
		Expect(lines(s.invoices(sub).entry("data", 2))).To(Equal([]string{
			"Calls 2025-05-01 to 2025-05-15: 0.00", "Setup 2025-05-15 to 2025-06-01: 4.00",
		}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-05-15 issued 4.00", "2025-06-01 issued 30.00", "2025-07-01 draft 62.00"}))
	})

	It("are free in custom units too", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, object{"trial_duration_days": 14}, with(s.calls("1.00"), object{
			"currency": "credits", "conversion_rate": 2,
		})).text("id")
		s.use(buyer, "2025-05-01T00:00:00Z", "5")
		s.clock("2025-05-16T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-05-15 paid 0.00", "2025-06-01 draft 0.00"}))
	})

	It("end with the subscription, or with a cancellation at the end of the term", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		sub, buyer := tried(s, 14, nil, nil)
		s.use(buyer, "2025-05-01T00:00:00Z", "500")
		Expect(s.cancel(sub, object{"cancel_option": "end_of_subscription_term"}).expect(200).at("end_date")).To(Equal("2025-05-15T00:00:00+00:00"))
		s.clock("2025-05-10T09:00:00Z")
		Expect(changed(s.cancel(sub, nil).expect(200))).To(Equal([]string{"2025-05-10 draft 0.00"}))
		s.clock("2025-06-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-05-10 paid 0.00"}))
	})

	It("bill usage that ended within them where they end", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		sub, buyer := tried(s, 14, nil, nil)
		s.use(buyer, "2025-05-01T00:00:00Z", "500")
		calls := s.get("/v1/subscriptions/"+sub).expect(200).entry("price_intervals", 1).text("id")
		s.clock("2025-05-10T00:00:00Z")
		Expect(changed(s.intervals(sub, edit(calls, object{"end_date": "2025-05-08"})).expect(200))).To(BeEmpty())
		s.clock("2025-05-16T00:00:00Z")
		Expect(lines(s.invoices(sub).entry("data", 1))).To(Equal([]string{"Calls 2025-05-01 to 2025-05-08: 0.00", "Fee 2025-05-15 to 2025-06-01: 16.45"}))
	})

	It("come with a change of the plan, which cuts one of the plan before", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		sub, _ := tried(s, 14, nil, nil)
		plan := s.plan(nil, s.fee("31.00")).text("id")
		s.clock("2025-05-11T00:00:00Z")
		after := s.move(sub, plan, object{"trial_duration_days": 10}).expect(200)
		Expect(after.at("trial_info.end_date")).To(Equal("2025-05-21T00:00:00+00:00"))
		s.clock("2025-06-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-05-11 paid 0.00", "2025-05-21 issued 11.00", "2025-06-01 issued 31.00", "2025-07-01 draft 31.00"}))
	})

	It("are those of the plan, unless a subscription says otherwise", func() {
		s := newFixture("2025-05-01T00:00:00Z")
		plan := s.plan(nil, s.fee("31.00")).text("id")
		s.tx(func(tx *store.Tx) error {
			_, err := catalog.SetTrial(tx, plan, 10)
			return err
		})
		Expect(s.get("/v1/plans/" + plan).expect(200).at("trial_config")).To(Equal(object{"trial_period": number("10"), "trial_period_unit": "days"}))
		ends := func(change object) any {
			return s.post("/v1/subscriptions", with(object{"customer_id": s.buyer(nil), "plan_id": plan}, change)).expect(201).at("trial_info.end_date")
		}
		Expect(ends(nil)).To(Equal("2025-05-11T00:00:00+00:00"))
		Expect(ends(object{"trial_duration_days": nil})).To(Equal("2025-05-11T00:00:00+00:00"))
		Expect(ends(object{"trial_duration_days": 3})).To(Equal("2025-05-04T00:00:00+00:00"))
		Expect(ends(object{"trial_duration_days": 0})).To(BeNil())
	})

	Describe("POST /v1/subscriptions/{subscription_id}/update_trial", func() {
		const refused = "400-constraint-violation"

		It("moves the end, and what is charged from there on", func() {
			s := newFixture("2025-05-01T00:00:00Z")
			sub, _ := tried(s, 14, nil, nil)
			s.clock("2025-05-10T08:00:00Z")
			after := s.trial(sub, "2025-05-22", nil).expect(200)
			Expect(after.at("trial_info.end_date")).To(Equal("2025-05-22T00:00:00+00:00"))
			Expect(changed(after)).To(Equal([]string{"2025-05-22 draft 9.68"})) // 10 of 31 days
			Expect(changed(s.trial(sub, "2025-05-09", nil).expect(200))).To(Equal([]string{"2025-05-09 issued 22.26", "2025-06-01 draft 30.00"}))
			s.trial(sub, "2025-05-22", nil).refuse(400, refused, "has ended")
		})

		It("ends it at once", func() {
			s := newFixture("2025-05-01T00:00:00Z")
			sub, buyer := tried(s, 14, nil, nil)
			s.use(buyer, "2025-05-01T00:00:00Z", "500")
			s.clock("2025-05-11T09:30:00Z")
			s.use(buyer, "2025-05-11T09:29:59Z", "10")
			after := s.trial(sub, "immediate", nil).expect(200)
			Expect(after.at("trial_info.end_date")).To(Equal("2025-05-11T09:30:00+00:00"))
			Expect(changed(after)).To(Equal([]string{"2025-05-11 draft 20.32", "2025-06-01 draft 30.00"}))
			s.use(buyer, "2025-05-11T09:30:00Z", "10")
			s.clock("2025-06-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-05-11 issued 20.32", "2025-06-01 issued 31.00", "2025-07-01 draft 30.00"}))
		})

		It("skips one that has not begun", func() {
			s := newFixture("2025-05-01T00:00:00Z")
			sub, _ := tried(s, 14, nil, object{"start_date": "2025-05-20"})
			Expect(s.trial(sub, "immediate", nil).expect(200).at("trial_info.end_date")).To(Equal("2025-05-20T00:00:00+00:00"))
			s.clock("2025-05-20T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-05-20 issued 11.61", "2025-06-01 draft 30.00"}))
		})

		It("shifts what comes after it, by local days across a change of the clock", func() {
			s := newFixture("2025-03-01T08:00:00Z")
			sub, _ := tried(s, 7, object{"timezone": "America/Los_Angeles"}, nil)
			s.intervals(sub, object{
				"add": list{
					object{"price": floating(with(s.fee("31.00"), object{"name": "Later"})), "start_date": "2025-03-08", "end_date": "2025-03-29",
						"fixed_fee_quantity_transitions": list{object{"effective_date": "2025-03-15", "quantity": 2}}},
				},
				"add_adjustments": list{object{
					"start_date": "2025-03-08T12:00:00", "end_date": "2025-06-08",
					"adjustment": object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5, "applies_to_all": true},
				}},
			}).expect(200)
			after := s.trial(sub, "2025-03-10", object{"shift": true}).expect(200)
			Expect(spans(after)).To(Equal([]string{"Fee 2025-03-01 to on", "Calls 2025-03-01 to on", "Later 2025-03-10 to 2025-03-31"}))
			later := after.entry("price_intervals", 2)
			later.shows(object{"start_date": "2025-03-10T07:00:00+00:00", "end_date": "2025-03-31T07:00:00+00:00"})
			Expect(later.each("fixed_fee_quantity_transitions", "effective_date")).To(Equal(list{"2025-03-17T07:00:00+00:00"}))
			after.entry("adjustment_intervals", 0).shows(object{"start_date": "2025-03-10T19:00:00+00:00", "end_date": "2025-06-10T07:00:00+00:00"})
			Expect(s.trial(sub, "2025-03-06", object{"shift": true}).expect(200).entry("price_intervals", 2).at("start_date")).To(Equal("2025-03-06T08:00:00+00:00"))
		})

		It("shifts the phases of the plan and its end, but no cancellation", func() {
			s := newFixture("2025-05-01T00:00:00Z")
			phased := func() string {
				plan := s.plan(object{"plan_phases": list{
					object{"order": 1, "duration": 1, "duration_unit": "monthly"}, object{"order": 2, "duration": 1, "duration_unit": "monthly"},
				}, "prices": list{
					object{"price": s.fee("31.00"), "plan_phase_order": 1}, object{"price": with(s.fee("62.00"), object{"name": "More"}), "plan_phase_order": 2},
				}}).text("id")
				return s.post("/v1/subscriptions", object{"customer_id": s.buyer(nil), "plan_id": plan, "trial_duration_days": 7}).expect(201).text("id")
			}
			after := s.trial(phased(), "2025-05-15", object{"shift": true}).expect(200)
			Expect(spans(after)).To(Equal([]string{"Fee 2025-05-01 to 2025-06-08", "More 2025-06-08 to 2025-07-08"}))
			Expect(after.at("end_date")).To(Equal("2025-07-08T00:00:00+00:00"))
			ending := phased()
			s.cancel(ending, asOf("2025-06-20")).expect(200)
			after = s.trial(ending, "2025-05-15", object{"shift": true}).expect(200)
			Expect(spans(after)).To(Equal([]string{"Fee 2025-05-01 to 2025-06-08", "More 2025-06-08 to 2025-06-20"}))
		})

		It("waits as a pending change", func() {
			s := newFixture("2025-05-01T00:00:00Z")
			sub, _ := tried(s, 14, nil, nil)
			waiting := s.post("/v1/subscriptions/"+sub+"/update_trial", object{"trial_end_date": "2025-05-22"}, header{"Create-Pending-Subscription-Change", "true"}).expect(200)
			Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("trial_info.end_date")).To(Equal("2025-05-15T00:00:00+00:00"))
			s.post("/v1/subscription_changes/"+waiting.text("pending_subscription_change.id")+"/apply", nil).expect(200)
			Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("trial_info.end_date")).To(Equal("2025-05-22T00:00:00+00:00"))
		})

		It("is refused without a trial, after it, and of a subscription that has ended or is none", func() {
			s := newFixture("2025-05-01T00:00:00Z")
			sub, _ := tried(s, 0, nil, nil)
			s.trial(sub, "2025-05-22", nil).refuse(400, refused, "no trial")
			sub, _ = tried(s, 14, nil, nil)
			s.cancel(sub, nil).expect(200)
			s.trial(sub, "2025-05-22", nil).refuse(400, refused, "has ended")
			s.trial("sub_x", "2025-05-22", nil).refuse(404, "404-resource-not-found", "Subscription", "sub_x")
		})

		DescribeTable("refuses",
			func(end any, beginning string) {
				s := newFixture("2025-05-01T00:00:00Z")
				sub, _ := tried(s, 14, nil, object{"end_date": "2025-08-01"})
				s.post("/v1/subscriptions/"+sub+"/update_trial", object{"trial_end_date": end}).invalid(beginning)
			},
			Entry("no date", nil, "trial_end_date: "),
			Entry("what is none", "later", "trial_end_date: must be a date"),
			Entry("one before the start", "2025-04-30", "trial_end_date: must not be before the start"),
			Entry("one after the end", "2025-08-02", "trial_end_date: must not be after the end"),
		)
	})
})
