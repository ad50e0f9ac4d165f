package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/money"
	"tollkeeper/domain/user"
)

// explain shows the work for the k-th line of an invoice.
func (s fixture) explain(invoice value, k int) value {
	GinkgoHelper()
	line := invoice.at("line_items").(list)[k].(object)["id"].(string)
	shown := s.get("/v1/invoices/" + invoice.text("id") + "/line_items/" + line + "/explanation").expect(200)
	shown.addsUp()
	item := invoice.entry("line_items", k)
	shown.shows(object{
		"line_item_id": line, "invoice_id": invoice.at("id"), "name": item.at("name"), "price": item.at("price"),
		"quantity.value": item.at("quantity"), "rating.subtotal": item.at("subtotal"), "adjusted_subtotal": item.at("adjusted_subtotal"),
		"amount": item.at("amount"), "start_date": item.at("start_date"), "end_date": item.at("end_date"),
	})
	return shown
}

// addsUp fails the spec unless every step of an explanation leads to the next.
func (v value) addsUp() {
	GinkgoHelper()
	Expect(sumOf(v.each("rating.steps", "amount"))).To(Equal(decimal(v.at("rating.exact_subtotal"))), "the steps")
	Expect(sumOf(list{v.at("rating.exact_subtotal"), v.at("rating.rounding")})).To(Equal(decimal(v.at("rating.subtotal"))), "the rounding")
	adjusted := append(list{v.at("rating.subtotal")}, v.each("adjustments", "amount")...)
	Expect(sumOf(adjusted)).To(Equal(decimal(v.at("adjusted_subtotal"))), "the adjustments")
	before := v.at("rating.subtotal")
	for k := range v.list("adjustments") {
		a := v.entry("adjustments", k)
		Expect(a.at("before")).To(Equal(before))
		Expect(sumOf(list{a.at("before"), a.at("amount")})).To(Equal(decimal(a.at("after"))))
		before = a.at("after")
	}
	if len(v.list("groups")) > 0 {
		Expect(sumOf(v.each("groups", "amount"))).To(Equal(decimal(v.at("rating.subtotal"))), "the groups")
	}
	if v.at("conversion") != nil {
		Expect(sumOf(v.each("conversion.steps", "amount"))).To(Equal(decimal(v.at("conversion.converted"))), "the conversion")
		Expect(sumOf(list{v.at("amount"), v.at("partially_invoiced_amount")})).To(Equal(decimal(v.at("conversion.converted"))))
	} else {
		Expect(sumOf(list{v.at("amount"), v.at("partially_invoiced_amount")})).To(Equal(decimal(v.at("adjusted_subtotal"))))
	}
}

func sumOf(amounts list) string {
	GinkgoHelper()
	sum := money.Decimal{}
	for _, amount := range amounts {
		d, err := money.Parse(fmt.Sprint(amount)) // text or number
		Expect(err).NotTo(HaveOccurred())
		sum = sum.Add(d)
	}
	return sum.String()
}

func decimal(amount any) string {
	GinkgoHelper()
	return sumOf(list{amount})
}

var _ = Describe("GET /v1/invoices/{invoice_id}/line_items/{line_item_id}/explanation", func() {
	// draft subscribes a buyer from the first of March on, lets it use that, and returns the draft of April.
	draft := func(s fixture, plan object, numbers ...string) value {
		GinkgoHelper()
		buyer := s.buyer(nil)
		made := s.post("/v1/plans", with(object{"name": "Pro", "currency": "USD"}, plan)).expect(201).text("id")
		sub := s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": made}).expect(201).text("id")
		if len(numbers) > 0 {
			s.use(buyer, "2025-03-01T00:00:00Z", numbers...)
		}
		return s.invoices(sub).entry("data", 0)
	}
	priced := func(prices ...object) list {
		entries := list{}
		for _, price := range prices {
			entries = append(entries, object{"price": price})
		}
		return entries
	}
	model := func(price object, name string, config object) object {
		return with(price, object{"model_type": name, "unit_config": absent, name + "_config": config})
	}

	It("shows each tier that was reached, exactly, and what rounding did", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		bill := draft(s, object{"prices": priced(model(s.calls(""), "tiered", object{"tiers": list{
			object{"first_unit": 0, "last_unit": 3, "unit_amount": "0.335"}, object{"first_unit": 3, "last_unit": nil, "unit_amount": "0.0007"},
		}}))}, "3.1", "2.7")
		shown := s.explain(bill, 0)
		shown.shows(object{
			"currency": "USD", "invoice_currency": "USD", "conversion": nil, "credits_applied": "0.00", "partially_invoiced_amount": "0.00",
			"quantity.source": "metric", "quantity.billable_metric.id": s.metric, "quantity.billable_metric.name": "Metric", "quantity.filter": nil,
			"quantity.billable_metric.sql": "SELECT SUM(n) FROM events WHERE event_name = 'call'", "quantity.customer": bill.at("customer"),
			"rating.model_type": "tiered", "rating.service_days": json.Number("31"), "rating.billing_cycle_days": json.Number("31"),
			"rating.prorated": false, "rating.exact_subtotal": "1.00696", "rating.rounding": "0.00304", "rating.subtotal": "1.01",
		})
		Expect(shown.list("rating.steps")).To(Equal(list{
			object{
				"kind": "tier", "name": "0 - 3", "quantity": json.Number("3"), "scaled_quantity": nil, "rate": "0.335", "amount": "1.005", "grouping": nil,
				"tier_config":      object{"first_unit": json.Number("0"), "last_unit": json.Number("3"), "unit_amount": "0.335"},
				"dimension_values": nil,
			},
			object{
				"kind": "tier", "name": "3+", "quantity": json.Number("2.8"), "scaled_quantity": nil, "rate": "0.0007", "amount": "0.00196", "grouping": nil,
				"tier_config":      object{"first_unit": json.Number("3"), "last_unit": nil, "unit_amount": "0.0007"},
				"dimension_values": nil,
			},
		}))
	})

	It("shows the days of a fee that is prorated, issued as in its draft", func() {
		s := newFixture("2025-01-15T00:00:00Z")
		sub := s.subscribe(s.buyer(object{"auto_issuance": false}), nil, with(s.fee("103.00"), object{"fixed_price_quantity": 3})).text("id")
		bill := s.invoices(sub).entry("data", 1)
		before := s.explain(bill, 0)
		before.shows(object{
			"quantity.source": "fixed_fee", "quantity.value": json.Number("3"), "quantity.billable_metric": nil,
			"rating.service_days": json.Number("17"), "rating.billing_cycle_days": json.Number("31"), "rating.prorated": true,
			"rating.steps[0].kind": "working", "rating.steps[0].name": "units", "rating.steps[0].rate": "103.00", "rating.subtotal": "169.45",
			"start_date": "2025-01-15T00:00:00+00:00", "end_date": "2025-02-01T00:00:00+00:00",
		})
		Expect(bill.at("line_items[0].sub_line_items")).To(BeEmpty())
		issued := s.post("/v1/invoices/"+bill.text("id")+"/issue", nil).expect(200)
		Expect(s.explain(issued, 0).json).To(Equal(before.json))
	})

	DescribeTable("adds up, whatever the model",
		func(price func(s fixture) object, numbers ...string) {
			s := newFixture("2025-03-01T00:00:00Z")
			bill := draft(s, object{
				"prices": priced(price(s)),
				"adjustments": list{
					object{"adjustment": off("usage_discount", "usage_discount", 1, nil)}, object{"adjustment": off("percentage_discount", "percentage_discount", 0.15, nil)},
					object{"adjustment": off("amount_discount", "amount_discount", "0.07", nil)},
				},
			}, numbers...)
			shown := s.explain(bill, 0)
			if parts := bill.list("line_items[0].sub_line_items"); len(parts) > 0 {
				Expect(sumOf(bill.each("line_items[0].sub_line_items", "amount"))).To(Equal(decimal(bill.at("line_items[0].subtotal"))))
			}
			Expect(shown.each("adjustments", "adjustment_type")).To(Equal(list{"usage_discount", "amount_discount", "percentage_discount"}))
		},
		Entry("unit", func(s fixture) object { return s.calls("0.333") }, "7", "0.5"),
		Entry("bulk", func(s fixture) object {
			return model(s.calls(""), "bulk", object{"tiers": list{object{"maximum_units": 10, "unit_amount": "0.337"}, object{"unit_amount": "0.1"}}})
		}, "10"),
		Entry("package", func(s fixture) object {
			return model(s.calls(""), "package", object{"package_amount": "1.005", "package_size": 4})
		}, "9"),
		Entry("matrix", func(s fixture) object {
			return model(s.calls(""), "matrix", object{"default_unit_amount": "0.333", "dimensions": list{"n", nil}, "matrix_values": list{
				object{"dimension_values": list{"2", nil}, "unit_amount": "0.777"},
			}})
		}, "2", "5", "2"),
		Entry("grouped_tiered", func(s fixture) object {
			return model(s.calls(""), "grouped_tiered", object{"grouping_key": "n", "tiers": list{
				object{"tier_lower_bound": "0", "unit_amount": "0.333"}, object{"tier_lower_bound": "3", "unit_amount": "0.111"},
			}})
		}, "2", "5"),
		Entry("tiered_with_minimum", func(s fixture) object {
			return model(s.calls(""), "tiered_with_minimum", object{"tiers": list{
				object{"tier_lower_bound": "0", "unit_amount": "0.01", "minimum_amount": "3.00"}, object{"tier_lower_bound": "100", "unit_amount": "0.001", "minimum_amount": "5.00"},
			}})
		}, "12"),
		Entry("unit, shown by groups", func(s fixture) object { return with(s.calls("0.333"), object{"invoice_grouping_key": "n"}) }, "1", "4", "4"),
		Entry("nothing that was used", func(s fixture) object { return s.calls("0.333") }),
	)

	It("splits a line over the groups that its price asks for", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		bill := draft(s, object{"prices": priced(with(model(s.calls(""), "tiered", object{"tiers": list{
			object{"first_unit": 0, "last_unit": 5, "unit_amount": "1.00"}, object{"first_unit": 5, "last_unit": nil, "unit_amount": "0.50"},
		}}), object{"invoice_grouping_key": "n"}))}, "2", "3", "3")
		grouping := func(value any) object { return object{"key": "n", "value": value} }
		Expect(s.explain(bill, 0).list("groups")).To(Equal(list{
			object{"grouping": grouping("2"), "quantity": json.Number("2"), "amount": "1.63"},
			object{"grouping": grouping("3"), "quantity": json.Number("6"), "amount": "4.87"},
		}))
		Expect(bill.list("line_items[0].sub_line_items")).To(Equal(list{
			object{"type": "'null'", "name": "2", "quantity": json.Number("2"), "amount": "1.63", "grouping": grouping("2")},
			object{"type": "'null'", "name": "3", "quantity": json.Number("6"), "amount": "4.87", "grouping": grouping("3")},
		}))
	})

	It("shows the worked example: how adjustments are split over lines", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		fee := func(name, amount string) object {
			return with(s.fee(amount), object{"name": name, "billed_in_advance": false, "reference_id": name})
		}
		bill := draft(s, object{
			"prices": priced(fee("compute", "120.00"), fee("storage", "80.00"), fee("egress", "40.00")),
			"adjustments": list{
				object{"adjustment": off("minimum", "minimum_amount", "300.00", object{"item_id": s.item})},
				object{"adjustment": off("percentage_discount", "percentage_discount", 0.25, object{"applies_to_price_ids": list{"storage"}, "is_invoice_level": false})},
				object{"adjustment": off("amount_discount", "amount_discount", "50.00", nil)},
			},
		})
		Expect(bill.at("total")).To(Equal("300.00"))
		amounts := func(k int) list { return s.explain(bill, k).each("adjustments", "amount") }
		Expect(amounts(0)).To(Equal(list{"-25.00", "68.63"}))
		Expect(amounts(1)).To(Equal(list{"-16.67", "-15.83", "34.32"}))
		Expect(amounts(2)).To(Equal(list{"-8.33", "22.88"}))
		Expect(bill.each("line_items", "adjusted_subtotal")).To(Equal(list{"163.63", "81.82", "54.55"}))
		minimum := s.explain(bill, 1).entry("adjustments", 2)
		minimum.shows(object{
			"adjustment_type": "minimum", "is_invoice_level": true, "value": "300", "lines": json.Number("3"), "base": "174.17", "whole": "125.83",
			"before": "47.50", "amount": "34.32", "after": "81.82", "service_days": json.Number("31"), "billing_cycle_days": json.Number("31"),
			"quantity_left": nil, "bands": list{},
		})
		quarter := s.explain(bill, 1).entry("adjustments", 1)
		quarter.shows(object{"value": "0.25", "lines": json.Number("1"), "service_days": nil, "billing_cycle_days": nil, "is_invoice_level": false})
	})

	It("shows what earlier documents of the period have of an adjustment", func() {
		s := newFixture("2025-01-01T00:00:00Z")
		acme := s.buyer(object{"auto_issuance": true})
		most := object{"adjustment_type": "maximum", "maximum_amount": "300.00", "applies_to_all": true}
		sub := s.subscribe(acme, object{"add_adjustments": list{object{"adjustment": most}}}, s.fee("100.00"), s.calls("1.00")).text("id")
		s.clock("2025-01-10T00:00:00Z")
		s.use(acme, "2025-01-10T00:00:00Z", "250")
		bill := s.invoices(sub).entry("data", 0)
		shown := s.explain(bill, 0)
		Expect(shown.at("name")).To(Equal("Calls"))
		shown.shows(object{"adjustments[0].base": "350.00", "adjustments[0].whole": "-50.00", "adjustments[0].earlier": "0.00", "adjustments[0].amount": "-50.00"})

		inParts := object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
		sub = s.subscribe(acme, object{"add_adjustments": list{object{"adjustment": most}}, "start_date": "2025-01-01"}, with(s.calls("2.00"), inParts)).text("id")
		s.clock("2025-02-10T00:00:00Z")
		s.use(acme, "2025-02-10T00:00:00Z", "30")
		bill = s.invoices(sub).entry("data", 0)
		shown = s.explain(bill, 0)
		shown.shows(object{"adjustments[0].base": "560.00", "adjustments[0].whole": "-260.00", "adjustments[0].earlier": "-200.00"})
		page := s.desk(user.RoleReader).see("/console/invoices/" + bill.text("id") + "?line=" + bill.entry("line_items", 0).text("id"))
		Expect(page.html).To(ContainSubstring("of −260.00 over its period, earlier documents have −200.00"))
	})

	It("shows what a usage discount leaves and which bands of a discount are reached", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		bill := draft(s, object{
			"prices": priced(s.calls("1.00")),
			"adjustments": list{
				object{"adjustment": off("usage_discount", "usage_discount", 20, nil)},
				object{"adjustment": off("tiered_percentage_discount", "tiers", list{
					object{"lower_bound": 0, "upper_bound": 50, "percentage": 0.1}, object{"lower_bound": 50, "percentage": 0.5},
				}, nil)},
			},
		}, "100")
		shown := s.explain(bill, 0)
		shown.shows(object{
			"adjustments[0].quantity_left": json.Number("80"), "adjustments[0].value": "20", "adjustments[0].after": "80.00",
			"adjustments[1].value": nil, "adjustments[1].amount": "-20.00", "amount": "60.00",
		})
		Expect(shown.list("adjustments[1].bands")).To(Equal(list{
			object{"name": "0 - 50", "spend": "50", "percentage": json.Number("0.1"), "amount": "5"},
			object{"name": "50+", "spend": "30", "percentage": json.Number("0.5"), "amount": "15"},
		}))
	})

	It("shows which lines a price of other prices charges for", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		share := with(model(s.fee(""), "percent", object{"percent": 0.1}), object{
			"name": "Support", "composite_price_filters": list{object{"field": "price_type", "operator": "includes", "values": list{"usage"}}},
		})
		bill := draft(s, object{"prices": priced(share, s.calls("2.00"), s.fee("9.00"))}, "30")
		shown := s.explain(bill, 0)
		calls := bill.entry("line_items", 1)
		shown.shows(object{
			"quantity.source": "other_prices", "quantity.composite_price_filters[0].values": list{"usage"}, "amount": "6.00",
			"rating.steps[0].name": "share of other prices", "rating.steps[0].quantity": json.Number("60"), "rating.steps[0].rate": "0.1",
		})
		Expect(shown.list("quantity.components")).To(Equal(list{object{
			"line_item_id": calls.at("id"), "price_id": calls.at("price.id"), "name": "Calls", "subtotal": "60.00",
		}}))
	})

	It("shows how a custom unit became money", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		bill := draft(s, object{"prices": priced(with(s.calls("0.5"), object{"currency": "credits", "conversion_rate_config": object{
			"conversion_rate_type": "tiered", "tiered_config": object{"tiers": list{
				object{"first_unit": 0, "last_unit": 50, "unit_amount": "0.10"}, object{"first_unit": 50, "last_unit": nil, "unit_amount": "0.08"},
			}},
		}}))}, "151")
		shown := s.explain(bill, 0)
		shown.shows(object{"currency": "credits", "invoice_currency": "USD", "rating.subtotal": "75.5", "amount": "7.04", "adjusted_subtotal": "75.5"})
		Expect(shown.list("conversion.steps")).To(Equal(list{
			object{"name": "0 - 50", "quantity": json.Number("50"), "rate": "0.10", "amount": "5.00"},
			object{"name": "50+", "quantity": json.Number("25.5"), "rate": "0.08", "amount": "2.04"},
		}))
		bill.shows(object{"subtotal": "7.04", "total": "7.04", "line_items[0].subtotal": "75.5", "line_items[0].amount": "7.04"})
	})

	It("misses invoices and lines that do not exist, and those of others", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		bill, other := draft(s, object{"prices": priced(s.fee("1"))}), draft(s, object{"prices": priced(s.fee("1"))})
		path := "/v1/invoices/" + bill.text("id") + "/line_items/"
		s.get("/v1/invoices/nope/line_items/nope/explanation").refuse(404, "404-resource-not-found", "Invoice", "nope")
		s.get(path+"nope/explanation").refuse(404, "404-resource-not-found", "InvoiceLineItem", "nope")
		s.get(path+other.text("line_items[0].id")+"/explanation").refuse(404, "404-resource-not-found", "InvoiceLineItem")
		s.account("test").get(path+bill.text("line_items[0].id")+"/explanation").refuse(404, "404-resource-not-found", "Invoice")
	})
})
