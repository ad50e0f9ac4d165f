package server_test

import (
	"encoding/json"
	"maps"

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

		DescribeTable("gives the configuration of every model back as it was sent",
			func(model, config string) {
				var sent object
				Expect(json.Unmarshal([]byte(config), &sent)).To(Succeed())
				metric := api.metric("SELECT COUNT(*) FROM events")
				made := api.post("/v1/prices", addOn(object{
					"billable_metric_id": metric, "model_type": model, "unit_config": absent, model + "_config": sent,
				})).expect(201)
				text, err := json.Marshal(made.at(model + "_config"))
				Expect(err).NotTo(HaveOccurred())
				Expect(text).To(MatchJSON(config))
				Expect(made.at("model_type")).To(Equal(model))
			},
			Entry("unit", "unit", `{"unit_amount": "0.10", "prorated": true}`),
			Entry("tiered", "tiered", `{"tiers": [{"first_unit": 0, "last_unit": 10, "unit_amount": "1.00"}, {"first_unit": 10, "last_unit": null, "unit_amount": "0.50"}]}`),
			Entry("package", "package", `{"package_amount": "5.00", "package_size": 1000}`),
			Entry("bulk", "bulk", `{"tiers": [{"maximum_units": 10, "unit_amount": "1.00"}, {"unit_amount": "0.50"}]}`),
			Entry("matrix", "matrix", `{"default_unit_amount": "1", "dimensions": ["region", null], "matrix_values": [{"dimension_values": ["<eu>", null], "unit_amount": "2.0"}]}`),
		)

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
})
