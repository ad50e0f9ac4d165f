package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/subscription"
	"tollkeeper/store"
)

// redeem asks for a coupon by its code, at once or as change says.
func (a *api) redeem(sub, code string, change object) *answer {
	GinkgoHelper()
	return a.post("/v1/subscriptions/"+sub+"/redeem_coupon",
		with(object{"coupon_redemption_code": code, "change_option": "immediate"}, change))
}

var _ = Describe("Redeeming a coupon", func() {
	const refused = "400-constraint-violation"

	Describe("coupon_redemption_code of a new subscription", func() {
		It("CP-1: discounts as many months as the coupon says", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			id := s.coupon(percent("A", "0.2"), object{"duration_in_months": 3})
			sub := s.subscribe(s.buyer(nil), object{"coupon_redemption_code": "A"}, s.fee("50.00"))
			Expect(sub.at("redeemed_coupon")).To(Equal(object{
				"coupon_id": id, "start_date": "2025-01-01T00:00:00+00:00", "end_date": "2025-04-01T00:00:00+00:00",
			}))
			Expect(sub.each("changed_resources.created_invoices", "total")).To(Equal(list{"40.00", "40.00"}))
			s.clock("2025-04-01T00:00:00Z")
			Expect(s.bills(sub.text("id"))).To(Equal([]string{
				"2025-01-01 issued 40.00", "2025-02-01 issued 40.00", "2025-03-01 issued 40.00", "2025-04-01 issued 50.00", "2025-05-01 draft 50.00",
			}))
		})

		It("discounts usage of periods that end in time, the last one on the day", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			s.coupon(percent("A", "0.2"), object{"duration_in_months": 1})
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, object{"coupon_redemption_code": "A"}, s.calls("1.00")).text("id")
			s.clock("2025-01-10T00:00:00Z")
			s.use(buyer, "2025-01-10T00:00:00Z", "50")
			s.clock("2025-02-10T00:00:00Z")
			s.use(buyer, "2025-02-10T00:00:00Z", "50")
			Expect(s.bills(sub)).To(Equal([]string{"2025-02-01 issued 40.00", "2025-03-01 draft 50.00"}))
		})

		It("CP-2: is not made where the coupon is used up", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			id := s.coupon(percent("A", "0.2"), object{"max_redemptions": 1})
			buyer, plan := s.buyer(nil), s.plan(nil, s.fee("50.00")).text("id")
			body := object{"customer_id": buyer, "plan_id": plan, "coupon_redemption_code": "A"}
			s.post("/v1/subscriptions", body).expect(201)
			Expect(s.get("/v1/coupons/" + id).expect(200).at("times_redeemed")).To(Equal(json.Number("1")))
			s.post("/v1/subscriptions", body).refuse(400, refused, "as often as it may")
			Expect(s.get("/v1/subscriptions").expect(200).list("data")).To(HaveLen(1))
		})

		It("CP-3: takes an amount off every invoice, never more than there is", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			s.coupon(amount("A", "15.00"), nil)
			code := object{"coupon_redemption_code": "A"}
			large := s.subscribe(s.buyer(nil), code, s.fee("50.00"))
			Expect(large.at("redeemed_coupon.end_date")).To(BeNil())
			small := s.subscribe(s.buyer(nil), code, s.fee("10.00"))
			s.clock("2026-12-01T00:00:00Z")
			Expect(s.invoices(large.text("id")).each("data", "total")).To(HaveEach("35.00"))
			Expect(s.invoices(small.text("id")).each("data", "total")).To(And(HaveLen(25), HaveEach("0.00")))
		})

		It("takes an amount off each invoice once, whatever cadences its prices have", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			s.coupon(amount("A", "15.00"), nil)
			buyer := s.buyer(nil)
			sub := s.subscribe(buyer, object{"coupon_redemption_code": "A"},
				s.fee("30.00"), with(s.fee("60.00"), object{"cadence": "annual"}), s.calls("1.00"))
			first := sub.entry("changed_resources.created_invoices", 0)
			Expect(lines(first)).To(Equal([]string{
				"Fee 2025-01-01 to 2025-02-01: 25.00", "Fee 2025-01-01 to 2026-01-01: 50.00",
			}))
			s.use(buyer, "2025-01-01T00:00:00Z", "20")
			s.clock("2025-02-02T00:00:00Z")
			Expect(s.bills(sub.text("id"))).To(Equal([]string{"2025-01-01 issued 75.00", "2025-02-01 issued 35.00", "2025-03-01 draft 15.00"}))
		})

		DescribeTable("is not made with a code that cannot be redeemed",
			func(code string) {
				s := newFixture("2025-01-01T00:00:00Z")
				s.post("/v1/coupons/"+s.coupon(percent("GONE", "0.2"), nil)+"/archive", nil).expect(200)
				s.coupon(percent("here", "0.2"), nil)
				buyer, plan := s.buyer(nil), s.plan(nil, s.fee("50.00")).text("id")
				s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan, "coupon_redemption_code": code}).
					refuse(400, refused, "no coupon")
				Expect(s.get("/v1/subscriptions").expect(200).list("data")).To(BeEmpty())
				Expect(s.get("/v1/customers/" + buyer).expect(200).at("currency")).To(BeNil())
			},
			Entry("that is unknown", "nope"),
			Entry("of an archived coupon", "GONE"),
			Entry("written in capitals", "HERE"),
			Entry("that is empty", ""),
		)

		It("is refused where there is nothing to discount", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			id := s.coupon(percent("A", "0.2"), nil)
			s.post("/v1/subscriptions", object{"customer_id": s.buyer(nil), "plan_id": s.plan(nil).at("id"), "coupon_redemption_code": "A"}).
				refuse(400, refused, "no price")
			Expect(s.get("/v1/coupons/" + id).expect(200).at("times_redeemed")).To(Equal(json.Number("0")))
		})
	})

	Describe("POST /v1/subscriptions/{subscription_id}/redeem_coupon", func() {
		var s fixture
		var id, sub string
		BeforeEach(func() {
			s = newFixture("2025-01-15T00:00:00Z")
			id = s.coupon(percent("A", "0.2"), object{"duration_in_months": 2})
			sub = s.subscribe(s.buyer(nil), nil, s.fee("31.00")).text("id")
			s.clock("2025-01-20T10:30:00Z")
		})

		It("discounts the drafts from now on, by code or by id", func() {
			Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("redeemed_coupon")).To(BeNil())
			after := s.redeem(sub, "A", nil).expect(200)
			Expect(after.at("redeemed_coupon")).To(Equal(object{
				"coupon_id": id, "start_date": "2025-01-20T10:30:00+00:00", "end_date": "2025-03-20T10:30:00+00:00",
			}))
			Expect(after.list("changed_resources.created_invoices")).To(BeEmpty())
			Expect(s.get("/v1/subscriptions/" + sub).expect(200).at("redeemed_coupon")).To(Equal(after.at("redeemed_coupon")))
			Expect(s.bills(sub)).To(Equal([]string{"2025-01-15 issued 17.00", "2025-02-01 draft 24.80"}))
			s.redeem(sub, "", object{"coupon_redemption_code": absent, "coupon_id": id, "allow_invoice_credit_or_void": false}).expect(200)
			Expect(s.bills(sub)).To(Equal([]string{"2025-01-15 issued 17.00", "2025-02-01 draft 19.84"}))
			s.clock("2025-04-01T00:00:00Z")
			Expect(s.bills(sub)[1:]).To(Equal([]string{
				"2025-02-01 issued 19.84", "2025-03-01 issued 19.84", "2025-04-01 issued 31.00", "2025-05-01 draft 31.00",
			}))
		})

		It("multiplies percentages in order of creation", func() {
			s.coupon(percent("B", "0.5"), nil)
			s.redeem(sub, "A", nil).expect(200)
			Expect(s.redeem(sub, "B", nil).expect(200).at("redeemed_coupon.coupon_id")).NotTo(Equal(id))
			Expect(s.bills(sub)[1]).To(Equal("2025-02-01 draft 12.40"))
		})

		// add puts a price beside the one of the subscription, from February on.
		add := func(amount string) {
			GinkgoHelper()
			price := s.post("/v1/prices", with(s.fee(amount), object{"currency": "USD"})).expect(201).text("id")
			s.tx(func(tx *store.Tx) error {
				return tx.Create(&subscription.PriceInterval{
					Record: tx.Record("pint"), SubscriptionID: sub, PriceID: price, Position: 1, StartAt: instant("2025-02-01T00:00:00Z"),
				}).Error
			})
		}

		It("CP-5: leaves prices alone that are added later", func() {
			s.redeem(sub, "A", nil).expect(200)
			add("30.00")
			s.clock("2025-02-01T00:00:00Z")
			Expect(s.bills(sub)[1]).To(Equal("2025-02-01 issued 54.80"))
		})

		It("covers prices that are to begin later", func() {
			add("30.00")
			s.redeem(sub, "A", nil).expect(200)
			s.clock("2025-02-01T00:00:00Z")
			Expect(s.bills(sub)[1]).To(Equal("2025-02-01 issued 48.80"))
		})

		It("takes effect at the start of a subscription that has not begun", func() {
			later := s.subscribe(s.buyer(nil), object{"start_date": "2025-03-01"}, s.fee("10.00")).text("id")
			after := s.redeem(later, "A", nil).expect(200)
			Expect(after.at("redeemed_coupon")).To(Equal(object{
				"coupon_id": id, "start_date": "2025-03-01T00:00:00+00:00", "end_date": "2025-05-01T00:00:00+00:00",
			}))
			s.clock("2025-05-01T00:00:00Z")
			Expect(s.bills(later)).To(Equal([]string{
				"2025-03-01 issued 8.00", "2025-04-01 issued 8.00", "2025-05-01 issued 10.00", "2025-06-01 draft 10.00",
			}))
		})

		It("leaves what was issued at the very instant as it is", func() {
			s.clock("2025-02-01T00:00:00Z")
			s.redeem(sub, "A", nil).expect(200)
			s.clock("2025-04-01T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{
				"2025-01-15 issued 17.00", "2025-02-01 issued 31.00", "2025-03-01 issued 24.80", "2025-04-01 issued 24.80", "2025-05-01 draft 31.00",
			}))
		})

		It("takes effect on a date, which drafts of before it do not follow", func() {
			s.redeem(sub, "A", object{"change_option": "requested_date", "change_date": "2025-03-01"}).expect(200)
			s.clock("2025-05-01T00:00:00Z")
			Expect(s.bills(sub)[1:]).To(Equal([]string{
				"2025-02-01 issued 31.00", "2025-03-01 issued 24.80", "2025-04-01 issued 24.80", "2025-05-01 issued 31.00", "2025-06-01 draft 31.00",
			}))
		})

		It("takes effect on a date in the past, as far as drafts go", func() {
			buyer := s.buyer(nil)
			usage := s.subscribe(buyer, object{"start_date": "2025-01-01"}, s.calls("1.00")).text("id")
			s.use(buyer, "2025-01-20T00:00:00Z", "50")
			s.clock("2025-02-01T06:00:00Z")
			s.redeem(usage, "A", object{"change_option": "requested_date", "change_date": "2025-01-10"}).expect(200)
			Expect(s.bills(usage)[0]).To(Equal("2025-02-01 draft 40.00"))
			s.clock("2025-02-01T12:00:00Z")
			Expect(s.bills(usage)[0]).To(Equal("2025-02-01 issued 40.00"))
			s.redeem(usage, "A", object{"change_option": "requested_date", "change_date": "2025-02-01"}).expect(200)
			Expect(s.bills(usage)[0]).To(Equal("2025-02-01 issued 40.00"))
		})

		It("voids an issued invoice that a past date reaches, with another in its place, if it may", func() {
			buyer := s.buyer(nil)
			usage := s.subscribe(buyer, object{"start_date": "2025-01-01"}, s.calls("1.00"), s.fee("31.00")).text("id")
			s.use(buyer, "2025-01-20T00:00:00Z", "50")
			s.clock("2025-02-01T12:00:00Z")
			back := object{"change_option": "requested_date", "change_date": "2025-01-31"}
			s.redeem(usage, "A", with(back, object{"allow_invoice_credit_or_void": false})).refuse(400, refused, "allow_invoice_credit_or_void")
			Expect(s.get("/v1/coupons/" + id).expect(200).at("times_redeemed")).To(Equal(json.Number("0")))
			Expect(changed(s.redeem(usage, "A", back).expect(200))).To(Equal([]string{"2025-02-01 issued 64.80", "2025-02-01 void 81.00"}))
			Expect(s.bills(usage)).To(Equal([]string{"2025-01-01 issued 31.00", "2025-02-01 issued 64.80", "2025-03-01 draft 24.80"}))
			s.collect(usage)
			s.redeem(usage, "A", back).refuse(400, refused, "is paid")
		})

		DescribeTable("takes effect when the term ends: the current cycle of the longest cadence",
			func(effective string, cadences ...string) {
				prices := []object{}
				for _, cadence := range cadences {
					prices = append(prices, with(s.fee("10"), object{"cadence": cadence}))
				}
				sub := s.subscribe(s.buyer(nil), nil, prices...).text("id")
				after := s.redeem(sub, "A", object{"change_option": "end_of_subscription_term"}).expect(200)
				Expect(after.text("redeemed_coupon.start_date")).To(HavePrefix(effective))
			},
			Entry("a month", "2025-02-01", "monthly"),
			Entry("a year beside a month", "2026-01-01", "monthly", "annual"),
			Entry("a quarter beside what is billed once", "2025-04-01", "one_time", "quarterly"),
			Entry("a month where all is billed once", "2025-02-01", "one_time"),
		)

		DescribeTable("ends months later, as the customer's calendar has it",
			func(zone, from string, months int, until string) {
				s.coupon(percent("Z", "0.2"), object{"duration_in_months": months})
				sub := s.subscribe(s.buyer(object{"timezone": zone}), nil, s.fee("10")).text("id")
				after := s.redeem(sub, "Z", object{"change_option": "requested_date", "change_date": from}).expect(200)
				Expect(after.at("redeemed_coupon.end_date")).To(Equal(until))
			},
			Entry("on the last day of a shorter month", "UTC", "2025-01-31", 1, "2025-02-28T00:00:00+00:00"),
			Entry("on the day itself further on", "UTC", "2025-01-31", 2, "2025-03-31T00:00:00+00:00"),
			Entry("at local midnights, over a change of the clock", "America/Los_Angeles", "2025-02-01", 3, "2025-05-01T07:00:00+00:00"),
			Entry("from a midnight that the clock skips", "Africa/Cairo", "2025-04-25", 1, "2025-05-24T21:00:00+00:00"),
			Entry("at the time of day", "UTC", "2025-02-15T10:30:00.25Z", 12, "2026-02-15T10:30:00.25+00:00"),
			Entry("ten years later", "UTC", "2025-02-01", 120, "2035-02-01T00:00:00+00:00"),
		)

		DescribeTable("refuses requests that are wrong in themselves",
			func(change object, violations ...string) {
				s.redeem(sub, "A", change).invalid(violations...)
				Expect(s.get("/v1/coupons/" + id).expect(200).at("times_redeemed")).To(Equal(json.Number("0")))
			},
			Entry("no coupon", object{"coupon_redemption_code": absent}, "coupon_id, coupon_redemption_code: exactly one"),
			Entry("two names of a coupon", object{"coupon_id": "c"}, "coupon_id, coupon_redemption_code: exactly one"),
			Entry("no time", object{"change_option": absent}, "change_option: is required"),
			Entry("another time", object{"change_option": "soon"}, "change_option: "),
			Entry("a date without its option", object{"change_date": "2025-03-01"}, "change_date: must not be given"),
			Entry("the option without its date", object{"change_option": "requested_date"}, "change_date: is required"),
			Entry("what is no date", object{"change_option": "requested_date", "change_date": "2025-02-30"}, "change_date: "),
			Entry("another member", object{"reason": "x"}, "reason: is not a field"),
		)

		DescribeTable("refuses dates outside of the subscription's life",
			func(date, word string) {
				ending := s.subscribe(s.buyer(nil), object{"end_date": "2025-06-15"}, s.fee("31.00")).text("id")
				s.redeem(ending, "A", object{"change_option": "requested_date", "change_date": date}).refuse(400, refused, word)
				Expect(s.get("/v1/coupons/" + id).expect(200).at("times_redeemed")).To(Equal(json.Number("0")))
				Expect(s.get("/v1/subscriptions/" + ending).expect(200).at("redeemed_coupon")).To(BeNil())
			},
			Entry("before the start", "2025-01-14", "begins after"),
			Entry("at the end", "2025-06-15", "ends before"),
		)

		It("refuses coupons that cannot be redeemed, and misses ids", func() {
			s.post("/v1/coupons/"+id+"/archive", nil).expect(200)
			byID := func(id string) object { return object{"coupon_redemption_code": absent, "coupon_id": id} }
			s.redeem(sub, "", byID(id)).refuse(400, refused, "archived")
			s.redeem(sub, "", byID("nope")).refuse(404, "404-resource-not-found", "Coupon", "nope")
			s.redeem(sub, "A", nil).refuse(400, refused, "no coupon")
			s.redeem("nope", "A", nil).refuse(404, "404-resource-not-found", "Subscription", "nope")
			Expect(s.bills(sub)[1]).To(Equal("2025-02-01 draft 31.00"))
		})

		It("refuses a subscription that has ended, or ends with its term", func() {
			ending := s.subscribe(s.buyer(nil), object{"end_date": "2025-02-01"}, s.fee("31.00")).text("id")
			s.redeem(ending, "A", object{"change_option": "end_of_subscription_term"}).refuse(400, refused, "ends before")
			s.clock("2025-02-01T00:00:00Z")
			s.redeem(ending, "A", nil).refuse(400, refused, "has ended")
		})

		It("redeems once for a request that is repeated", func() {
			key := header{"Idempotency-Key", "k1"}
			body := object{"coupon_redemption_code": "A", "change_option": "immediate"}
			first := s.post("/v1/subscriptions/"+sub+"/redeem_coupon", body, key).expect(200)
			Expect(s.post("/v1/subscriptions/"+sub+"/redeem_coupon", body, key).expect(200).json).To(Equal(first.json))
			Expect(s.get("/v1/coupons/" + id).expect(200).at("times_redeemed")).To(Equal(json.Number("1")))
		})
	})
})
