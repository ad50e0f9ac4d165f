package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("What plans are made of", func() {
	var s shop
	BeforeEach(func() { s = openShop("2025-01-01T00:00:00Z") })

	// plan asks for a plan of those entries.
	plan := func(change object, entries ...any) *answer {
		return s.post("/v1/plans", with(object{"name": "Pro", "currency": "USD", "prices": append(list{}, entries...)}, change))
	}

	Describe("Entries of prices", func() {
		allocation := object{"allocation_price": object{"amount": "100", "currency": "credits", "cadence": "monthly"}}
		granting := func(change object) object {
			return object{"allocation_price": with(allocation["allocation_price"].(object), change)}
		}

		DescribeTable("PL-7: have exactly one of three kinds",
			func(entry object) {
				if entry["price"] == "fee" {
					entry = with(entry, object{"price": s.fee("1.00")})
				}
				plan(nil, object{"price": s.fee("5.00")}, entry).invalid("prices[1].price, allocation_price, license_allocation_price: exactly one")
			},
			Entry("not two", with(allocation, object{"price": "fee"})),
			Entry("not none", object{}),
			Entry("not only nulls", object{"price": nil, "allocation_price": nil, "license_allocation_price": nil}),
		)

		It("may say null of the others", func() {
			plan(nil, with(allocation, object{"price": nil, "license_allocation_price": nil, "plan_phase_order": nil})).expect(201)
		})

		It("grant credits, and show as a fee for them", func() {
			made := plan(nil, granting(object{"per_unit_cost_basis": "0.10", "metadata": object{"a": "1"}})).expect(201).entry("prices", 0)
			made.shows(object{
				"name": "Credits", "price_type": "fixed_price", "billing_mode": "in_advance", "currency": "USD", "model_type": "unit",
				"unit_config": object{"unit_amount": "0.10"}, "fixed_price_quantity": json.Number("100"), "metadata": object{"a": "1"},
				"credit_allocation": object{"currency": "credits", "allows_rollover": true, "custom_expiration": nil, "filters": list{}, "license_type_id": nil},
			})
		})

		It("grant credits for some items, that expire", func() {
			filters := list{object{"field": "item_id", "operator": "includes", "values": list{s.item}}}
			made := plan(nil, granting(object{
				"item_id": s.item, "filters": filters, "custom_expiration": object{"duration": 2, "duration_unit": "month"},
			})).expect(201).entry("prices", 0)
			made.shows(object{
				"name": "Calls", "credit_allocation.allows_rollover": false, "credit_allocation.filters": filters,
				"credit_allocation.custom_expiration": object{"duration": json.Number("2"), "duration_unit": "month"},
				"unit_config":                         object{"unit_amount": "0.00"},
			})
			Expect(plan(nil, granting(object{"expires_at_end_of_cadence": true})).expect(201).at("prices[0].credit_allocation.allows_rollover")).To(BeFalse())
		})

		DescribeTable("refuse grants that are wrong in themselves",
			func(change object, violation string) {
				plan(nil, granting(change)).invalid("prices[0].allocation_price." + violation)
			},
			Entry("of nothing", object{"amount": "0"}, "amount: must be above 0"),
			Entry("of a number", object{"amount": 5}, "amount: must be a decimal string"),
			Entry("of no unit", object{"currency": "points"}, "currency: "),
			Entry("at a custom cadence", object{"cadence": "custom"}, "cadence: must be one of"),
			Entry("that expire in two ways", object{"expires_at_end_of_cadence": true, "custom_expiration": object{"duration": 1, "duration_unit": "day"}}, "custom_expiration: "),
			Entry("that expire at once", object{"custom_expiration": object{"duration": 0, "duration_unit": "day"}}, "custom_expiration.duration: "),
			Entry("for less than nothing", object{"per_unit_cost_basis": "-1"}, "per_unit_cost_basis: must not be negative"),
			Entry("filtered by anything but items", object{"filters": list{object{"field": "price_id", "operator": "includes", "values": list{"a"}}}}, "filters[0].field: must be item_id"),
			Entry("with a member nobody knows", object{"colour": "red"}, "colour: "),
		)

		It("miss an item of a grant that does not exist", func() {
			plan(nil, granting(object{"item_id": "nope"})).refuse(404, "404-resource-not-found", "Item", "nope")
		})

		It("grant credits to licenses", func() {
			license := func(change object) object {
				return object{"license_allocation_price": with(with(s.fee("20.00"), object{
					"license_type_id": s.licenseType("Seat"), "license_allocations": list{object{"amount": "100", "currency": "credits", "write_off_overage": true}},
				}), change)}
			}
			made := plan(nil, license(nil)).expect(201).entry("prices", 0)
			made.shows(object{"price_type": "fixed_price", "license_type.name": "Seat", "credit_allocation": nil})
			plan(nil, license(object{"license_allocations": list{}})).invalid("prices[0].license_allocation_price.license_allocations: must not be empty")
			plan(nil, license(object{"license_type_id": absent})).invalid("prices[0].license_allocation_price.license_type_id: ")
			plan(nil, license(object{"model_type": "package"})).invalid("prices[0].license_allocation_price.model_type: must be unit")
			plan(nil, license(nil), license(object{"name": "More"})).invalid("prices[1].license_allocation_price.license_type_id: ")
		})

		It("names prices for adjustments of the request, each once", func() {
			named := object{"price": with(s.fee("5.00"), object{"reference_id": "a"})}
			again := object{"price": with(s.calls("0.10"), object{"reference_id": "a"})}
			plan(nil, named, again).invalid("prices[1].price.reference_id: ")
		})
	})

	Describe("Adjustments", func() {
		entries := func() list {
			return list{
				object{"price": with(s.fee("10.00"), object{"reference_id": "fee"})},
				object{"price": with(s.calls("0.10"), object{"reference_id": "calls"})},
			}
		}
		adjusted := func(adjustment object) *answer {
			return plan(object{"adjustments": list{object{"adjustment": adjustment}}}, entries()...)
		}

		It("of every kind are shown as they were sent, for the prices that they name", func() {
			tiers := list{
				object{"lower_bound": json.Number("0"), "upper_bound": json.Number("100"), "percentage": json.Number("0.1")},
				object{"lower_bound": json.Number("100"), "upper_bound": nil, "percentage": json.Number("0.2")},
			}
			made := plan(object{"adjustments": list{
				object{"adjustment": object{"adjustment_type": "usage_discount", "usage_discount": 10, "applies_to_price_ids": list{"calls"}, "is_invoice_level": false}},
				object{"adjustment": object{"adjustment_type": "amount_discount", "amount_discount": "5.0", "applies_to_price_ids": list{"fee"}}},
				object{"adjustment": object{"adjustment_type": "percentage_discount", "percentage_discount": 0.15, "applies_to_all": true}},
				object{"adjustment": object{"adjustment_type": "tiered_percentage_discount", "tiers": tiers}},
				object{"adjustment": object{"adjustment_type": "minimum", "minimum_amount": "25.00", "item_id": s.item}},
				object{"adjustment": object{"adjustment_type": "maximum", "maximum_amount": "500", "applies_to_item_ids": list{s.item}}},
			}}, entries()...).expect(201)
			fee, calls := made.at("prices[0].id"), made.at("prices[1].id")
			shown := func(k int, invoiceLevel bool, priceIDs, filters list, own object) {
				GinkgoHelper()
				Expect(made.entry("adjustments", k).json).To(Equal(with(own, object{
					"id": made.entry("adjustments", k).at("id"), "is_invoice_level": invoiceLevel, "applies_to_price_ids": priceIDs, "filters": filters,
					"plan_phase_order": nil, "reason": nil, "replaces_adjustment_id": nil,
				})))
			}
			including := func(field string, value any) list {
				return list{object{"field": field, "operator": "includes", "values": list{value}}}
			}
			shown(0, false, list{calls}, including("price_id", calls), object{"adjustment_type": "usage_discount", "usage_discount": json.Number("10")})
			shown(1, true, list{fee}, including("price_id", fee), object{"adjustment_type": "amount_discount", "amount_discount": "5.0"})
			shown(2, true, list{}, list{}, object{"adjustment_type": "percentage_discount", "percentage_discount": json.Number("0.15")})
			shown(3, true, list{}, list{}, object{"adjustment_type": "tiered_percentage_discount", "tiers": tiers})
			shown(4, true, list{}, list{}, object{"adjustment_type": "minimum", "minimum_amount": "25.00", "item_id": s.item})
			shown(5, true, list{}, including("item_id", s.item), object{"adjustment_type": "maximum", "maximum_amount": "500"})

			made.shows(object{ // the first of each kind, in the form that came before
				"discount": object{
					"discount_type": "amount", "amount_discount": "5.0", "applies_to_price_ids": list{fee},
					"filters": including("price_id", fee), "reason": nil,
				},
				"minimum": object{"minimum_amount": "25.00", "applies_to_price_ids": list{}, "filters": list{}}, "minimum_amount": "25.00",
				"maximum_amount": "500", "maximum.filters": including("item_id", s.item),
				"prices[0].discount": nil, "prices[1].discount.discount_type": "usage", "prices[1].discount.usage_discount": json.Number("10"),
			})
			Expect(s.get("/v1/plans/" + made.text("id")).expect(200).json).To(Equal(made.json))
		})

		DescribeTable("are narrowed by currency and kind of price",
			func(change object, filters ...any) {
				made := adjusted(with(object{"adjustment_type": "percentage_discount", "percentage_discount": 1}, change)).expect(201)
				Expect(made.at("adjustments[0].filters")).To(HaveExactElements(filters...))
			},
			Entry("one currency", object{"currency": "USD"}, object{"field": "currency", "operator": "includes", "values": list{"USD"}}),
			Entry("several currencies", object{"currency": list{"USD", "credits"}}, object{"field": "currency", "operator": "includes", "values": list{"USD", "credits"}}),
			Entry("a kind of price", object{"price_type": "fixed_in_advance"}, object{"field": "price_type", "operator": "includes", "values": list{"fixed_in_advance"}}),
			Entry("filters of one's own", object{"filters": list{object{"field": "price_type", "operator": "excludes", "values": list{"usage"}}}},
				object{"field": "price_type", "operator": "excludes", "values": list{"usage"}}),
			Entry("nothing, where that is said", object{
				"applies_to_all": nil, "applies_to_item_ids": nil, "applies_to_price_ids": nil, "currency": nil, "filters": nil, "price_type": nil,
			}),
		)

		DescribeTable("are refused",
			func(adjustment object, violations ...string) {
				for i, v := range violations {
					violations[i] = "adjustments[0].adjustment." + v
				}
				adjusted(adjustment).invalid(violations...)
				Expect(s.get("/v1/plans").expect(200).list("data")).To(BeEmpty())
			},
			Entry("of no kind", object{"amount_discount": "5"}, "adjustment_type: is required"),
			Entry("of an unknown kind", object{"adjustment_type": "gift"}, "adjustment_type: must be one of"),
			Entry("without their number", object{"adjustment_type": "usage_discount"}, "usage_discount: is required"),
			Entry("with the number of another kind", object{"adjustment_type": "usage_discount", "usage_discount": 1, "amount_discount": "1"}, "amount_discount: is not a field"),
			Entry("off more than all", object{"adjustment_type": "percentage_discount", "percentage_discount": 1.01}, "percentage_discount: must be from 0 to 1"),
			Entry("off less than nothing", object{"adjustment_type": "amount_discount", "amount_discount": "-5"}, "amount_discount: must not be negative"),
			Entry("off an amount that is a number", object{"adjustment_type": "amount_discount", "amount_discount": 5}, "amount_discount: must be a decimal string"),
			Entry("to a minimum of no item", object{"adjustment_type": "minimum", "minimum_amount": "5"}, "item_id: is required"),
			Entry("in one band", object{"adjustment_type": "tiered_percentage_discount", "tiers": list{object{"lower_bound": 0, "percentage": 0.1}}}, "tiers: must have at least 2 entries"),
			Entry("for all and for some", object{"adjustment_type": "maximum", "maximum_amount": "5", "applies_to_all": true, "applies_to_price_ids": list{"fee"}},
				"applies_to_all, applies_to_item_ids, applies_to_price_ids, filters: "),
			Entry("for not all", object{"adjustment_type": "maximum", "maximum_amount": "5", "applies_to_all": false}, "applies_to_all: must be true"),
			Entry("for a price twice", object{"adjustment_type": "maximum", "maximum_amount": "5", "applies_to_price_ids": list{"fee", "fee"}}, "applies_to_price_ids: must not have the same entry twice"),
			Entry("for a price that is not there", object{"adjustment_type": "maximum", "maximum_amount": "5", "applies_to_price_ids": list{"nope"}}, "applies_to_price_ids[0]: "),
			Entry("of amounts over fees and usage", object{"adjustment_type": "maximum", "maximum_amount": "5", "applies_to_price_ids": list{"fee", "calls"}}, "applies_to_price_ids[1]: "),
			Entry("at neither level", object{"adjustment_type": "maximum", "maximum_amount": "5", "is_invoice_level": nil}, "is_invoice_level: must not be null"),
			Entry("for no currency", object{"adjustment_type": "maximum", "maximum_amount": "5", "currency": "usd"}, "currency: must be an ISO 4217 code or credits"),
			Entry("for a kind of price that is none", object{"adjustment_type": "maximum", "maximum_amount": "5", "price_type": "composite"}, "price_type: must be one of"),
			Entry("by a filter that knows more", object{"adjustment_type": "maximum", "maximum_amount": "5", "filters": list{
				object{"field": "item_id", "operator": "includes", "values": list{"a"}, "colour": "red"},
			}}, "filters[0].colour: is not a field"),
			Entry("by a filter of no values", object{"adjustment_type": "maximum", "maximum_amount": "5", "filters": list{
				object{"field": "item_id", "operator": "includes", "values": list{}},
			}}, "filters[0].values: "),
		)

		It("miss the item of a minimum", func() {
			adjusted(object{"adjustment_type": "minimum", "minimum_amount": "5", "item_id": "nope"}).refuse(404, "404-resource-not-found", "Item", "nope")
		})
	})

	Describe("Phases", func() {
		in := func(phase any) object { return object{"price": s.fee("10.00"), "plan_phase_order": phase} }

		It("are shown in their order, with their own adjustments", func() {
			made := plan(object{
				"plan_phases": list{object{"order": 2, "align_billing_with_phase_start_date": true}, object{"order": 1, "duration": 3}},
				"adjustments": list{object{
					"adjustment": object{"adjustment_type": "minimum", "minimum_amount": "25", "item_id": s.item}, "plan_phase_order": 2,
				}},
			}, in(1), in(2)).expect(201)
			Expect(made.each("plan_phases", "name")).To(Equal(list{"Phase 1", "Phase 2"}))
			Expect(made.each("plan_phases", "duration")).To(Equal(list{json.Number("3"), nil}))
			Expect(made.each("plan_phases", "duration_unit")).To(Equal(list{"monthly", nil}))
			Expect(made.each("plan_phases", "minimum_amount")).To(Equal(list{nil, "25"}))
			Expect(made.each("prices", "plan_phase_order")).To(Equal(list{json.Number("1"), json.Number("2")}))
			Expect(made.at("adjustments[0].plan_phase_order")).To(Equal(json.Number("2")))
		})

		It("may be none", func() {
			for _, none := range []any{nil, list{}} {
				Expect(plan(object{"plan_phases": none}, in(nil)).expect(201).at("plan_phases")).To(BeNil())
			}
		})

		DescribeTable("are refused",
			func(phases list, order any, violations ...string) {
				plan(object{"plan_phases": phases}, in(order)).invalid(violations...)
			},
			Entry("with a gap", list{object{"order": 1, "duration": 1}, object{"order": 3}}, 1, "plan_phases[1].order: "),
			Entry("without an order", list{object{"duration": 1}}, 1, "plan_phases[0].order: is required"),
			Entry("of no duration", list{object{"order": 1, "duration": 0}}, 1, "plan_phases[0].duration: must be at least 1"),
			Entry("without an end before others", list{object{"order": 1}, object{"order": 2}}, 1, "plan_phases[0].duration: "),
			Entry("in a unit that is none", list{object{"order": 1, "duration": 1, "duration_unit": "weekly"}}, 1, "plan_phases[0].duration_unit: must be one of"),
			Entry("with a member nobody knows", list{object{"order": 1, "name": "Trial"}}, 1, "plan_phases[0].name: is not a field"),
			Entry("with a price in none of them", list{object{"order": 1}}, nil, "prices[0].plan_phase_order: "),
			Entry("with a price in another", list{object{"order": 1}}, 2, "prices[0].plan_phase_order: "),
		)
	})
})
