package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// percent is the body of a coupon of a fraction, the text of a number.
func percent(code, fraction string) object {
	return object{
		"redemption_code": code,
		"discount":        object{"discount_type": "percentage", "percentage_discount": json.Number(fraction)},
	}
}

// amount is the body of a coupon of money.
func amount(code, money string) object {
	return object{"redemption_code": code, "discount": object{"discount_type": "amount", "amount_discount": money}}
}

// coupon makes a coupon and returns its id.
func (a *api) coupon(body, change object) string {
	GinkgoHelper()
	return a.post("/v1/coupons", with(body, change)).expect(201).text("id")
}

var _ = Describe("Coupons", func() {
	const refused = "400-constraint-violation"

	Describe("POST /v1/coupons", func() {
		var api *api
		BeforeEach(func() { api = start() })

		It("makes a coupon of a percentage", func() {
			made := api.post("/v1/coupons", percent("SPRING", "0.2")).expect(201)
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "redemption_code": "SPRING", "times_redeemed": json.Number("0"),
				"discount": object{
					"discount_type": "percentage", "percentage_discount": json.Number("0.2"),
					"applies_to_price_ids": nil, "filters": nil, "reason": nil,
				},
				"duration_in_months": nil, "max_redemptions": nil, "archived_at": nil,
			}))
			Expect(made.text("id")).To(MatchRegexp(`^coupon_[0-9A-Za-z]{20}$`))
		})

		It("makes a coupon of an amount, within bounds", func() {
			made := api.post("/v1/coupons", with(amount("A", "15.00"), object{"duration_in_months": 120, "max_redemptions": 1_000_000_000})).expect(201)
			made.shows(object{
				"discount.discount_type": "amount", "discount.amount_discount": "15.00",
				"duration_in_months": json.Number("120"), "max_redemptions": json.Number("1000000000"),
			})
			Expect(api.post("/v1/coupons", amount("B", "0.0015")).expect(201).at("discount.amount_discount")).To(Equal("0.0015"))
		})

		DescribeTable("refuses what is no coupon",
			func(body object, violation string) {
				api.post("/v1/coupons", body).invalid(violation)
				Expect(api.get("/v1/coupons").expect(200).list("data")).To(BeEmpty())
			},
			Entry("no code", with(percent("", "0.2"), object{"redemption_code": absent}), "redemption_code: is required"),
			Entry("an empty code", percent("", "0.2"), "redemption_code: "),
			Entry("no discount", object{"redemption_code": "A"}, "discount: is required"),
			Entry("a discount of another kind", object{"redemption_code": "A", "discount": object{"discount_type": "usage", "usage_discount": 1}},
				"discount.discount_type: "),
			Entry("a discount without its value", object{"redemption_code": "A", "discount": object{"discount_type": "amount"}},
				"discount.amount_discount: is required"),
			Entry("a discount with both values",
				object{"redemption_code": "A", "discount": object{"discount_type": "amount", "amount_discount": "1", "percentage_discount": 0.1}},
				"discount.percentage_discount: is not a field"),
			Entry("more than all", percent("A", "1.01"), "discount.percentage_discount: "),
			Entry("a negative fraction", percent("A", "-0.01"), "discount.percentage_discount: "),
			Entry("a fraction too long to keep", percent("A", "1e-61"), "discount.percentage_discount: "),
			Entry("a negative amount", amount("A", "-1"), "discount.amount_discount: must not be negative"),
			Entry("an amount that is a number", object{"redemption_code": "A", "discount": object{"discount_type": "amount", "amount_discount": 1}},
				"discount.amount_discount: "),
			Entry("no month", with(percent("A", "0.2"), object{"duration_in_months": 0}), "duration_in_months: "),
			Entry("more than 120 months", with(percent("A", "0.2"), object{"duration_in_months": 121}), "duration_in_months: "),
			Entry("no redemption", with(percent("A", "0.2"), object{"max_redemptions": 0}), "max_redemptions: "),
			Entry("too many redemptions", with(percent("A", "0.2"), object{"max_redemptions": 1_000_000_001}), "max_redemptions: "),
		)

		It("ER-3, ER-4: makes one coupon of a repeated request, and refuses its code to another", func() {
			key := header{"Idempotency-Key", "k1"}
			first := api.post("/v1/coupons", percent("A", "0.2"), key).expect(201)
			again := api.post("/v1/coupons", percent("A", "0.2"), key)
			Expect(again.expect(201).json).To(Equal(first.json))
			Expect(again.header.Get("Idempotent-Replayed")).To(Equal("true"))
			api.post("/v1/coupons", percent("A", "0.3"), key).refuse(409, "409-resource-conflict")
			api.post("/v1/coupons", percent("A", "0.2")).refuse(400, "400-duplicate-resource-creation", "redemption_code")
			api.post("/v1/coupons", percent("a", "0.2")).expect(201)
			Expect(api.get("/v1/coupons").expect(200).each("data", "redemption_code")).To(Equal(list{"a", "A"}))
			api.account("test").post("/v1/coupons", percent("A", "0.2")).expect(201)
		})
	})

	Describe("GET /v1/coupons", func() {
		It("CP-4: pages through active ones, or all, or those of a code", func() {
			api := start()
			old := api.coupon(percent("A", "0.1"), nil)
			api.post("/v1/coupons/"+old+"/archive", nil).expect(200)
			next := api.coupon(percent("A", "0.2"), nil)
			other := api.coupon(percent("B", "0.3"), nil)
			ids := func(query string) list { return api.get("/v1/coupons?"+query).expect(200).each("data", "id") }
			Expect(ids("")).To(Equal(list{other, next}))
			Expect(ids("show_archived=false")).To(Equal(list{other, next}))
			Expect(ids("show_archived=true")).To(Equal(list{other, next, old}))
			Expect(ids("redemption_code=A")).To(Equal(list{next}))
			Expect(ids("redemption_code=A&show_archived=true")).To(Equal(list{next, old}))
			Expect(ids("redemption_code=C")).To(BeEmpty())
			first := api.get("/v1/coupons?show_archived=true&limit=2").expect(200)
			Expect(ids("show_archived=true&limit=2&cursor=" + first.text("pagination_metadata.next_cursor"))).To(Equal(list{old}))
			api.get("/v1/coupons?show_archived=maybe").invalid("show_archived: ")
		})
	})

	Describe("GET /v1/coupons/{coupon_id}", func() {
		It("shows the coupon as it was made, and misses what does not exist", func() {
			api := start()
			made := api.post("/v1/coupons", percent("A", "0.2")).expect(201)
			Expect(api.get("/v1/coupons/" + made.text("id")).expect(200).json).To(Equal(made.json))
			api.get("/v1/coupons/nope").refuse(404, "404-resource-not-found", "Coupon", "nope")
			api.account("test").get("/v1/coupons/"+made.text("id")).refuse(404, "404-resource-not-found", "Coupon")
		})
	})

	Describe("POST /v1/coupons/{coupon_id}/archive", func() {
		It("ends the coupon, once, and no discount that runs", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			id := s.coupon(percent("A", "0.2"), nil)
			sub := s.subscribe(s.buyer(nil), object{"coupon_redemption_code": "A"}, s.fee("50.00")).text("id")
			s.post("/v1/coupons/"+id+"/archive", nil).expect(200).shows(object{
				"archived_at": "2025-01-01T00:00:00+00:00", "times_redeemed": json.Number("1"),
			})
			s.post("/v1/coupons/"+id+"/archive", nil).refuse(400, refused, "archived")
			s.post("/v1/coupons/nope/archive", nil).refuse(404, "404-resource-not-found", "Coupon", "nope")
			Expect(s.bills(sub)).To(Equal([]string{"2025-01-01 issued 40.00", "2025-02-01 draft 40.00"}))
		})
	})

	Describe("GET /v1/coupons/{coupon_id}/subscriptions", func() {
		It("lists those that redeemed it, the newest first, each once", func() {
			s := newFixture("2025-01-01T00:00:00Z")
			id := s.coupon(percent("A", "0.2"), object{"duration_in_months": 1})
			s.coupon(percent("B", "0.2"), nil)
			buyer := s.buyer(nil)
			code := func(code any) object { return object{"coupon_redemption_code": code} }
			first := s.subscribe(buyer, code("A"), s.fee("1")).text("id")
			s.subscribe(buyer, code("B"), s.fee("1"))
			s.subscribe(buyer, code(nil), s.fee("1"))
			last := s.subscribe(buyer, code("A"), s.fee("1")).text("id")
			s.clock("2025-06-01T00:00:00Z")
			s.redeem(first, "A", nil).expect(200)
			path := "/v1/coupons/" + id + "/subscriptions"
			Expect(s.get(path).expect(200).each("data", "id")).To(Equal(list{last, first}))
			page := s.get(path + "?limit=1").expect(200)
			Expect(page.each("data", "redeemed_coupon.coupon_id")).To(Equal(list{id}))
			Expect(s.get(path+"?limit=1&cursor="+page.text("pagination_metadata.next_cursor")).expect(200).each("data", "id")).To(Equal(list{first}))
			Expect(s.get("/v1/coupons/" + id).expect(200).at("times_redeemed")).To(Equal(json.Number("3")))
			s.get("/v1/coupons/nope/subscriptions").refuse(404, "404-resource-not-found", "Coupon", "nope")
		})
	})
})
