package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/store"
)

// cancel asks for the end of a subscription: now, or as change says.
func (a *api) cancel(sub string, change object, more ...header) *answer {
	GinkgoHelper()
	return a.post("/v1/subscriptions/"+sub+"/cancel", with(object{"cancel_option": "immediate"}, change), more...)
}

// asOf is the request to cancel on a date.
func asOf(date string) object {
	return object{"cancel_option": "requested_date", "cancellation_date": date}
}

// collect marks what was issued for a subscription as paid.
func (s fixture) collect(sub string) {
	GinkgoHelper()
	s.tx(func(tx *store.Tx) error {
		return tx.Exec(`UPDATE invoices SET status = 'paid', paid_at = ? WHERE account_id = ? AND subscription_id = ? AND status = 'issued'`,
			tx.Now, tx.AccountID, sub).Error
	})
}

// balance is the customer's.
func (s fixture) balance(buyer string) any {
	GinkgoHelper()
	return s.get("/v1/customers/" + buyer).expect(200).at("balance")
}

// changed writes what a change brought about: invoices, then those that are void, then
// credit notes.
func changed(v value) []string {
	GinkgoHelper()
	texts := []string{}
	for k := range v.list("changed_resources.created_invoices") {
		inv := v.entry("changed_resources.created_invoices", k)
		texts = append(texts, fmt.Sprint(inv.text("invoice_date")[:10], " ", inv.at("status"), " ", inv.at("total")))
	}
	for k := range v.list("changed_resources.voided_invoices") {
		inv := v.entry("changed_resources.voided_invoices", k)
		texts = append(texts, fmt.Sprint(inv.text("invoice_date")[:10], " ", inv.at("status"), " ", inv.at("total")))
	}
	for k := range v.list("changed_resources.created_credit_notes") {
		note := v.entry("changed_resources.created_credit_notes", k)
		texts = append(texts, fmt.Sprint(note.at("type"), " ", note.at("total")))
	}
	return texts
}

var _ = Describe("POST /v1/subscriptions/{subscription_id}/cancel", func() {
	const refused = "400-constraint-violation"

	It("S-2: credits the rest of a fee and invoices the usage so far, at once", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, s.fee("99.00"), s.calls("0.05")).text("id")
		s.collect(sub)
		s.clock("2025-03-18T09:00:00Z")
		s.use(buyer, "2025-03-18T08:00:00Z", "220")
		after := s.cancel(sub, nil).expect(200)
		Expect(after.at("end_date")).To(Equal("2025-03-18T09:00:00+00:00"))
		Expect(after.at("status")).To(Equal("ended"))
		Expect(changed(after)).To(Equal([]string{"2025-03-18 draft 11.00", "refund 44.71"}))
		usage := after.entry("changed_resources.created_invoices", 0)
		Expect(usage.at("invoice_date")).To(Equal("2025-03-18T09:00:00+00:00"))
		Expect(usage.at("eligible_to_issue_at")).To(Equal("2025-03-18T21:00:00+00:00"))
		Expect(usage.at("amount_due")).To(Equal("0.00"))
		note := after.entry("changed_resources.created_credit_notes", 0)
		Expect(note.at("reason")).To(Equal("order_change"))
		Expect(note.entry("line_items", 0).at("start_time_inclusive")).To(Equal("2025-03-18T00:00:00+00:00"))
		Expect(note.entry("line_items", 0).at("end_time_exclusive")).To(Equal("2025-04-01T00:00:00+00:00"))
		Expect(s.balance(buyer)).To(Equal("44.71"))

		s.clock("2025-03-18T21:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 paid 99.00", "2025-03-18 paid 11.00"}))
		Expect(s.balance(buyer)).To(Equal("33.71"))
		s.clock("2026-01-01T00:00:00Z")
		Expect(s.bills(sub)).To(HaveLen(2))
	})

	It("S-3: ends with the longest cadence's cycle, until when usage is billed", func() {
		s := newFixture("2025-02-10T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, object{"align_billing_with_subscription_start_date": true},
			with(s.fee("1200.00"), object{"cadence": "annual"}), s.calls("1.00")).text("id")
		s.clock("2025-05-01T00:00:00Z")
		s.use(buyer, "2025-05-01T00:00:00Z", "7")
		after := s.cancel(sub, object{"cancel_option": "end_of_subscription_term"}).expect(200)
		Expect(after.at("end_date")).To(Equal("2026-02-10T00:00:00+00:00"))
		Expect(after.at("status")).To(Equal("active"))
		Expect(changed(after)).To(BeEmpty())
		s.clock("2026-03-01T00:00:00Z")
		bills := s.bills(sub)
		Expect(bills).To(HaveLen(13))
		Expect(bills[0]).To(Equal("2025-02-10 issued 1200.00"))
		Expect(bills[3]).To(Equal("2025-05-10 issued 7.00"))
		Expect(bills[12]).To(HavePrefix("2026-02-10"))
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("status")).To(Equal("ended"))
	})

	Describe("as of a date that is past", func() {
		It("gives back the coupons of what is undone by it, and of no redemption before", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			ids := map[string]string{}
			for _, code := range []string{"KEPT", "PLAN", "AHEAD"} {
				ids[code] = s.coupon(percent(code, "0.5"), object{"max_redemptions": 1})
			}
			sub := s.subscribe(s.buyer(nil), object{"coupon_redemption_code": "KEPT"}, s.fee("31.00")).text("id")
			s.clock("2025-03-11T00:00:00Z")
			s.move(sub, s.plan(nil, s.fee("62.00")).text("id"), object{"coupon_redemption_code": "PLAN"}).expect(200)
			s.redeem(sub, "AHEAD", object{"change_option": "requested_date", "change_date": "2025-05-01"}).expect(200)
			after := s.cancel(sub, asOf("2025-03-06")).expect(200)
			Expect(after.at("redeemed_coupon.coupon_id")).To(Equal(ids["KEPT"]))
			for code, times := range map[string]json.Number{"KEPT": "1", "PLAN": "0", "AHEAD": "0"} {
				Expect(s.get("/v1/coupons/"+ids[code]).expect(200).at("times_redeemed")).To(Equal(times), code)
			}
		})

		It("S-4: lowers what an unpaid invoice asks for by the days after it", func() {
			s := newFixture("2022-01-01T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.fee("50.00"), s.calls("1.00")).text("id")
			s.use(buyer, "2022-01-01T00:00:00Z", "6")
			s.clock("2022-01-15T00:00:00Z")
			s.use(buyer, "2022-01-14T20:00:00Z", "100") // after the end
			after := s.cancel(sub, asOf("2022-01-13")).expect(200)
			Expect(changed(after)).To(Equal([]string{"2022-01-13 issued 6.00", "adjustment 30.65"}))
			Expect(s.invoices(sub).each("data", "amount_due")).To(ConsistOf("19.35", "6.00"))
			Expect(s.balance(buyer)).To(Equal("0.00"))
		})

		It("voids the invoice of the start, and nothing more, from the start on", func() {
			s := newFixture("2022-01-01T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.fee("50.00"), s.calls("1.00")).text("id")
			s.clock("2022-01-15T00:00:00Z")
			after := s.cancel(sub, asOf("2022-01-01")).expect(200)
			Expect(changed(after)).To(Equal([]string{"2022-01-01 void 50.00"}))
			Expect(after.at("status")).To(Equal("ended"))
			s.clock("2022-03-01T00:00:00Z")
			Expect(s.bills(sub)).To(BeEmpty())
		})

		It("replaces the invoice of the date by one without the fee", func() {
			s := newFixture("2022-01-01T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.fee("50.00"), s.calls("1.00")).text("id")
			s.use(buyer, "2022-01-01T00:00:00Z", "6")
			s.clock("2022-02-15T00:00:00Z")
			Expect(s.bills(sub)[1]).To(Equal("2022-02-01 issued 56.00"))
			after := s.cancel(sub, asOf("2022-02-01")).expect(200)
			Expect(changed(after)).To(Equal([]string{"2022-02-01 issued 6.00", "2022-02-01 void 56.00"}))
			Expect(lines(after.entry("changed_resources.created_invoices", 0))).To(Equal([]string{"Calls 2022-01-01 to 2022-02-01: 6.00"}))
			s.clock("2022-04-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2022-01-01 issued 50.00", "2022-02-01 issued 6.00"}))
		})

		It("is refused where a later invoice is paid", func() {
			s := newFixture("2022-01-01T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("50.00")).text("id")
			s.clock("2022-02-15T00:00:00Z")
			s.collect(sub)
			for _, date := range []string{"2022-01-13", "2022-02-01"} {
				s.cancel(sub, asOf(date)).refuse(400, refused, "is paid")
			}
			Expect(changed(s.cancel(sub, asOf("2022-02-02")).expect(200))).To(Equal([]string{"refund 48.21"}))
		})

		It("is refused before the start", func() {
			s := newFixture("2022-01-10T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("50.00")).text("id")
			s.cancel(sub, asOf("2022-01-09")).invalid("cancellation_date: must not be before the start")
		})
	})

	Describe("on a date ahead", func() {
		It("credits what was charged in advance when the date comes", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, nil, s.fee("31.00")).text("id")
			s.collect(sub)
			s.clock("2025-03-10T00:00:00Z")
			Expect(changed(s.cancel(sub, asOf("2025-03-21")).expect(200))).To(BeEmpty())
			Expect(s.balance(buyer)).To(Equal("0.00"))
			s.clock("2025-03-20T23:59:59Z")
			Expect(s.balance(buyer)).To(Equal("0.00"))
			s.clock("2025-03-21T00:00:00Z")
			Expect(s.balance(buyer)).To(Equal("11.00"))
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 paid 31.00"}))
		})

		It("charges a fee of the last period for its days only", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("30.00")).text("id")
			s.cancel(sub, asOf("2025-04-11")).expect(200)
			s.clock("2025-05-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 30.00", "2025-04-01 issued 10.00"}))
		})

		It("counts for another one that was planned", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("30.00")).text("id")
			s.cancel(sub, asOf("2025-04-11")).expect(200)
			Expect(s.cancel(sub, asOf("2025-04-21")).expect(200).at("end_date")).To(Equal("2025-04-21T00:00:00+00:00"))
			Expect(s.bills(sub)[1]).To(Equal("2025-04-01 draft 20.00"))
			after := s.cancel(sub, object{"cancel_option": "end_of_subscription_term"}).expect(200)
			Expect(after.at("end_date")).To(Equal("2025-04-01T00:00:00+00:00"))
			Expect(after.entry("price_intervals", 0).at("end_date")).To(Equal("2025-04-01T00:00:00+00:00"))
			s.clock("2025-06-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 30.00"}))
		})
	})

	It("S-9: ends a subscription that has not begun where it would begin", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), object{"start_date": "2025-05-01"}, s.fee("30.00")).text("id")
		s.cancel(sub, object{"cancel_option": "end_of_subscription_term"}).refuse(400, refused, "immediately")
		s.cancel(sub, asOf("2025-06-01")).refuse(400, refused, "immediately")
		after := s.cancel(sub, nil).expect(200)
		Expect(after.at("end_date")).To(Equal("2025-05-01T00:00:00+00:00"))
		Expect(after.at("status")).To(Equal("ended"))
		Expect(s.get("/v1/subscriptions?status=ended").expect(200).list("data")).To(HaveLen(1))
		Expect(s.get("/v1/subscriptions?status=upcoming").expect(200).list("data")).To(BeEmpty())
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(sub)).To(BeEmpty())
		s.cancel(sub, nil).refuse(400, refused, "has ended")
	})

	It("leaves a fee in a draft without its last days, and one that is charged once", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(object{"auto_issuance": false})
		sub := s.subscribe(buyer, nil, s.fee("31.00"), with(s.fee("100.00"), object{"name": "Setup", "cadence": "one_time"})).text("id")
		s.clock("2025-03-11T00:00:00Z")
		Expect(changed(s.cancel(sub, nil).expect(200))).To(BeEmpty())
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 draft 110.00"}))
	})

	It("does not give back what is charged once", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00"), with(s.fee("100.00"), object{"name": "Setup", "cadence": "one_time"})).text("id")
		s.clock("2025-03-11T00:00:00Z")
		Expect(changed(s.cancel(sub, nil).expect(200))).To(Equal([]string{"adjustment 21.00"}))
	})

	It("credits what is left after discounts", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		s.coupon(percent("A", "0.5"), nil)
		sub := s.subscribe(s.buyer(nil), object{"coupon_redemption_code": "A"}, s.fee("31.00")).text("id")
		s.clock("2025-03-11T00:00:00Z")
		Expect(changed(s.cancel(sub, nil).expect(200))).To(Equal([]string{"adjustment 10.50"}))
	})

	DescribeTable("counts days of the customer's calendar, the last one not",
		func(zone, date, end, credited string) {
			s := newFixture("2025-03-01T12:00:00Z")
			sub := s.subscribe(s.buyer(object{"timezone": zone}), object{"start_date": "2025-03-01"}, s.fee("31.00")).text("id")
			s.clock("2025-03-31T00:00:00Z")
			after := s.cancel(sub, asOf(date)).expect(200)
			Expect(after.at("end_date")).To(Equal(end))
			Expect(changed(after)).To(Equal([]string{"adjustment " + credited}))
		},
		Entry("at a midnight", "UTC", "2025-03-11", "2025-03-11T00:00:00+00:00", "21.00"),
		Entry("within a day, which is given back", "UTC", "2025-03-11T18:30:00Z", "2025-03-11T18:30:00+00:00", "21.00"),
		Entry("before the clock changes", "America/Los_Angeles", "2025-03-09", "2025-03-09T08:00:00+00:00", "23.00"),
		Entry("after the clock changed", "America/Los_Angeles", "2025-03-10", "2025-03-10T07:00:00+00:00", "22.00"),
		Entry("a local time without an offset", "America/Los_Angeles", "2025-03-10T00:30", "2025-03-10T07:30:00+00:00", "22.00"),
		Entry("where it is a day later", "Asia/Tokyo", "2025-03-30T23:00:00Z", "2025-03-30T23:00:00+00:00", "1.00"),
	)

	It("is refused where it may not credit or void", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		s.clock("2025-03-11T00:00:00Z")
		never := object{"allow_invoice_credit_or_void": false}
		s.cancel(sub, never).refuse(400, refused, "allow_invoice_credit_or_void")
		s.cancel(sub, with(asOf("2025-03-01"), never)).refuse(400, refused, "allow_invoice_credit_or_void")
		Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("end_date")).To(BeNil())
		s.cancel(sub, with(never, object{"cancel_option": "end_of_subscription_term"})).expect(200)
	})

	DescribeTable("refuses requests that are wrong in themselves",
		func(change object, violations ...string) {
			s := newFixture("2025-03-01T00:00:00Z")
			sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
			s.cancel(sub, change).invalid(violations...)
		},
		Entry("no time", object{"cancel_option": absent}, "cancel_option: is required"),
		Entry("another time", object{"cancel_option": "soon"}, "cancel_option: "),
		Entry("a date without its option", object{"cancellation_date": "2025-03-20"}, "cancellation_date: must not be given"),
		Entry("the option without its date", object{"cancel_option": "requested_date"}, "cancellation_date: is required"),
		Entry("what is no date", asOf("2025-02-30"), "cancellation_date: "),
		Entry("another member", object{"reason": "x"}, "reason: is not a field"),
	)

	It("misses ids", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		s.cancel("nope", nil).refuse(404, "404-resource-not-found", "Subscription", "nope")
		s.post("/v1/subscriptions/nope/unschedule_cancellation", nil).refuse(404, "404-resource-not-found", "Subscription", "nope")
	})
})

var _ = Describe("POST /v1/subscriptions/{subscription_id}/unschedule_cancellation", func() {
	const refused = "400-constraint-violation"
	resume := func(s fixture, sub string) *answer {
		GinkgoHelper()
		return s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil)
	}

	It("lets it go on as if it had never been canceled", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil, s.fee("31.00"), s.calls("1.00")).text("id")
		s.cancel(sub, asOf("2025-03-21")).expect(200)
		after := resume(s, sub).expect(200)
		Expect(after.at("end_date")).To(BeNil())
		Expect(after.each("price_intervals", "end_date")).To(HaveEach(BeNil()))
		s.clock("2025-04-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 31.00", "2025-05-01 draft 31.00"}))
		Expect(s.balance(buyer)).To(Equal("0.00"))
	})

	It("charges a fee for the days that it was not charged for, once and whenever it is taken back", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), object{"end_date": "2025-04-11"}, s.fee("30.00")).text("id")
		s.clock("2025-04-02T00:00:00Z")
		resume(s, sub).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 30.00", "2025-04-01 issued 10.00", "2025-04-11 draft 20.00"}))
		s.cancel(sub, asOf("2025-04-21")).expect(200)
		Expect(s.bills(sub)[2]).To(Equal("2025-04-11 draft 10.00"))
		resume(s, sub).expect(200)
		s.clock("2025-05-15T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 30.00", "2025-04-01 issued 10.00", "2025-04-11 issued 20.00", "2025-05-01 issued 30.00", "2025-06-01 draft 30.00",
		}))
	})

	It("is refused without an end ahead", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
		resume(s, sub).refuse(400, refused, "is to end")
		s.cancel(sub, nil).expect(200)
		resume(s, sub).refuse(400, refused, "is to end")
	})
})
