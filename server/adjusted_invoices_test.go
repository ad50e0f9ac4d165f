package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// adjusted makes a plan with adjustments, subscribes a new buyer to it and returns
// both ids.
func (s fixture) adjusted(plan, change object) (buyer, sub string) {
	GinkgoHelper()
	buyer = s.buyer(nil)
	id := s.post("/v1/plans", with(object{"name": "Pro", "currency": "USD"}, plan)).expect(201).text("id")
	return buyer, s.post("/v1/subscriptions", with(object{"customer_id": buyer, "plan_id": id}, change)).expect(201).text("id")
}

var _ = Describe("Adjusted invoices", func() {
	It("show on each line what every adjustment did, in the order of their kinds", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		mine := object{"applies_to_price_ids": list{"calls"}}
		buyer, sub := s.adjusted(object{
			"prices": list{object{"price": with(s.calls("1.00"), object{"reference_id": "calls"})}},
			"adjustments": list{
				object{"adjustment": off("maximum", "maximum_amount", "50", nil)},
				object{"adjustment": off("minimum", "minimum_amount", "10", with(mine, object{"item_id": s.item}))},
				object{"adjustment": off("tiered_percentage_discount", "tiers", list{
					object{"lower_bound": 0, "upper_bound": 40, "percentage": 0}, object{"lower_bound": 40, "upper_bound": nil, "percentage": 0.1},
				}, nil)},
				object{"adjustment": off("percentage_discount", "percentage_discount", 0.1, with(mine, object{"is_invoice_level": false}))},
				object{"adjustment": off("amount_discount", "amount_discount", "20.0", nil)},
				object{"adjustment": off("usage_discount", "usage_discount", 5, object{"filters": list{object{"field": "item_id", "operator": "includes", "values": list{s.item}}}})},
			},
		}, nil)
		s.use(buyer, "2025-03-01T00:00:00Z", "100")
		bill := s.invoices(sub).entry("data", 0)
		line := bill.entry("line_items", 0)
		Expect(line.each("adjustments", "adjustment_type")).To(Equal(list{
			"usage_discount", "amount_discount", "percentage_discount", "tiered_percentage_discount", "minimum", "maximum",
		}))
		Expect(line.each("adjustments", "amount")).To(Equal(list{"-5.00", "-20.00", "-7.50", "-2.75", "0.00", "-14.75"}))
		line.shows(object{
			"subtotal": "100.00", "adjusted_subtotal": "50.00", "amount": "50.00",
			"adjustments[0].usage_discount": json.Number("5"), "adjustments[0].filters[0].field": "item_id", "adjustments[0].applies_to_price_ids": list{},
			"adjustments[1].amount_discount": "20.0", "adjustments[2].percentage_discount": json.Number("0.1"), "adjustments[2].is_invoice_level": false,
			"adjustments[2].applies_to_price_ids[0]": line.at("price.id"), "adjustments[3].tiers[1].percentage": json.Number("0.1"),
			"adjustments[4].minimum_amount": "10", "adjustments[4].item_id": s.item, "adjustments[5].maximum_amount": "50",
			"adjustments[5].reason": nil, "adjustments[5].replaces_adjustment_id": nil, "price.discount.percentage_discount": json.Number("0.1"),
		})
		bill.shows(object{"subtotal": "100.00", "total": "50.00", "maximum_amount": "50", "maximum.maximum_amount": "50", "minimum_amount": "10"})
		Expect(bill.each("discounts", "discount_type")).To(Equal(list{"amount", "tiered_percentage"}))
		Expect(bill.at("discount")).To(Equal(bill.at("discounts[0]")))
		Expect(bill.at("discount.amount_discount")).To(Equal("20.0"))
		upcoming := s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200)
		Expect(upcoming.at("line_items")).To(Equal(bill.at("line_items")))
		Expect(upcoming.at("discounts")).To(Equal(bill.at("discounts")))
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.get("/v1/invoices/" + bill.text("id")).expect(200).at("line_items")).To(Equal(bill.at("line_items")))
	})

	It("show no discount, minimum or maximum that is not of the whole invoice or has no line on it", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		_, sub := s.adjusted(object{
			"prices": list{object{"price": with(s.fee("31.00"), object{"reference_id": "fee"})}, object{"price": with(s.calls("1.00"), object{"reference_id": "calls"})}},
			"adjustments": list{
				object{"adjustment": off("amount_discount", "amount_discount", "1.00", object{"applies_to_price_ids": list{"fee"}, "is_invoice_level": false})},
				object{"adjustment": off("minimum", "minimum_amount", "5.00", object{"applies_to_price_ids": list{"calls"}, "item_id": s.item})},
			},
		}, nil)
		all := s.invoices(sub)
		all.entry("data", 1).shows(object{"total": "30.00", "discount": nil, "discounts": list{}, "minimum": nil, "minimum_amount": nil, "maximum": nil})
		all.entry("data", 0).shows(object{"total": "35.00", "discounts": list{}, "minimum.minimum_amount": "5.00", "minimum_amount": "5.00"})
	})

	It("S-10: prorate the minimum of a first period that is cut", func() {
		s := newFixture("2025-04-11T00:00:00Z")
		buyer, sub := s.adjusted(object{
			"prices":      list{object{"price": s.calls("1.00")}},
			"adjustments": list{object{"adjustment": off("minimum", "minimum_amount", "100.00", object{"item_id": s.item})}},
		}, nil)
		s.use(buyer, "2025-04-11T00:00:00Z", "20")
		bill := s.invoices(sub).entry("data", 0)
		bill.shows(object{"subtotal": "20.00", "total": "66.67", "line_items[0].adjustments[0].amount": "46.67"})
		s.explain(bill, 0).entry("adjustments", 0).shows(object{
			"value": "66.67", "service_days": json.Number("20"), "billing_cycle_days": json.Number("30"),
		})
	})

	Describe("as costs", func() {
		costs := func(s fixture, sub, query string) value {
			return s.get("/v1/subscriptions/" + sub + "/costs" + query).expect(200)
		}
		quantities := func(all value) list { return all.each("data", "per_price_costs[0].quantity") }

		It("C-1, C-2: count a minimum in full from the first day", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			buyer, sub := s.adjusted(object{
				"prices":      list{object{"price": with(s.calls("2.00"), object{"reference_id": "calls"})}},
				"adjustments": list{object{"adjustment": off("minimum", "minimum_amount", "30.00", object{"item_id": s.item, "applies_to_price_ids": list{"calls"}, "is_invoice_level": false})}},
			}, nil)
			for _, day := range [][2]string{{"2025-03-01T10:00:00Z", "5"}, {"2025-03-03T10:00:00Z", "12"}, {"2025-03-04T10:00:00Z", "3"}} {
				s.clock(day[0])
				s.use(buyer, day[0], day[1])
			}
			s.clock("2025-03-04T23:00:00Z")
			cumulative := costs(s, sub, "")
			Expect(daily(cumulative)).To(Equal([]string{"03-01 to 03-02: 10.00", "03-01 to 03-03: 10.00", "03-01 to 03-04: 34.00", "03-01 to 03-05: 40.00"}))
			Expect(cumulative.each("data", "total")).To(Equal(list{"30.00", "30.00", "34.00", "40.00"}))
			Expect(cumulative.each("data", "per_price_costs[0].total")).To(Equal(list{"30.00", "30.00", "34.00", "40.00"}))
			Expect(quantities(cumulative)).To(Equal(list{json.Number("5"), json.Number("5"), json.Number("17"), json.Number("20")}))
			periodic := costs(s, sub, "?view_mode=periodic")
			Expect(daily(periodic)).To(Equal([]string{"03-01 to 03-02: 10.00", "03-02 to 03-03: 0.00", "03-03 to 03-04: 24.00", "03-04 to 03-05: 6.00"}))
			Expect(periodic.each("data", "total")).To(Equal(list{"30.00", "0.00", "4.00", "6.00"}))
			Expect(quantities(periodic)).To(Equal(list{json.Number("5"), json.Number("0"), json.Number("12"), json.Number("3")}))
		})

		It("C-5: take a percentage off each day", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			buyer, sub := s.adjusted(object{
				"prices":      list{object{"price": s.calls("4.00")}},
				"adjustments": list{object{"adjustment": off("percentage_discount", "percentage_discount", 0.25, nil)}},
			}, nil)
			s.use(buyer, "2025-03-01T00:00:00Z", "3")
			s.clock("2025-03-02T10:00:00Z")
			s.use(buyer, "2025-03-02T10:00:00Z", "1")
			cumulative, periodic := costs(s, sub, ""), costs(s, sub, "?view_mode=periodic")
			Expect(cumulative.each("data", "subtotal")).To(Equal(list{"12.00", "16.00"}))
			Expect(cumulative.each("data", "total")).To(Equal(list{"9.00", "12.00"}))
			Expect(periodic.each("data", "total")).To(Equal(list{"9.00", "3.00"}))
		})
	})
})

var _ = Describe("Sub-line items", func() {
	It("show cells with the quantity that was charged, and groups", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		model := func(name, model string, config object) object {
			return with(s.calls(""), object{"name": name, "model_type": model, "unit_config": absent, model + "_config": config})
		}
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, nil,
			model("Scaled", "scalable_matrix_with_unit_pricing", object{
				"first_dimension": "n", "unit_price": "0.50", "matrix_scaling_factors": list{object{"first_dimension_value": "2", "scaling_factor": "3"}},
			}),
			model("Grouped", "grouped_allocation", object{"allocation": "1", "grouping_key": "n", "overage_unit_rate": "2.00"}),
		).text("id")
		s.use(buyer, "2025-03-01T00:00:00Z", "2", "2")
		bill := s.invoices(sub).entry("data", 0)
		Expect(bill.list("line_items[0].sub_line_items")).To(Equal(list{object{
			"type": "matrix", "name": "2", "quantity": json.Number("4"), "scaled_quantity": json.Number("12"), "amount": "6.00", "grouping": nil,
			"matrix_config": object{"dimension_values": list{"2"}},
		}}))
		Expect(bill.list("line_items[1].sub_line_items")).To(Equal(list{object{
			"type": "'null'", "name": "2", "quantity": json.Number("4"), "amount": "6.00", "grouping": object{"key": "n", "value": "2"},
		}}))
		s.explain(bill, 1).shows(object{"rating.steps[0].scaled_quantity": json.Number("3"), "rating.steps[0].rate": "2.00"})
	})
})
