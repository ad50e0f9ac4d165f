package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// adjusting are the entries of a request for those adjustments.
func adjusting(adjustments ...object) list {
	entries := list{}
	for _, adjustment := range adjustments {
		entries = append(entries, object{"adjustment": adjustment})
	}
	return entries
}

// halved is the body of a discount of half of all prices, or of those that change
// says.
func halved(change object) object {
	return with(object{"adjustment_type": "percentage_discount", "percentage_discount": json.Number("0.5")}, change)
}

// filter is the body of a filter, and how one is shown.
func filter(field, operator string, values ...any) object {
	return object{"field": field, "operator": operator, "values": values}
}

var _ = Describe("Adjustments of plans", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-03-01T10:00:00Z") })

	// body is a plan of a fee and of calls, which its adjustments may name.
	body := func(adjustments ...object) object {
		return object{"name": "Pro", "currency": "USD", "adjustments": adjusting(adjustments...), "prices": list{
			object{"price": with(s.fee("10.00"), object{"reference_id": "fee"})},
			object{"price": with(s.calls("0.10"), object{"reference_id": "calls"})},
		}}
	}
	made := func(adjustments ...object) value {
		GinkgoHelper()
		plan := s.post("/v1/plans", body(adjustments...)).expect(201)
		Expect(s.get("/v1/plans/" + plan.text("id")).expect(200).json).To(Equal(plan.json))
		return plan
	}

	DescribeTable("are shown as they were sent, with the filters that they mean",
		func(kind string, own object) {
			if own["item_id"] != nil {
				own = with(own, object{"item_id": s.item})
			}
			plan := made(with(own, object{"adjustment_type": kind, "applies_to_item_ids": list{s.item}}))
			Expect(plan.list("adjustments")).To(Equal(list{with(own, object{
				"id": plan.at("adjustments[0].id"), "adjustment_type": kind, "is_invoice_level": true, "plan_phase_order": nil, "reason": nil,
				"replaces_adjustment_id": nil, "applies_to_price_ids": list{}, "filters": list{filter("item_id", "includes", s.item)},
			})}))
		},
		Entry("a percentage", "percentage_discount", object{"percentage_discount": json.Number("0.125")}),
		Entry("an amount", "amount_discount", object{"amount_discount": "5.5"}),
		Entry("units", "usage_discount", object{"usage_discount": json.Number("12.5")}),
		Entry("a minimum", "minimum", object{"minimum_amount": "100", "item_id": "the item"}),
		Entry("a maximum", "maximum", object{"maximum_amount": "1000.00"}),
		Entry("bands", "tiered_percentage_discount", object{"tiers": list{
			object{"lower_bound": json.Number("0"), "upper_bound": json.Number("100"), "percentage": json.Number("0")},
			object{"lower_bound": json.Number("100"), "upper_bound": nil, "percentage": json.Number("0.2")},
		}}),
	)

	DescribeTable("are for the prices that they say",
		func(change object, filters ...object) {
			shown := list{}
			for _, filter := range filters {
				shown = append(shown, filter)
			}
			Expect(made(halved(change)).at("adjustments[0].filters")).To(Equal(shown))
		},
		Entry("all", object{"applies_to_all": true}),
		Entry("all, when nothing is said", object{"applies_to_all": nil, "applies_to_item_ids": nil, "applies_to_price_ids": nil, "filters": nil, "currency": nil, "price_type": nil}),
		Entry("those of filters", object{"filters": list{filter("price_type", "excludes", "usage"), filter("currency", "includes", "USD")}},
			filter("price_type", "excludes", "usage"), filter("currency", "includes", "USD")),
		Entry("those of a type, in one of several currencies", object{"price_type": "fixed_in_advance", "currency": list{"USD", "EUR"}},
			filter("currency", "includes", "USD", "EUR"), filter("price_type", "includes", "fixed_in_advance")),
		Entry("those in one currency", object{"currency": "USD"}, filter("currency", "includes", "USD")),
	)

	It("name prices of the request by their reference_id, which is not shown", func() {
		plan := made(halved(object{"applies_to_price_ids": list{"calls", "fee"}}), halved(object{"applies_to_price_ids": list{"fee"}, "is_invoice_level": false}))
		ids := plan.each("prices", "id")
		Expect(plan.each("adjustments", "applies_to_price_ids")).To(Equal(list{list{ids[1], ids[0]}, list{ids[0]}}))
		Expect(plan.each("adjustments", "is_invoice_level")).To(Equal(list{true, false}))
		Expect(plan.at("adjustments[0].filters")).To(Equal(list{filter("price_id", "includes", ids[1], ids[0])}))
		Expect(plan.has("prices[0].reference_id")).To(BeFalse())
	})

	Describe("in their older form", func() {
		older := func(discount, minimum, maximum any) object {
			amount := func(of any, field string) any {
				if shown, is := of.(object); is {
					return shown[field]
				}
				return nil
			}
			return object{
				"discount": discount, "minimum": minimum, "minimum_amount": amount(minimum, "minimum_amount"),
				"maximum": maximum, "maximum_amount": amount(maximum, "maximum_amount"),
			}
		}
		everything := func(own object) object {
			return with(object{"applies_to_price_ids": list{}, "filters": list{}}, own)
		}
		minimum := func(amount string, change object) object {
			return with(object{"adjustment_type": "minimum", "minimum_amount": amount, "item_id": s.item}, change)
		}
		maximum := object{"adjustment_type": "maximum", "maximum_amount": "500"}

		It("show on the plan: the first of each kind at the level of invoices", func() {
			plan := made(
				minimum("1", object{"applies_to_price_ids": list{"fee"}, "is_invoice_level": false}),
				minimum("20", nil), minimum("30", nil), maximum, halved(nil), object{"adjustment_type": "amount_discount", "amount_discount": "5"},
			)
			plan.shows(older(
				everything(object{"discount_type": "percentage", "percentage_discount": json.Number("0.5"), "reason": nil}),
				everything(object{"minimum_amount": "20"}), everything(object{"maximum_amount": "500"}),
			))
		})

		It("show on a price: those that are below that level and for it alone", func() {
			plan := made(
				object{"adjustment_type": "usage_discount", "usage_discount": 100, "applies_to_price_ids": list{"calls"}, "is_invoice_level": false},
				minimum("20", object{"applies_to_price_ids": list{"calls"}, "is_invoice_level": false}),
				with(maximum, object{"applies_to_price_ids": list{"calls"}}), halved(object{"is_invoice_level": false}),
			)
			calls := plan.at("prices[1].id")
			only := func(own object) object {
				return with(object{"applies_to_price_ids": list{calls}, "filters": list{filter("price_id", "includes", calls)}}, own)
			}
			plan.entry("prices", 0).shows(older(nil, nil, nil))
			plan.entry("prices", 1).shows(older(
				only(object{"discount_type": "usage", "usage_discount": json.Number("100"), "reason": nil}), only(object{"minimum_amount": "20"}), nil,
			))
			plan.shows(older(nil, nil, only(object{"maximum_amount": "500"})))
		})

		It("show on a phase: those of it", func() {
			two := body()
			two["plan_phases"] = list{object{"order": 1, "duration": 1}, object{"order": 2}}
			for k, entry := range two["prices"].(list) {
				entry.(object)["plan_phase_order"] = k + 1
			}
			two["adjustments"] = list{
				object{"adjustment": maximum, "plan_phase_order": 2},
				object{"adjustment": halved(nil), "plan_phase_order": 1}, object{"adjustment": minimum("20", nil), "plan_phase_order": 1},
			}
			plan := s.post("/v1/plans", two).expect(201)
			discount := everything(object{"discount_type": "percentage", "percentage_discount": json.Number("0.5"), "reason": nil})
			least, most := everything(object{"minimum_amount": "20"}), everything(object{"maximum_amount": "500"})
			plan.entry("plan_phases", 0).shows(older(discount, least, nil))
			plan.entry("plan_phases", 1).shows(older(nil, nil, most))
			plan.shows(older(discount, least, most))
			Expect(plan.each("adjustments", "plan_phase_order")).To(Equal(list{json.Number("2"), json.Number("1"), json.Number("1")}))
		})
	})

	DescribeTable("are refused at the place that is wrong",
		func(adjustment object, violations ...string) {
			for k, violation := range violations {
				violations[k] = "adjustments[1].adjustment" + violation
			}
			s.post("/v1/plans", body(halved(nil), adjustment)).invalid(violations...)
			Expect(s.get("/v1/plans").expect(200).list("data")).To(BeEmpty())
		},
		Entry("of no kind", object{"percentage_discount": json.Number("0.5")}, ".adjustment_type: "),
		Entry("of an unknown kind", halved(object{"adjustment_type": "gift"}), ".adjustment_type: "),
		Entry("without its number", halved(object{"percentage_discount": absent}), ".percentage_discount: is required"),
		Entry("with the number of another kind", halved(object{"amount_discount": "5"}), ".amount_discount: "),
		Entry("with a member nobody knows", halved(object{"colour": "red"}), ".colour: "),
		Entry("of more than all", halved(object{"percentage_discount": json.Number("1.01")}), ".percentage_discount: "),
		Entry("of less than nothing", object{"adjustment_type": "amount_discount", "amount_discount": "-5"}, ".amount_discount: "),
		Entry("of fewer units than none", object{"adjustment_type": "usage_discount", "usage_discount": -1}, ".usage_discount: "),
		Entry("of an amount that is a number", object{"adjustment_type": "maximum", "maximum_amount": 5}, ".maximum_amount: "),
		Entry("to a minimum without an item", object{"adjustment_type": "minimum", "minimum_amount": "5"}, ".item_id: is required"),
		Entry("in one band", object{"adjustment_type": "tiered_percentage_discount", "tiers": list{object{"lower_bound": 0, "percentage": 0}}}, ".tiers: must have at least 2"),
		Entry("in bands with a gap", object{"adjustment_type": "tiered_percentage_discount", "tiers": list{
			object{"lower_bound": 0, "upper_bound": 10, "percentage": 0}, object{"lower_bound": 11, "percentage": 1},
		}}, ".tiers[1].lower_bound: "),
		Entry("of two targets", halved(object{"applies_to_all": true, "applies_to_price_ids": list{"fee"}}),
			".applies_to_all, applies_to_item_ids, applies_to_price_ids, filters: "),
		Entry("of all, said otherwise", halved(object{"applies_to_all": false}), ".applies_to_all: "),
		Entry("of a price that is not there", halved(object{"applies_to_price_ids": list{"fee", "nope"}}), ".applies_to_price_ids[1]: is neither a price of the plan nor a reference_id"),
		Entry("of a price twice", halved(object{"applies_to_price_ids": list{"fee", "fee"}}), ".applies_to_price_ids: must not have the same entry twice"),
		Entry("of an item twice", halved(object{"applies_to_item_ids": list{"a", "a"}}), ".applies_to_item_ids: must not have the same entry twice"),
		Entry("of two prices, below invoice level", halved(object{"applies_to_price_ids": list{"fee", "calls"}, "is_invoice_level": false}), ".applies_to_price_ids: "),
		Entry("of an amount of prices that are billed apart", object{"adjustment_type": "amount_discount", "amount_discount": "5", "applies_to_price_ids": list{"fee", "calls"}},
			".applies_to_price_ids[1]: must have the cadence, billing mode and currency of the first"),
		Entry("by a filter of an unknown field", halved(object{"filters": list{filter("colour", "includes", "red")}}), ".filters[0].field: "),
		Entry("by a filter that says more", halved(object{"filters": list{with(filter("item_id", "includes", "a"), object{"colour": "red"})}}), ".filters[0].colour: "),
		Entry("by a filter of nothing", halved(object{"filters": list{filter("item_id", "includes")}}), ".filters[0].values: "),
		Entry("of an unknown type of prices", halved(object{"price_type": "usage_price"}), ".price_type: "),
		Entry("in a currency that is none", halved(object{"currency": "usd"}), ".currency: "),
		Entry("with no level at all", halved(object{"is_invoice_level": nil}), ".is_invoice_level: must not be null"),
	)

	It("are refused for prices in custom units, and units of prices that have none", func() {
		in := func(price, adjustment object) object {
			b := body(adjustment)
			b["prices"] = append(b["prices"].(list), object{"price": with(price, object{"reference_id": "it"})})
			return b
		}
		of := object{"applies_to_price_ids": list{"it"}}
		credits := with(s.fee("1"), object{"name": "Credits", "currency": "credits", "conversion_rate": json.Number("0.1")})
		s.post("/v1/plans", in(credits, halved(of))).invalid("adjustments[0].adjustment.applies_to_price_ids[0]: must be a price in a real currency")
		share := with(s.fee("1"), object{"name": "Share", "model_type": "percent", "unit_config": absent, "percent_config": object{"percent": json.Number("0.1")}})
		units := with(of, object{"adjustment_type": "usage_discount", "usage_discount": 1})
		s.post("/v1/plans", in(share, units)).invalid("adjustments[0].adjustment.applies_to_price_ids[0]: is a composite price")
	})

	It("miss items that do not exist", func() {
		for _, adjustment := range []object{
			{"adjustment_type": "minimum", "minimum_amount": "5", "item_id": "nope"},
			halved(object{"applies_to_item_ids": list{"nope"}}), halved(object{"filters": list{filter("item_id", "excludes", "nope")}}),
		} {
			s.post("/v1/plans", body(adjustment)).refuse(404, "404-resource-not-found", "Item", "nope")
		}
	})

	It("need a name that one price of the request has", func() {
		b := body(halved(object{"applies_to_price_ids": list{"fee"}}))
		b["prices"] = append(b["prices"].(list), object{"price": with(s.fee("9"), object{"reference_id": "fee"})})
		s.post("/v1/plans", b).invalid("prices[2].price.reference_id: must differ")
	})
})
