package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// off is the body of an adjustment of that type; its value is in field.
func off(kind, field string, amount any, change object) object {
	return with(object{"adjustment_type": kind, field: amount}, change)
}

var _ = Describe("A subscription that differs from its plan", func() {
	var s fixture
	var plan value
	var body object // of the subscription without differences
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		plan = s.plan(object{"adjustments": list{
			object{"adjustment": off("percentage_discount", "percentage_discount", 0.5, object{"applies_to_price_ids": list{"fee"}, "is_invoice_level": false})},
			object{"adjustment": off("minimum", "minimum_amount", "7.00", object{"item_id": s.item, "applies_to_price_ids": list{"calls"}, "is_invoice_level": false})},
		}}, with(s.fee("10.00"), object{"reference_id": "fee", "external_price_id": "base"}), with(s.calls("1.00"), object{"reference_id": "calls"}))
		body = object{"customer_id": s.buyer(nil), "plan_id": plan.at("id")}
	})
	fee := func() any { return plan.at("prices[0].id") }
	calls := func() any { return plan.at("prices[1].id") }
	ask := func(change object) *answer { return s.post("/v1/subscriptions", with(body, change)) }
	// charged writes what the invoice of the first of April charges for March and April.
	charged := func(answered *answer) []string {
		GinkgoHelper()
		all := s.invoices(answered.expect(201).text("id"))
		return lines(all.entry("data", 0))
	}

	It("has what the plan has without differences", func() {
		made := ask(nil)
		Expect(charged(made)).To(Equal([]string{"Calls 2025-03-01 to 2025-04-01: 7.00", "Fee 2025-04-01 to 2025-05-01: 5.00"}))
		sub := made.expect(201)
		Expect(sub.each("price_intervals", "price.id")).To(Equal(list{fee(), calls()}))
		Expect(sub.each("adjustment_intervals", "adjustment")).To(Equal(plan.list("adjustments")))
		Expect(sub.each("adjustment_intervals", "applies_to_price_interval_ids")).To(Equal(list{
			list{sub.at("price_intervals[0].id")}, list{sub.at("price_intervals[1].id")},
		}))
		sub.shows(object{
			"price_intervals[0].price.discount.percentage_discount": json.Number("0.5"), "price_intervals[1].price.minimum_amount": "7.00",
			"discount_intervals[0].discount_type": "percentage", "discount_intervals[0].percentage_discount": json.Number("0.5"),
			"discount_intervals[0].applies_to_price_interval_ids[0]": sub.at("price_intervals[0].id"),
			"minimum_intervals[0].minimum_amount":                    "7.00", "minimum_intervals[0].end_date": nil,
			"minimum_intervals[0].filters[0].values[0]": calls(), "maximum_intervals": list{}, "active_plan_phase_order": nil,
		})
		Expect(s.get("/v1/subscriptions/" + sub.text("id")).expect(200).at("adjustment_intervals")).To(Equal(sub.at("adjustment_intervals")))
	})

	Describe("add_prices", func() {
		It("adds new prices, add-on prices by id or alias, and allocations, behind those of the plan", func() {
			addOn := s.post("/v1/prices", with(s.fee("3.00"), object{"name": "Add-on", "currency": "USD", "external_price_id": "extra"})).expect(201)
			sub := ask(object{"add_prices": list{
				object{"price": with(s.fee("2.00"), object{"name": "New"})},
				object{"price_id": addOn.at("id"), "start_date": "2025-04-01"},
				object{"external_price_id": "extra", "end_date": "2025-04-01"},
				object{"allocation_price": object{"amount": "100", "currency": "credits", "cadence": "monthly", "per_unit_cost_basis": "0.01"}},
			}}).expect(201)
			Expect(sub.each("price_intervals", "price.name")).To(Equal(list{"Fee", "Calls", "New", "Add-on", "Add-on", "Credits"}))
			Expect(sub.at("price_intervals[3].price.id")).To(Equal(addOn.at("id")))
			Expect(sub.each("price_intervals", "start_date")).To(HaveEach(BeElementOf("2025-03-01T00:00:00+00:00", "2025-04-01T00:00:00+00:00")))
			Expect(s.bills(sub.text("id"))).To(Equal([]string{"2025-03-01 issued 11.00", "2025-04-01 draft 18.00"})) // 5 + 2 + 3 + 1, then 7 + 5 + 2 + 3 + 1
			s.get("/v1/prices/" + sub.at("price_intervals[2].price.id").(string)).expect(200)
			Expect(s.get("/v1/prices?limit=100").expect(200).each("data", "name")).NotTo(ContainElement("New"))
		})
		It("adjusts an added price alone by its older fields", func() {
			sub := ask(object{"add_prices": list{object{
				"price": with(s.calls("1.00"), object{"name": "More"}), "minimum_amount": "40.00", "maximum_amount": "90.00",
				"discounts": list{
					object{"discount_type": "percentage", "percentage_discount": 0.1}, object{"discount_type": "usage", "usage_discount": 2},
					object{"discount_type": "amount", "amount_discount": "5.00"},
				},
			}}}).expect(201)
			own := list{sub.at("price_intervals[2].id")}
			Expect(sub.each("adjustment_intervals", "adjustment.adjustment_type")).To(Equal(list{
				"percentage_discount", "minimum", "minimum", "maximum", "percentage_discount", "usage_discount", "amount_discount",
			}))
			for k := 2; k < 7; k++ {
				sub.entry("adjustment_intervals", k).shows(object{"applies_to_price_interval_ids": own, "adjustment.is_invoice_level": false})
			}
			sub.shows(object{
				"price_intervals[2].price.minimum_amount": "40.00", "price_intervals[2].price.maximum_amount": "90.00",
				"price_intervals[2].price.discount.discount_type": "percentage", "adjustment_intervals[2].adjustment.item_id": s.item,
				"maximum_intervals[0].maximum_amount": "90.00",
			})
			Expect(lines(s.invoices(sub.text("id")).entry("data", 0))).To(ContainElement("More 2025-03-01 to 2025-04-01: 40.00"))
		})
		It("adjusts a price that is named alone too", func() {
			addOn := s.post("/v1/prices", with(s.fee("3.00"), object{"name": "Add-on", "currency": "USD"})).expect(201).at("id")
			made := ask(object{"add_prices": list{object{"price_id": addOn, "discounts": list{object{"discount_type": "amount", "amount_discount": "1.00"}}}}})
			Expect(charged(made)).To(ContainElement("Add-on 2025-04-01 to 2025-05-01: 2.00"))
			made.expect(201).shows(object{"price_intervals[2].price.id": addOn, "price_intervals[2].price.discount.amount_discount": "1.00"})
			Expect(s.get("/v1/prices/" + addOn.(string)).expect(200).at("discount")).To(BeNil())
		})
		DescribeTable("refuses",
			func(entry func() object, violations ...string) {
				ask(object{"add_prices": list{entry()}}).invalid(violations...)
				Expect(s.get("/v1/subscriptions").expect(200).list("data")).To(BeEmpty())
			},
			Entry("no price", func() object { return object{} }, "add_prices[0].price, allocation_price, price_id, external_price_id: exactly one"),
			Entry("two prices", func() object { return object{"price": s.fee("1"), "price_id": fee()} },
				"add_prices[0].price, allocation_price, price_id, external_price_id: exactly one"),
			Entry("a price that is wrong", func() object { return object{"price": with(s.fee("-1"), object{"fixed_price_quantity": -1})} },
				"add_prices[0].price.fixed_price_quantity: ", "add_prices[0].price.unit_config.unit_amount: "),
			Entry("another currency", func() object { return object{"price": with(s.fee("1"), object{"currency": "EUR"})} },
				"add_prices[0].price.currency: must be the plan's"),
			Entry("a phase of a plan without", func() object { return object{"price": s.fee("1"), "plan_phase_order": 1, "minimum_amount": "1"} },
				"add_prices[0].plan_phase_order: must not be given"),
			Entry("parameters that the metric does not have", func() object { return object{"price": s.calls("1"), "metric_parameter_overrides": object{"n": 1}} },
				"add_prices[0].metric_parameter_overrides.n: is no parameter of the metric"),
			Entry("a negative minimum", func() object { return object{"price": s.fee("1"), "minimum_amount": "-1"} }, "add_prices[0].minimum_amount: must not be negative"),
			Entry("an amount that is none", func() object { return object{"price": s.fee("1"), "maximum_amount": "1e2"} }, "add_prices[0].maximum_amount: must be a decimal"),
			Entry("more than all off", func() object {
				return object{"price": s.fee("1"), "discounts": list{object{"discount_type": "percentage", "percentage_discount": 1.1}}}
			}, "add_prices[0].discounts[0].percentage_discount: must be from 0 to 1"),
			Entry("a discount of nothing", func() object { return object{"price": s.fee("1"), "discounts": list{object{"discount_type": "usage"}}} },
				"add_prices[0].discounts[0].usage_discount: is required"),
			Entry("a discount of two values", func() object {
				return object{"price": s.fee("1"), "discounts": list{object{"discount_type": "usage", "usage_discount": 1, "amount_discount": "1"}}}
			}, "add_prices[0].discounts[0].amount_discount: must not be given"),
			Entry("a minimum in credits", func() object {
				return object{"price": with(s.calls("1"), object{"currency": "credits", "conversion_rate": 1}), "minimum_amount": "1"}
			}, "add_prices[0].minimum_amount: must be a price in a real currency"),
			Entry("a minimum of credits that are granted", func() object {
				return object{"allocation_price": object{"amount": "1", "currency": "credits", "cadence": "monthly"}, "minimum_amount": "1"}
			}, "add_prices[0].allocation_price: takes no"),
			Entry("a start that is no date", func() object { return object{"price": s.fee("1"), "start_date": "soon"} }, "add_prices[0].start_date: "),
			Entry("a member nobody knows", func() object { return object{"price": s.fee("1"), "colour": "red"} }, "add_prices[0].colour: is not a field"),
		)
		It("takes no price of another subscription, and none that does not exist", func() {
			sub := ask(object{"add_prices": list{object{"price": s.fee("1")}}}).expect(201)
			ask(object{"add_prices": list{object{"price_id": sub.at("price_intervals[2].price.id")}}}).
				invalid("add_prices[0].price_id: must not be a price that was made for one subscription")
			ask(object{"add_prices": list{object{"price_id": "nope"}}}).refuse(404, "404-resource-not-found", "Price", "nope")
			ask(object{"add_prices": list{object{"external_price_id": "nope"}}}).refuse(404, "404-resource-not-found", "Price", "nope")
		})
	})

	Describe("remove_prices", func() {
		It("leaves out prices, by id or alias", func() {
			Expect(charged(ask(object{"remove_prices": list{object{"price_id": fee()}}}))).To(Equal([]string{"Calls 2025-03-01 to 2025-04-01: 7.00"}))
			sub := ask(object{"remove_prices": list{object{"external_price_id": "base"}, object{"price_id": calls()}}}).expect(201)
			Expect(sub.list("price_intervals")).To(BeEmpty())
			Expect(s.bills(sub.text("id"))).To(BeEmpty())
		})
		It("refuses what is no price of the plan", func() {
			remove := func(entries ...any) *answer { return ask(object{"remove_prices": entries}) }
			remove(object{}).invalid("remove_prices[0].price_id, external_price_id: exactly one")
			remove(object{"price_id": "nope"}).refuse(400, "400-constraint-violation", "remove_prices[0].price_id: must be a price of the version")
			remove(object{"external_price_id": "nope"}).refuse(400, "400-constraint-violation", "remove_prices[0].external_price_id: must be the alias of a price of the plan")
			remove(object{"price_id": fee()}, object{"external_price_id": "base"}).invalid("remove_prices[1].price_id: ")
		})
	})

	Describe("replace_prices", func() {
		replace := func(entry object) *answer {
			return ask(object{"replace_prices": list{with(object{"replaces_price_id": fee()}, entry)}})
		}
		It("puts a new price in the place of one, and keeps its adjustments", func() {
			made := replace(object{"price": with(s.fee("30.00"), object{"name": "Special"})})
			Expect(charged(made)).To(Equal([]string{"Calls 2025-03-01 to 2025-04-01: 7.00", "Special 2025-04-01 to 2025-05-01: 15.00"}))
			sub := made.expect(201)
			sub.shows(object{
				"price_intervals[0].price.name": "Special", "price_intervals[0].price.replaces_price_id": fee(),
				"price_intervals[0].price.discount.percentage_discount": json.Number("0.5"),
			})
			Expect(sub.each("adjustment_intervals", "adjustment.replaces_adjustment_id")).To(Equal(list{plan.at("adjustments[0].id"), nil}))
		})
		It("changes a quantity alone, of the price or of one that is named", func() {
			Expect(charged(replace(object{"fixed_price_quantity": 3}))).To(ContainElement("Fee 2025-04-01 to 2025-05-01: 15.00"))
			addOn := s.post("/v1/prices", with(s.fee("2.00"), object{"currency": "USD"})).expect(201).at("id")
			sub := replace(object{"price_id": addOn, "fixed_price_quantity": 2.5})
			Expect(charged(sub)).To(ContainElement("Fee 2025-04-01 to 2025-05-01: 2.50"))
			sub.expect(201).shows(object{"fixed_fee_quantity_schedule[0].quantity": json.Number("2.5")})
			Expect(charged(replace(object{"price_id": addOn}))).To(ContainElement("Fee 2025-04-01 to 2025-05-01: 1.00"))
		})
		It("lets older fields take the place of the price's own adjustments of their kind", func() {
			sub := ask(object{"replace_prices": list{object{
				"replaces_price_id": calls(), "price": s.calls("1.00"), "minimum_amount": "9.00", "discounts": list{object{"discount_type": "usage", "usage_discount": 1}},
			}}})
			Expect(charged(sub)).To(ContainElement("Calls 2025-03-01 to 2025-04-01: 9.00"))
			Expect(sub.expect(201).each("minimum_intervals", "minimum_amount")).To(Equal(list{"9.00"}))
		})
		It("refuses a price that the plan has not, and a quantity of it", func() {
			for _, entry := range []object{{"price": s.fee("1")}, {"fixed_price_quantity": 1}} {
				replace(with(object{"replaces_price_id": "nope"}, entry)).refuse(400, "400-constraint-violation", "replace_prices[0].replaces_price_id: must be a price")
			}
		})
		DescribeTable("refuses",
			func(entry func() object, violations ...string) { replace(entry()).invalid(violations...) },
			Entry("nothing in its place", func() object { return object{} },
				"replace_prices[0].price, allocation_price, price_id, external_price_id: exactly one"),
			Entry("a quantity of usage", func() object { return object{"replaces_price_id": calls(), "fixed_price_quantity": 1} },
				"replace_prices[0].fixed_price_quantity: can be given for fixed fees only"),
			Entry("a negative quantity", func() object { return object{"fixed_price_quantity": -1} },
				"replace_prices[0].price.fixed_price_quantity: must not be negative"),
			Entry("two quantities", func() object { return object{"price": s.fee("1"), "fixed_price_quantity": 1} },
				"replace_prices[0].fixed_price_quantity: must not be given beside"),
			Entry("parameters without a metric", func() object { return object{"price": s.fee("1"), "metric_parameter_overrides": object{"n": 1}} },
				"replace_prices[0].metric_parameter_overrides: must be empty, since the price has no metric"),
		)
	})

	Describe("price_overrides", func() {
		override := func(entry object) *answer { return ask(object{"price_overrides": list{entry}}) }
		It("give the same price other numbers, and keep the rest", func() {
			sub := override(object{"id": fee(), "model_type": "unit", "unit_config": object{"unit_amount": "40.00"}, "fixed_price_quantity": 2})
			Expect(charged(sub)).To(ContainElement("Fee 2025-04-01 to 2025-05-01: 40.00"))
			sub.expect(201).shows(object{
				"price_intervals[0].price.replaces_price_id": fee(), "price_intervals[0].price.name": "Fee",
				"price_intervals[0].price.unit_config.unit_amount": "40.00", "price_intervals[0].price.fixed_price_quantity": json.Number("2"),
				"price_intervals[0].price.discount.percentage_discount": json.Number("0.5"),
			})
		})
		It("remove with null, and keep what is left out", func() {
			none := override(object{"id": calls(), "minimum_amount": nil, "maximum_amount": "3.00"}).expect(201)
			none.shows(object{"minimum_intervals": list{}, "price_intervals[1].price.maximum_amount": "3.00", "price_intervals[1].price.minimum_amount": nil})
			Expect(none.list("discount_intervals")).To(HaveLen(1))
			Expect(override(object{"id": fee(), "discount": nil}).expect(201).at("discount_intervals")).To(BeEmpty())
			other := override(object{"id": fee(), "discount": object{"discount_type": "amount", "amount_discount": "1.00"}})
			Expect(charged(other)).To(ContainElement("Fee 2025-04-01 to 2025-05-01: 9.00"))
		})
		DescribeTable("refuse",
			func(entry func() object, violations ...string) { override(entry()).invalid(violations...) },
			Entry("no price", func() object { return object{} }, "price_overrides[0].id: is required"),
			Entry("another model", func() object {
				return object{"id": fee(), "model_type": "package", "package_config": object{"package_amount": "1", "package_size": 1}}
			}, "price_overrides[0].model_type: must be that of the price"),
			Entry("a model without numbers", func() object { return object{"id": fee(), "model_type": "unit"} }, "price_overrides[0].unit_config: is required"),
			Entry("numbers that are wrong", func() object {
				return object{"id": fee(), "model_type": "unit", "unit_config": object{"unit_amount": "-1"}}
			}, "price_overrides[0].unit_config.unit_amount: must not be negative"),
			Entry("another cadence", func() object { return object{"id": fee(), "cadence": "annual"} }, "price_overrides[0].cadence: is not a field"),
			Entry("a quantity of usage", func() object { return object{"id": calls(), "fixed_price_quantity": 2} }, "price_overrides[0].fixed_price_quantity: can be given for fixed fees only"),
			Entry("an amount as a number", func() object { return object{"id": fee(), "minimum_amount": 3} }, "price_overrides[0].minimum_amount: must be"),
			Entry("a negative maximum", func() object { return object{"id": fee(), "maximum_amount": "-3"} }, "price_overrides[0].maximum_amount: must not be negative"),
			Entry("a discount of more than all", func() object {
				return object{"id": fee(), "discount": object{"discount_type": "percentage", "percentage_discount": 2}}
			}, "price_overrides[0].discount.percentage_discount: must be from 0 to 1"),
		)
		It("refuse a price that the plan has not", func() {
			override(object{"id": "nope"}).refuse(400, "400-constraint-violation", "price_overrides[0].id: must be a price of the version")
		})
		It("and replacements are not for the same price", func() {
			ask(object{
				"replace_prices":  list{object{"replaces_price_id": fee(), "price": s.fee("1")}},
				"price_overrides": list{object{"id": fee()}},
			}).invalid("price_overrides[0].id: must be named once")
		})
	})

	Describe("adjustments", func() {
		It("are added, removed and replaced", func() {
			sub := ask(object{
				"add_prices": list{object{"price": with(s.fee("100.00"), object{"name": "Extra", "reference_id": "extra"})}},
				"add_adjustments": list{
					object{"adjustment": off("amount_discount", "amount_discount", "10.00", object{"applies_to_price_ids": list{"extra"}}), "end_date": "2025-04-01"},
					object{"adjustment": off("maximum", "maximum_amount", "60.00", nil), "start_date": "2025-04-01"},
				},
				"remove_adjustments": list{object{"adjustment_id": plan.at("adjustments[0].id")}},
				"replace_adjustments": list{object{
					"replaces_adjustment_id": plan.at("adjustments[1].id"), "adjustment": off("minimum", "minimum_amount", "20.00", object{"item_id": s.item, "applies_to_price_ids": list{calls()}}),
				}},
			}).expect(201)
			Expect(sub.each("adjustment_intervals", "adjustment.replaces_adjustment_id")).To(Equal(list{plan.at("adjustments[1].id"), nil, nil}))
			Expect(sub.each("adjustment_intervals", "start_date")).To(Equal(list{"2025-03-01T00:00:00+00:00", "2025-03-01T00:00:00+00:00", "2025-04-01T00:00:00+00:00"}))
			Expect(sub.each("adjustment_intervals", "end_date")).To(Equal(list{nil, "2025-04-01T00:00:00+00:00", nil}))
			// The maximum is for the fees that are billed in advance from its start on, not for the usage until then.
			Expect(s.bills(sub.text("id"))).To(Equal([]string{"2025-03-01 issued 100.00", "2025-04-01 draft 80.00"}))
		})
		DescribeTable("refuse",
			func(change func() object, violations ...string) { ask(change()).invalid(violations...) },
			Entry("a value that is wrong", func() object {
				return object{"add_adjustments": list{object{"adjustment": off("maximum", "maximum_amount", "-1", nil)}}}
			}, "add_adjustments[0].adjustment.maximum_amount: must not be negative"),
			Entry("a price that the subscription has not", func() object {
				return object{"add_adjustments": list{object{"adjustment": off("maximum", "maximum_amount", "1", object{"applies_to_price_ids": list{"nope"}})}}}
			}, "add_adjustments[0].adjustment.applies_to_price_ids[0]: is neither"),
			Entry("an end before the start", func() object {
				return object{"add_adjustments": list{object{"adjustment": off("maximum", "maximum_amount", "1", nil), "end_date": "2025-02-01"}}}
			}, "add_adjustments[0].end_date: must be after start_date"),
			Entry("several mistakes at once", func() object {
				return object{
					"add_adjustments": list{object{"adjustment": off("maximum", "maximum_amount", "-1", nil)}, object{"adjustment": off("maximum", "maximum_amount", "-2", nil)}},
					"price_overrides": list{object{"id": "nope"}}, // told when the rest is right
				}
			}, "add_adjustments[0].adjustment.maximum_amount: ", "add_adjustments[1].adjustment.maximum_amount: "),
		)
		It("refuse to remove or replace what is not there", func() {
			ask(object{"remove_adjustments": list{object{"adjustment_id": "nope"}}}).
				refuse(400, "400-constraint-violation", "remove_adjustments[0].adjustment_id: must be an adjustment")
			ask(object{"replace_adjustments": list{object{"replaces_adjustment_id": "nope", "adjustment": off("maximum", "maximum_amount", "1", nil)}}}).
				refuse(400, "400-constraint-violation", "replace_adjustments[0].replaces_adjustment_id: must be an adjustment")
		})
	})
})
