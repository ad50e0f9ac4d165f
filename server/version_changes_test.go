package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("What versions of plans change", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-03-01T10:00:00Z") })

	const refused = "400-constraint-violation"
	replacing := func(price any, by object) object { return object{"replaces_price_id": price, "price": by} }

	Describe("of prices that adjustments name", func() {
		var plan value
		var versions string
		BeforeEach(func() {
			plan = s.plan(object{"adjustments": adjusting(halved(object{"applies_to_price_ids": list{"calls"}}))}, with(s.calls("0.10"), object{"reference_id": "calls"}))
			versions = "/v1/plans/" + plan.text("id") + "/versions"
		})

		It("is named by a replacement of the adjustment", func() {
			made := s.post(versions, object{"version": 2, "replace_prices": list{replacing(plan.at("prices[0].id"), s.calls("0.08"))}}).expect(201)
			Expect(made.list("adjustments")).To(HaveLen(1))
			made.entry("adjustments", 0).shows(object{
				"replaces_adjustment_id": plan.at("adjustments[0].id"), "applies_to_price_ids": list{made.at("prices[0].id")},
			})
			Expect(s.get(versions + "/1").expect(200).at("adjustments")).To(Equal(plan.at("adjustments")))
		})

		It("may be named by new ones: what stays, what is new by its reference_id, and what is replaced by either id", func() {
			made := s.post(versions, object{
				"version":         2,
				"replace_prices":  list{replacing(plan.at("prices[0].id"), with(s.calls("0.08"), object{"reference_id": "cheaper"}))},
				"add_prices":      list{object{"price": with(s.calls("0.01"), object{"reference_id": "new"})}},
				"add_adjustments": adjusting(halved(object{"applies_to_price_ids": list{plan.at("prices[0].id"), "new"}}), halved(object{"applies_to_price_ids": list{"cheaper"}})),
			}).expect(201)
			ids := made.each("prices", "id")
			Expect(made.each("adjustments", "applies_to_price_ids")).To(Equal(list{list{ids[0]}, list{ids[0], ids[1]}, list{ids[0]}}))
		})
	})

	It("stays in its phase, and is refused for another", func() {
		plan := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD", "plan_phases": list{object{"order": 1, "duration": 1}, object{"order": 2}},
			"prices":      list{object{"price": s.calls("0.10"), "plan_phase_order": 1}, object{"price": s.calls("0.20"), "plan_phase_order": 2}},
			"adjustments": list{object{"adjustment": halved(nil), "plan_phase_order": 1}},
		}).expect(201)
		versions := "/v1/plans/" + plan.text("id") + "/versions"
		price, adjustment := plan.at("prices[1].id"), plan.at("adjustments[0].id")
		for place, change := range map[string]object{
			"add_prices[0]":          {"add_prices": list{object{"price": s.calls("1")}}},
			"add_adjustments[0]":     {"add_adjustments": list{object{"adjustment": halved(nil), "plan_phase_order": 3}}},
			"remove_prices[0]":       {"remove_prices": list{object{"price_id": price, "plan_phase_order": 1}}},
			"replace_prices[0]":      {"replace_prices": list{with(replacing(price, s.calls("1")), object{"plan_phase_order": 1})}},
			"remove_adjustments[0]":  {"remove_adjustments": list{object{"adjustment_id": adjustment, "plan_phase_order": 2}}},
			"replace_adjustments[0]": {"replace_adjustments": list{object{"replaces_adjustment_id": adjustment, "adjustment": halved(nil), "plan_phase_order": 2}}},
		} {
			s.post(versions, with(change, object{"version": 2})).invalid(place + ".plan_phase_order: ")
		}
		made := s.post(versions, object{
			"version": 2, "replace_prices": list{with(replacing(price, s.calls("0.15")), object{"plan_phase_order": 2})},
			"replace_adjustments": list{object{"replaces_adjustment_id": adjustment, "adjustment": halved(nil)}},
		}).expect(201)
		Expect(made.each("prices", "plan_phase_order")).To(Equal(list{json.Number("1"), json.Number("2")}))
		Expect(made.each("adjustments", "plan_phase_order")).To(Equal(list{json.Number("1")}))
	})

	It("may be a price that grants credits", func() {
		allocation := object{"amount": "100", "currency": "credits", "cadence": "monthly"}
		plan := s.post("/v1/plans", object{"name": "Pro", "currency": "USD", "prices": list{object{"allocation_price": allocation}}}).expect(201)
		made := s.post("/v1/plans/"+plan.text("id")+"/versions", object{"version": 2, "replace_prices": list{object{
			"replaces_price_id": plan.at("prices[0].id"), "allocation_price": with(allocation, object{"amount": "200"}),
		}}}).expect(201)
		made.entry("prices", 0).shows(object{
			"replaces_price_id": plan.at("prices[0].id"), "fixed_price_quantity": json.Number("200"), "credit_allocation.currency": "credits",
		})
	})

	Describe("is refused as a whole", func() {
		var plan value
		var path string
		BeforeEach(func() {
			plan = s.plan(object{"adjustments": adjusting(halved(nil))}, s.calls("0.10"))
			path = "/v1/plans/" + plan.text("id")
		})

		DescribeTable("and nothing of it is made",
			func(change func(price, adjustment any) object, violations ...string) {
				body := with(object{"version": 2, "set_as_default": true}, change(plan.at("prices[0].id"), plan.at("adjustments[0].id")))
				s.post(path+"/versions", body).invalid(violations...)
				Expect(s.get(path).expect(200).json).To(Equal(plan.json))
				Expect(s.get("/v1/prices").expect(200).list("data")).To(HaveLen(1))
			},
			Entry("with two prices in one entry", func(_, _ any) object {
				return object{"add_prices": list{object{"price": s.calls("1"), "allocation_price": object{"amount": "1", "currency": "credits", "cadence": "monthly"}}}}
			}, "add_prices[0].price, allocation_price, license_allocation_price: "),
			Entry("with a replacement by nothing", func(price, _ any) object {
				return object{"replace_prices": list{object{"replaces_price_id": price}}}
			}, "replace_prices[0].price, allocation_price, license_allocation_price: "),
			Entry("replacing nothing", func(_, _ any) object {
				return object{"replace_prices": list{object{"price": s.calls("1")}}}
			}, "replace_prices[0].replaces_price_id: is required"),
			Entry("with a price that is wrong", func(_, _ any) object {
				return object{"add_prices": list{object{"price": s.calls("1")}, object{"price": s.calls("-1")}}}
			}, "add_prices[1].price.unit_config.unit_amount: "),
			Entry("with a price in another currency", func(price, _ any) object {
				return object{"replace_prices": list{replacing(price, with(s.calls("1"), object{"currency": "EUR"}))}}
			}, "replace_prices[0].price.currency: must be the plan's"),
			Entry("with an adjustment that is wrong", func(_, adjustment any) object {
				return object{"replace_adjustments": list{object{"replaces_adjustment_id": adjustment, "adjustment": halved(object{"percentage_discount": 2})}}}
			}, "replace_adjustments[0].adjustment.percentage_discount: "),
			Entry("with an adjustment of a price that is not there", func(_, _ any) object {
				return object{"add_adjustments": adjusting(halved(object{"applies_to_price_ids": list{"nope"}}))}
			}, "add_adjustments[0].adjustment.applies_to_price_ids[0]: "),
			Entry("with an adjustment of a price that goes", func(price, _ any) object {
				return object{"remove_prices": list{object{"price_id": price}}, "add_adjustments": adjusting(halved(object{"applies_to_price_ids": list{price}}))}
			}, "add_adjustments[0].adjustment.applies_to_price_ids[0]: "),
			Entry("removing a price twice", func(price, _ any) object {
				return object{"remove_prices": list{object{"price_id": price}, object{"price_id": price}}}
			}, "remove_prices[1].price_id: "),
			Entry("removing a price and replacing it", func(price, _ any) object {
				return object{"remove_prices": list{object{"price_id": price}}, "replace_prices": list{replacing(price, s.calls("1"))}}
			}, "replace_prices[0].replaces_price_id: "),
			Entry("replacing an adjustment twice", func(_, adjustment any) object {
				entry := object{"replaces_adjustment_id": adjustment, "adjustment": halved(nil)}
				return object{"replace_adjustments": list{entry, entry}}
			}, "replace_adjustments[1].replaces_adjustment_id: "),
			Entry("for every reason at once", func(_, _ any) object {
				return object{ // but for what the version does not have, which is told when the rest is right
					"remove_prices": list{object{"price_id": "nope"}}, "add_prices": list{object{"price": s.calls("-1"), "plan_phase_order": 1}},
					"remove_adjustments": list{object{"adjustment_id": "nope"}},
				}
			}, "add_prices[0].price.unit_config.unit_amount: ", "add_prices[0].plan_phase_order: "),
		)

		It("when it names an item or a metric that does not exist", func() {
			for noun, change := range map[string]object{"Item": {"item_id": "nope"}, "Metric": {"billable_metric_id": "nope"}} {
				body := object{"version": 2, "add_prices": list{object{"price": with(s.calls("1"), change)}}}
				s.post(path+"/versions", body).refuse(404, "404-resource-not-found", noun, "nope")
			}
		})

		It("under the Idempotency-Key of another", func() {
			key := header{"Idempotency-Key", "k1"}
			s.post(path+"/versions", object{"version": 2}, key).expect(201)
			s.post(path+"/versions", object{"version": 3}, key).refuse(409, "409-resource-conflict")
			s.post(path+"/versions", object{"version": 2}).refuse(400, refused, "greater than 2")
			s.get(path+"/versions/3").refuse(404, "404-resource-not-found", "PlanVersion", "3")
		})
	})
})
