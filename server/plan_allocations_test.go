package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Prices of plans that grant credits", func() {
	var api *api
	BeforeEach(func() { api = start() })

	body := func(entries ...object) object {
		prices := list{}
		for _, entry := range entries {
			prices = append(prices, entry)
		}
		return object{"name": "Pro", "currency": "USD", "prices": prices}
	}
	made := func(entry object) value {
		GinkgoHelper()
		plan := api.post("/v1/plans", body(entry)).expect(201)
		Expect(api.get("/v1/plans/" + plan.text("id")).expect(200).json).To(Equal(plan.json))
		price := plan.entry("prices", 0)
		Expect(api.get("/v1/prices/" + price.text("id")).expect(200).json).To(Equal(price.json))
		return price
	}

	Describe("as an allocation_price", func() {
		allocation := func(change object) object {
			return object{"allocation_price": with(object{"amount": "100.5", "currency": "credits", "cadence": "quarterly"}, change)}
		}

		It("are fixed fees in advance, of as many units as credits, in the currency of the plan", func() {
			api.clock("2025-03-01T10:00:00Z")
			price := made(allocation(object{"per_unit_cost_basis": "0.25", "metadata": object{"a": "1"}}))
			Expect(price.json).To(Equal(object{
				"id": price.at("id"), "name": "Credits", "external_price_id": nil, "created_at": "2025-03-01T10:00:00+00:00",
				"item": object{"id": price.at("item.id"), "name": "Credits"}, "price_type": "fixed_price", "billing_mode": "in_advance",
				"cadence": "quarterly", "billing_cycle_configuration": object{"duration": json.Number("3"), "duration_unit": "month"},
				"invoicing_cycle_configuration": nil, "invoice_grouping_key": nil, "billable_metric": nil,
				"fixed_price_quantity": json.Number("100.5"), "currency": "USD", "conversion_rate": nil, "conversion_rate_config": nil,
				"credit_allocation": object{
					"allows_rollover": true, "currency": "credits", "custom_expiration": nil, "filters": list{}, "license_type_id": nil,
				},
				"composite_price_filters": nil, "dimensional_price_configuration": nil, "license_type": nil,
				"plan_phase_order": nil, "replaces_price_id": nil, "discount": nil, "minimum": nil, "minimum_amount": nil,
				"maximum": nil, "maximum_amount": nil, "metadata": object{"a": "1"},
				"model_type": "unit", "unit_config": object{"unit_amount": "0.25"},
			}))
		})

		It("cost nothing unless they say so, and share the item of credits", func() {
			first, second := made(allocation(nil)), made(allocation(object{"amount": "5"}))
			Expect(first.at("unit_config.unit_amount")).To(Equal("0.00"))
			Expect(second.at("item")).To(Equal(first.at("item")))
			Expect(api.get("/v1/items").expect(200).each("data", "name")).To(Equal(list{"Credits"}))
		})

		It("may have an item, pay for certain items and be for licenses", func() {
			item, license := api.item("Tokens"), api.licenseType("Seat")
			price := made(allocation(object{
				"item_id": item, "license_type_id": license, "currency": "USD", "amount": "100.50",
				"filters": list{filter("item_id", "includes", item)},
			}))
			price.shows(object{"name": "Tokens", "item": object{"id": item, "name": "Tokens"}, "currency": "USD"})
			price.shows(object{
				"credit_allocation.currency": "USD", "credit_allocation.license_type_id": license,
				"credit_allocation.filters": list{filter("item_id", "includes", item)},
			})
		})

		DescribeTable("last as long as they say",
			func(change object, rollover bool, expiration any) {
				made(allocation(change)).shows(object{
					"credit_allocation.allows_rollover": rollover, "credit_allocation.custom_expiration": expiration,
				})
			},
			Entry("for ever", object{"expires_at_end_of_cadence": nil, "custom_expiration": nil}, true, nil),
			Entry("for ever, said so", object{"expires_at_end_of_cadence": false}, true, nil),
			Entry("to the end of each period", object{"expires_at_end_of_cadence": true}, false, nil),
			Entry("for a time of their own", object{"custom_expiration": object{"duration": 45, "duration_unit": "day"}}, false,
				object{"duration": json.Number("45"), "duration_unit": "day"}),
		)

		DescribeTable("are refused at the place that is wrong",
			func(change object, violations ...string) {
				for k, violation := range violations {
					violations[k] = "prices[0].allocation_price." + violation
				}
				api.post("/v1/plans", body(allocation(change))).invalid(violations...)
			},
			Entry("granting nothing", object{"amount": "0"}, "amount: must be above 0"),
			Entry("granting a number", object{"amount": 5}, "amount: must be a decimal string"),
			Entry("without an amount", object{"amount": absent}, "amount: is required"),
			Entry("in money that the plan is not in", object{"currency": "EUR"}, "currency: must be that of the plan"),
			Entry("parts of a cent", object{"currency": "USD", "amount": "0.005"}, "amount: "),
			Entry("in a unit that is none", object{"currency": "tokens"}, "currency: "),
			Entry("in a cadence that allocations do not have", object{"cadence": "custom"}, "cadence: "),
			Entry("expiring in two ways", object{"expires_at_end_of_cadence": false, "custom_expiration": object{"duration": 1, "duration_unit": "month"}}, "custom_expiration: "),
			Entry("expiring at once", object{"custom_expiration": object{"duration": 0, "duration_unit": "day"}}, "custom_expiration.duration: "),
			Entry("costing less than nothing", object{"per_unit_cost_basis": "-1"}, "per_unit_cost_basis: "),
			Entry("costing null", object{"per_unit_cost_basis": nil}, "per_unit_cost_basis: must not be null"),
			Entry("filtering by more than items", object{"filters": list{filter("price_type", "includes", "usage")}}, "filters[0].field: "),
			Entry("with the fields of other prices", object{"name": "Grant"}, "name: "),
			Entry("for every reason at once", object{"amount": "0", "per_unit_cost_basis": "-1"}, "amount: ", "per_unit_cost_basis: "),
		)

		DescribeTable("miss what does not exist",
			func(noun string, change object) {
				api.post("/v1/plans", body(allocation(change))).refuse(404, "404-resource-not-found", noun, "nope")
				Expect(api.get("/v1/items").expect(200).list("data")).To(BeEmpty())
			},
			Entry("an item", "Item", object{"item_id": "nope"}),
			Entry("an item to pay for", "Item", object{"filters": list{filter("item_id", "excludes", "nope")}}),
			Entry("a license type", "LicenseType", object{"license_type_id": "nope"}),
		)
	})

	Describe("as a license_allocation_price", func() {
		var item, license string
		BeforeEach(func() { item, license = api.item("Seats"), api.licenseType("Seat") })

		granting := func(change object) object {
			return object{"license_allocation_price": with(with(fee(item), object{
				"license_type_id": license, "fixed_price_quantity": 5,
				"license_allocations": list{object{"amount": "100", "currency": "credits"}, object{"amount": "5.00", "currency": "USD", "write_off_overage": true}},
			}), change)}
		}

		It("are fixed fees for each license", func() {
			made(granting(nil)).shows(object{
				"price_type": "fixed_price", "billing_mode": "in_advance", "fixed_price_quantity": json.Number("5"), "credit_allocation": nil,
				"license_type": object{"id": license, "name": "Seat", "grouping_key": "seat_id"}, "unit_config": object{"unit_amount": "10.00"},
			})
		})

		It("may be named by adjustments", func() {
			b := body(granting(object{"reference_id": "seats"}))
			b["adjustments"] = adjusting(halved(object{"applies_to_price_ids": list{"seats"}}))
			plan := api.post("/v1/plans", b).expect(201)
			Expect(plan.at("adjustments[0].applies_to_price_ids")).To(Equal(plan.each("prices", "id")))
		})

		DescribeTable("are refused at the place that is wrong",
			func(change object, violations ...string) {
				for k, violation := range violations {
					violations[k] = "prices[0].license_allocation_price." + violation
				}
				api.post("/v1/plans", body(granting(change))).invalid(violations...)
			},
			Entry("granting nothing to anyone", object{"license_allocations": list{}}, "license_allocations: must not be empty"),
			Entry("granting what is not said", object{"license_allocations": absent}, "license_allocations: is required"),
			Entry("granting less than nothing", object{"license_allocations": list{object{"amount": "-1", "currency": "credits"}}}, "license_allocations[0].amount: "),
			Entry("granting a unit that is none", object{"license_allocations": list{object{"amount": "1", "currency": "tokens"}}}, "license_allocations[0].currency: "),
			Entry("to licenses of no type", object{"license_type_id": nil}, "license_type_id: is required"),
			Entry("by another model than unit", object{"model_type": "package"}, "model_type: must be unit"),
			Entry("for usage", object{"billable_metric_id": "any", "fixed_price_quantity": absent}, "billable_metric_id: "),
			Entry("of an amount that is none", object{"unit_config": object{"unit_amount": "ten"}}, "unit_config.unit_amount: "),
			Entry("with a member nobody knows", object{"colour": "red"}, "colour: "),
		)

		It("are the only price of licenses in a plan", func() {
			second := object{"price": with(fee(item), object{"name": "More seats", "license_type_id": license})}
			api.post("/v1/plans", body(granting(nil), second)).invalid("prices[1].price.license_type_id: must be given once")
		})

		It("miss a license type that does not exist", func() {
			api.post("/v1/plans", body(granting(object{"license_type_id": "nope"}))).refuse(404, "404-resource-not-found", "LicenseType", "nope")
		})
	})

	It("PL-7: stand alone in an entry", func() {
		allocation := object{"amount": "1", "currency": "credits", "cadence": "monthly"}
		both := object{"price": fee(api.item("Seats")), "allocation_price": allocation}
		const place = "price, allocation_price, license_allocation_price: exactly one"
		api.post("/v1/plans", body(both)).invalid("prices[0]." + place)
		none := object{"price": nil, "allocation_price": nil, "license_allocation_price": nil}
		api.post("/v1/plans", body(object{"allocation_price": allocation}, none)).invalid("prices[1]." + place)
		api.post("/v1/plans", body(object{"price": nil, "allocation_price": allocation, "license_allocation_price": nil})).expect(201)
	})
})
