package server_test

import (
	"encoding/json"
	"maps"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// with returns a copy of a body with members changed; a change to absent takes
// the member away.
func with(body, change object) object {
	b := maps.Clone(body)
	for member, value := range change {
		if b[member] = value; value == absent {
			delete(b, member)
		}
	}
	return b
}

type absence struct{}

var absent = absence{}

// fee is the body of a fixed fee of 10.00 a month for an item.
func fee(item string) object {
	return object{
		"name": "Fee", "item_id": item, "cadence": "monthly",
		"model_type": "unit", "unit_config": object{"unit_amount": "10.00"},
	}
}

var _ = Describe("Prices", func() {
	var api *api
	var item string
	BeforeEach(func() {
		api = start()
		item = api.item("Seats")
	})

	addOn := func(change object) object { return with(with(fee(item), object{"currency": "USD"}), change) }

	Describe("POST /v1/prices", func() {
		It("makes a fixed fee in advance", func() {
			api.clock("2025-03-01T10:00:00Z")
			made := api.post("/v1/prices", addOn(object{"external_price_id": "seat", "metadata": object{"a": "1"}})).expect(201)
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "name": "Fee", "external_price_id": "seat", "created_at": "2025-03-01T10:00:00+00:00",
				"item": object{"id": item, "name": "Seats"}, "price_type": "fixed_price", "billing_mode": "in_advance",
				"cadence": "monthly", "billing_cycle_configuration": object{"duration": json.Number("1"), "duration_unit": "month"},
				"invoicing_cycle_configuration": nil, "invoice_grouping_key": nil, "billable_metric": nil,
				"fixed_price_quantity": json.Number("1"), "currency": "USD", "conversion_rate": nil, "conversion_rate_config": nil,
				"credit_allocation": nil, "composite_price_filters": nil, "dimensional_price_configuration": nil, "license_type": nil,
				"plan_phase_order": nil, "replaces_price_id": nil, "discount": nil, "minimum": nil, "minimum_amount": nil,
				"maximum": nil, "maximum_amount": nil, "metadata": object{"a": "1"},
				"model_type": "unit", "unit_config": object{"unit_amount": "10.00"},
			}))
		})

		It("makes a usage price in arrears", func() {
			metric := api.metric("SELECT COUNT(*) FROM events")
			made := api.post("/v1/prices", addOn(object{"billable_metric_id": metric, "billed_in_advance": true})).expect(201)
			Expect(made.at("price_type")).To(Equal("usage_price"))
			Expect(made.at("billing_mode")).To(Equal("in_arrear"))
			Expect(made.at("billable_metric")).To(Equal(object{"id": metric}))
			Expect(made.at("fixed_price_quantity")).To(BeNil())
		})

		DescribeTable("shows what else was said as it was sent",
			func(change object, shown object) {
				metric := api.metric("SELECT COUNT(*) FROM events")
				made := api.post("/v1/prices", addOn(with(object{"billable_metric_id": metric}, change))).expect(201)
				made.shows(shown)
				Expect(api.get("/v1/prices/" + made.text("id")).expect(200).json).To(Equal(made.json))
			},
			Entry("the property that invoices group by", object{"invoice_grouping_key": "region"}, object{"invoice_grouping_key": "region"}),
			Entry("the invoicing cycle", object{"invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}},
				object{"invoicing_cycle_configuration": object{"duration": json.Number("1"), "duration_unit": "month"}}),
			Entry("one rate of conversion", object{"currency": "credits", "conversion_rate": 0.25},
				object{"currency": "credits", "conversion_rate": json.Number("0.25"), "conversion_rate_config": nil}),
			Entry("a conversion by the unit", object{"currency": "credits", "conversion_rate_config": object{
				"conversion_rate_type": "unit", "unit_config": object{"unit_amount": "0.50"},
			}}, object{"conversion_rate": nil, "conversion_rate_config": object{
				"conversion_rate_type": "unit", "unit_config": object{"unit_amount": "0.50"},
			}}),
			Entry("a conversion in tiers", object{"currency": "credits", "conversion_rate_config": object{
				"conversion_rate_type": "tiered", "tiered_config": object{"tiers": list{
					object{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"}, object{"first_unit": 50, "unit_amount": "0.08"},
				}},
			}}, object{"conversion_rate_config": object{
				"conversion_rate_type": "tiered", "tiered_config": object{"tiers": list{
					object{"first_unit": json.Number("0"), "last_unit": json.Number("50"), "unit_amount": "0.10"},
					object{"first_unit": json.Number("50"), "unit_amount": "0.08"},
				}},
			}}),
			Entry("nothing, where that is said", object{
				"invoice_grouping_key": nil, "invoicing_cycle_configuration": nil, "conversion_rate": nil, "conversion_rate_config": nil,
				"dimensional_price_configuration": nil, "composite_price_filters": nil, "license_type_id": nil, "external_price_id": nil,
			}, object{"invoice_grouping_key": nil, "license_type": nil, "composite_price_filters": nil}),
		)

		It("makes a composite price, which charges for others", func() {
			filters := list{object{"field": "item_id", "operator": "excludes", "values": list{item}}}
			made := api.post("/v1/prices", addOn(object{
				"model_type": "percent", "unit_config": absent, "percent_config": object{"percent": 0.1}, "composite_price_filters": filters,
			})).expect(201)
			made.shows(object{
				"price_type": "composite_price", "billing_mode": "in_arrear", "composite_price_filters": filters,
				"fixed_price_quantity": nil, "billable_metric": nil,
			})
		})

		It("makes a price of licenses", func() {
			id := api.licenseType("Seat")
			made := api.post("/v1/prices", addOn(object{"license_type_id": id})).expect(201)
			shown := object{"id": id, "name": "Seat", "grouping_key": "seat_id"}
			Expect(made.at("license_type")).To(Equal(shown))
			Expect(api.get("/v1/prices/" + made.text("id")).expect(200).at("license_type")).To(Equal(shown))
			Expect(api.get("/v1/prices").expect(200).at("data[0].license_type")).To(Equal(shown))
			api.post("/v1/prices", addOn(object{"license_type_id": "nope"})).refuse(404, "404-resource-not-found", "LicenseType", "nope")
		})

		DescribeTable("shows the billing cycle",
			func(change object, duration, unit string) {
				made := api.post("/v1/prices", addOn(change)).expect(201)
				Expect(made.at("billing_cycle_configuration")).To(Equal(object{"duration": json.Number(duration), "duration_unit": unit}))
			},
			Entry("of a quarter", object{"cadence": "quarterly"}, "3", "month"),
			Entry("of a year", object{"cadence": "annual"}, "12", "month"),
			Entry("of ten days", object{"cadence": "custom", "billing_cycle_configuration": object{"duration": 10, "duration_unit": "day"}}, "10", "day"),
			Entry("of nothing, as a month", object{"cadence": "one_time"}, "1", "month"),
		)

		DescribeTable("refuses what is wrong in itself",
			func(change object, violations ...string) {
				api.post("/v1/prices", addOn(change)).invalid(violations...)
				Expect(api.get("/v1/prices").expect(200).list("data")).To(BeEmpty())
			},
			Entry("no configuration", object{"unit_config": absent}, "unit_config: "),
			Entry("the configuration of another model", object{"unit_config": absent, "package_config": object{}}, "package_config: ", "unit_config: "),
			Entry("two configurations", object{"package_config": object{"package_amount": "1", "package_size": 1}}, "package_config: "),
			Entry("an unknown model", object{"model_type": "magic"}, "model_type: "),
			Entry("an amount as a number", object{"unit_config": object{"unit_amount": 10}}, "unit_config.unit_amount: "),
			Entry("a negative amount", object{"unit_config": object{"unit_amount": "-1"}}, "unit_config.unit_amount: "),
			Entry("a negative quantity", object{"fixed_price_quantity": -1}, "fixed_price_quantity: "),
			Entry("a custom cadence without a cycle", object{"cadence": "custom"}, "billing_cycle_configuration: "),
			Entry("no currency", object{"currency": absent}, "currency: "),
			Entry("a currency that is none", object{"currency": "usd"}, "currency: "),
			Entry("a member nobody knows", object{"colour": "red"}, "colour: "),
			Entry("a name for adjustments, which it has none of", object{"reference_id": "a"}, "reference_id: is not a field"),
			Entry("credits that nothing turns into money", object{"currency": "credits"}, "conversion_rate: "),
			Entry("a rate of conversion below zero", object{"currency": "credits", "conversion_rate": -1}, "conversion_rate: must be at least 0"),
			Entry("rates of conversion that differ", object{"currency": "credits", "conversion_rate": 1, "conversion_rate_config": object{
				"conversion_rate_type": "unit", "unit_config": object{"unit_amount": "2"},
			}}, "conversion_rate: "),
			Entry("a conversion of no kind", object{"currency": "credits", "conversion_rate_config": object{}}, "conversion_rate_config.conversion_rate_type: is required"),
			Entry("a conversion with a member nobody knows", object{"currency": "credits", "conversion_rate_config": object{
				"conversion_rate_type": "unit", "unit_config": object{"unit_amount": "2", "colour": "red"},
			}}, "conversion_rate_config.unit_config.colour: "),
			Entry("an invoicing cycle that is not the billing cycle", object{"invoicing_cycle_configuration": object{"duration": 10, "duration_unit": "day"}}, "invoicing_cycle_configuration: "),
			Entry("a fee shown by groups", object{"invoice_grouping_key": "region"}, "invoice_grouping_key: "),
			Entry("groups of no name", object{"invoice_grouping_key": ""}, "invoice_grouping_key: must not be empty"),
			Entry("other prices for one that is no composite", object{"composite_price_filters": list{
				object{"field": "item_id", "operator": "includes", "values": list{"a"}},
			}}, "composite_price_filters: "),
			Entry("a composite price with a quantity", object{
				"model_type": "minimum_composite", "unit_config": absent, "minimum_composite_config": object{"minimum_amount": "1"}, "fixed_price_quantity": 1,
			}, "fixed_price_quantity: "),
			Entry("a filter by what prices do not have", object{
				"model_type": "percent", "unit_config": absent, "percent_config": object{"percent": 1},
				"composite_price_filters": list{object{"field": "colour", "operator": "includes", "values": list{"red"}}},
			}, "composite_price_filters[0].field: must be one of"),
		)

		It("misses an item and a metric that do not exist", func() {
			api.post("/v1/prices", addOn(object{"item_id": "nope"})).refuse(404, "404-resource-not-found", "Item", "nope")
			api.post("/v1/prices", addOn(object{"billable_metric_id": "nope"})).refuse(404, "404-resource-not-found", "Metric", "nope")
		})

		It("refuses an alias that another add-on price bears", func() {
			api.post("/v1/prices", addOn(object{"external_price_id": "seat"})).expect(201)
			api.post("/v1/prices", addOn(object{"external_price_id": "seat"})).refuse(400, "400-duplicate-resource-creation")
		})
	})

	Describe("GET /v1/prices", func() {
		It("lists add-on prices and those of plans, the newest first", func() {
			api.post("/v1/prices", addOn(object{"name": "add-on"})).expect(201)
			api.plan(object{}, with(fee(item), object{"name": "of a plan"}))
			Expect(api.get("/v1/prices").expect(200).each("data", "name")).To(Equal(list{"of a plan", "add-on"}))
		})

		It("refuses a cursor it did not give", func() {
			api.get("/v1/prices?cursor=nope").invalid("cursor: ")
		})
	})

	Describe("GET /v1/prices/{price_id}", func() {
		It("shows the price as it was made", func() {
			made := api.post("/v1/prices", addOn(nil)).expect(201)
			Expect(api.get("/v1/prices/" + made.text("id")).expect(200).json).To(Equal(made.json))
		})

		It("misses what does not exist", func() {
			api.get("/v1/prices/nope").refuse(404, "404-resource-not-found", "Price", "nope")
		})
	})

	Describe("GET /v1/prices/external_price_id/{external_price_id}", func() {
		It("finds the add-on price before that of a plan", func() {
			made := api.post("/v1/prices", addOn(object{"external_price_id": "a/b c"})).expect(201)
			api.plan(object{}, with(fee(item), object{"external_price_id": "a/b c"}))
			Expect(api.get("/v1/prices/external_price_id/a%2Fb%20c").expect(200).json).To(Equal(made.json))
		})

		It("misses an alias that no price bears", func() {
			api.get("/v1/prices/external_price_id/nope").refuse(404, "404-resource-not-found", "Price", "nope")
		})
	})

	for _, form := range []string{"/v1/prices/{price_id}", "/v1/prices/external_price_id/{external_price_id}"} {
		at := func(id, alias string) string {
			return strings.NewReplacer("{price_id}", id, "{external_price_id}", alias).Replace(form)
		}

		Describe("PUT "+form, func() {
			It("merges metadata, and leaves the rest", func() {
				made := api.post("/v1/prices", addOn(object{"external_price_id": "seat", "metadata": object{"a": "1", "b": "2"}})).expect(201)
				path := at(made.text("id"), "seat")
				changed := api.put(path, object{"metadata": object{"a": nil, "c": "3"}}).expect(200)
				Expect(changed.json).To(Equal(with(made.json.(object), object{"metadata": object{"b": "2", "c": "3"}})))
				Expect(api.put(path, object{}).expect(200).json).To(Equal(changed.json))
				Expect(api.put(path, object{"metadata": nil}).expect(200).at("metadata")).To(Equal(object{}))
				Expect(api.get(path).expect(200).at("metadata")).To(Equal(object{}))
			})

			It("refuses to change anything else", func() {
				made := api.post("/v1/prices", addOn(object{"external_price_id": "seat"})).expect(201)
				api.put(at(made.text("id"), "seat"), object{"name": "Other"}).invalid("name: is not a field")
			})

			It("misses what does not exist", func() {
				api.put(at("nope", "nope"), object{}).refuse(404, "404-resource-not-found", "Price", "nope")
			})
		})
	}
})
