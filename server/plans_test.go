package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/catalog"
	"tollkeeper/store"
)

// plan makes a plan in dollars with those prices; change makes it another one.
func (a *api) plan(change object, prices ...object) value {
	GinkgoHelper()
	entries := list{}
	for _, price := range prices {
		entries = append(entries, object{"price": price})
	}
	return a.post("/v1/plans", with(object{"name": "Pro", "currency": "USD", "prices": entries}, change)).expect(201)
}

var _ = Describe("Plans", func() {
	var api *api
	var item string
	BeforeEach(func() {
		api = start()
		item = api.item("Seats")
	})

	body := func(change object, prices ...object) object {
		entries := list{}
		for _, price := range prices {
			entries = append(entries, object{"price": price})
		}
		return with(object{"name": "Pro", "currency": "USD", "prices": entries}, change)
	}
	archive := func(id string) {
		api.tx(func(tx *store.Tx) error {
			_, err := catalog.Archive(tx, id)
			return err
		})
	}

	Describe("POST /v1/plans", func() {
		It("makes a plan with its prices", func() {
			api.clock("2025-03-01T10:00:00Z")
			made := api.post("/v1/plans", body(object{
				"external_plan_id": "pro", "description": "All of it", "default_invoice_memo": "Thanks", "net_terms": 30, "metadata": object{"a": "1"},
			}, fee(item), with(fee(item), object{"name": "Second"}))).expect(201)
			Expect(made.each("prices", "name")).To(Equal(list{"Fee", "Second"}))
			Expect(made.each("prices", "currency")).To(Equal(list{"USD", "USD"}))
			prices := made.at("prices")
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "name": "Pro", "external_plan_id": "pro", "description": "All of it", "status": "active",
				"version": json.Number("1"), "created_at": "2025-03-01T10:00:00+00:00", "currency": "USD", "invoicing_currency": "USD",
				"net_terms": json.Number("30"), "default_invoice_memo": "Thanks", "prices": prices, "adjustments": list{}, "plan_phases": nil,
				"product":      object{"id": made.at("product.id"), "name": "Pro", "created_at": "2025-03-01T10:00:00+00:00"},
				"trial_config": object{"trial_period": nil, "trial_period_unit": "days"},
				"base_plan":    nil, "base_plan_id": nil, "discount": nil, "minimum": nil, "minimum_amount": nil, "maximum": nil,
				"maximum_amount": nil, "metadata": object{"a": "1"},
			}))
		})

		It("makes a plan without prices, and a draft", func() {
			made := api.post("/v1/plans", body(object{"status": "draft"})).expect(201)
			Expect(made.at("status")).To(Equal("draft"))
			Expect(made.list("prices")).To(BeEmpty())
			Expect(made.at("net_terms")).To(BeNil())
		})

		DescribeTable("refuses what is wrong in itself, all of it",
			func(change object, price object, violations ...string) {
				api.post("/v1/plans", body(change, fee(item), with(with(fee(item), object{"name": "Second"}), price))).invalid(violations...)
				Expect(api.get("/v1/plans").expect(200).list("data")).To(BeEmpty())
				Expect(api.get("/v1/prices").expect(200).list("data")).To(BeEmpty())
			},
			Entry("an archived plan", object{"status": "archived"}, nil, "status: "),
			Entry("credits for money", object{"currency": "credits"}, nil, "currency: "),
			Entry("net terms of more than a year", object{"net_terms": 366}, nil, "net_terms: "),
			Entry("a price in another currency", nil, object{"currency": "EUR"}, "prices[1].price.currency: "),
			Entry("an amount that is none", nil, object{"unit_config": object{"unit_amount": "1e2"}}, "prices[1].price.unit_config.unit_amount: "),
			Entry("an amount that is negative", nil, object{"unit_config": object{"unit_amount": "-1"}}, "prices[1].price.unit_config.unit_amount: "),
			Entry("an unknown member of a price", nil, object{"colour": "red"}, "prices[1].price.colour: "),
			Entry("the same price twice", nil, object{"name": "Fee"}, "prices[1]: "),
			Entry("several mistakes", object{"name": ""}, object{"cadence": "daily", "item_id": absent}, "name: ", "prices[1].price.cadence: ", "prices[1].price.item_id: "),
		)

		It("misses an item that does not exist, and makes no plan", func() {
			api.post("/v1/plans", body(nil, with(fee(item), object{"item_id": "nope"}))).refuse(404, "404-resource-not-found", "Item", "nope")
			Expect(api.get("/v1/plans").expect(200).list("data")).To(BeEmpty())
		})
	})

	Describe("GET /v1/plans", func() {
		It("ER-6: pages through them, the newest first", func() {
			want := list{}
			for n := range 45 {
				name := fmt.Sprint("plan ", n)
				api.plan(object{"name": name})
				want = append(list{name}, want...)
			}
			listed, cursor := list{}, ""
			for _, size := range []int{20, 20, 5} {
				page := api.get("/v1/plans?cursor=" + cursor).expect(200)
				Expect(page.list("data")).To(HaveLen(size))
				Expect(page.at("pagination_metadata.has_more")).To(Equal(size == 20))
				listed = append(listed, page.each("data", "name")...)
				if size == 20 {
					cursor = page.text("pagination_metadata.next_cursor")
				} else {
					Expect(page.at("pagination_metadata.next_cursor")).To(BeNil())
				}
			}
			Expect(listed).To(Equal(want))
		})

		It("ER-7: returns 1 to 100 at once", func() {
			for _, limit := range []string{"0", "101", "abc"} {
				api.get("/v1/plans?limit=" + limit).invalid("limit: ")
			}
			api.get("/v1/plans?limit=100").expect(200)
		})

		It("lists those of a status", func() {
			api.plan(object{"name": "a"})
			api.plan(object{"name": "d", "status": "draft"})
			archive(api.plan(object{"name": "z"}).text("id"))
			Expect(api.get("/v1/plans").expect(200).each("data", "name")).To(Equal(list{"z", "d", "a"}))
			Expect(api.get("/v1/plans?status=draft").expect(200).each("data", "name")).To(Equal(list{"d"}))
			Expect(api.get("/v1/plans?status=archived").expect(200).each("data", "name")).To(Equal(list{"z"}))
		})

		It("shows each with its own prices", func() {
			api.plan(object{}, with(fee(item), object{"name": "one"}))
			api.plan(object{}, with(fee(item), object{"name": "two"}), with(fee(item), object{"name": "three"}))
			page := api.get("/v1/plans").expect(200)
			Expect(page.each("data[0].prices", "name")).To(Equal(list{"two", "three"}))
			Expect(page.each("data[1].prices", "name")).To(Equal(list{"one"}))
		})
	})

	Describe("GET /v1/plans/{plan_id}", func() {
		It("shows the plan as it was made", func() {
			made := api.plan(object{}, fee(item))
			Expect(api.get("/v1/plans/" + made.text("id")).expect(200).json).To(Equal(made.json))
		})

		It("ER-2: misses what does not exist", func() {
			api.get("/v1/plans/nope").refuse(404, "404-resource-not-found", "Could not find a resource of type Plan with identifier: nope")
		})
	})

	Describe("GET /v1/plans/external_plan_id/{external_plan_id}", func() {
		It("PL-4: finds the newest active plan", func() {
			first := api.plan(object{"external_plan_id": "pro"})
			second := api.plan(object{"external_plan_id": "pro"})
			Expect(api.get("/v1/plans/external_plan_id/pro").expect(200).at("id")).To(Equal(second.at("id")))
			archive(second.text("id"))
			Expect(api.get("/v1/plans/external_plan_id/pro").expect(200).at("id")).To(Equal(first.at("id")))
		})

		It("misses an alias that no plan bears", func() {
			api.get("/v1/plans/external_plan_id/nope").refuse(404, "404-resource-not-found", "Plan", "nope")
		})
	})

	Describe("PUT /v1/plans/{plan_id}", func() {
		It("changes what is sent and leaves the rest", func() {
			made := api.plan(object{"external_plan_id": "pro", "description": "Old"}, fee(item))
			path := "/v1/plans/" + made.text("id")
			changed := api.put(path, object{"description": nil}).expect(200)
			Expect(changed.at("description")).To(BeNil())
			Expect(changed.at("external_plan_id")).To(Equal("pro"))
			Expect(changed.at("prices")).To(Equal(made.at("prices")))
			Expect(api.put(path, object{"external_plan_id": "max"}).expect(200).at("external_plan_id")).To(Equal("max"))
			Expect(api.get(path).expect(200).at("description")).To(BeNil())
		})

		It("refuses to change anything else", func() {
			api.put("/v1/plans/"+api.plan(object{}).text("id"), object{"name": "Other"}).invalid("name: ")
		})

		It("misses what does not exist", func() {
			api.put("/v1/plans/nope", object{}).refuse(404, "404-resource-not-found", "Plan", "nope")
		})
	})

	Describe("PUT /v1/plans/external_plan_id/{external_plan_id}", func() {
		It("changes the plan that bears the alias", func() {
			made := api.plan(object{"external_plan_id": "pro"})
			changed := api.put("/v1/plans/external_plan_id/pro", object{"metadata": object{"a": "1"}}).expect(200)
			Expect(changed.at("id")).To(Equal(made.at("id")))
			Expect(changed.at("metadata")).To(Equal(object{"a": "1"}))
		})

		It("misses an alias that no plan bears", func() {
			api.put("/v1/plans/external_plan_id/nope", object{}).refuse(404, "404-resource-not-found", "Plan", "nope")
		})
	})
})
