package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// intervals asks for changes of a subscription's intervals.
func (a *api) intervals(sub string, change object) *answer {
	GinkgoHelper()
	return a.post("/v1/subscriptions/"+sub+"/price_intervals", change)
}

// edit is the request to change one interval.
func edit(interval string, change object) object {
	return object{"edit": list{with(object{"price_interval_id": interval}, change)}}
}

// adding is the request to add one interval.
func adding(interval object) object { return object{"add": list{interval}} }

// floating is a price as an interval has it: with its currency.
func floating(price object) object { return with(price, object{"currency": "USD"}) }

// spans writes the price intervals of a subscription as "name start to end".
func spans(subscription value) []string {
	GinkgoHelper()
	texts := []string{}
	for k := range subscription.list("price_intervals") {
		i := subscription.entry("price_intervals", k)
		end := "on"
		if i.at("end_date") != nil {
			end = i.text("end_date")[:10]
		}
		texts = append(texts, fmt.Sprintf("%s %s to %s", i.at("price.name"), i.text("start_date")[:10], end))
	}
	return texts
}

// based subscribes to a fee of 1 a day in March, and to other prices. It returns the
// subscription, its buyer and the interval of the fee.
func (s fixture) based(change object, prices ...object) (sub, buyer, base string) {
	GinkgoHelper()
	buyer = s.buyer(nil)
	after := s.subscribe(buyer, change, append([]object{s.fee("31.00")}, prices...)...)
	return after.text("id"), buyer, after.entry("price_intervals", 0).text("id")
}

var _ = Describe("POST /v1/subscriptions/{subscription_id}/price_intervals", func() {
	Describe("add", func() {
		It("bills a new fee from a date ahead, and usage of one that is past", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, buyer, _ := s.based(nil)
			s.use(buyer, "2025-03-01T00:00:00Z", "7")
			s.clock("2025-03-05T00:00:00Z")
			after := s.intervals(sub, object{"add": list{
				object{"price": floating(with(s.fee("62.00"), object{"name": "Extra"})), "start_date": "2025-03-16"},
				object{"price": floating(s.calls("1.00")), "start_date": "2025-03-01"},
			}}).expect(200)
			Expect(spans(after)).To(Equal([]string{"Fee 2025-03-01 to on", "Extra 2025-03-16 to on", "Calls 2025-03-01 to on"}))
			Expect(changed(after)).To(Equal([]string{"2025-03-16 draft 32.00"}))
			s.clock("2025-04-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{
				"2025-03-01 issued 31.00", "2025-03-16 issued 32.00", "2025-04-01 issued 100.00", "2025-05-01 draft 93.00",
			}))
		})

		It("invoices a fee of the past at once, for each date since", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, _, _ := s.based(nil)
			s.clock("2025-04-10T00:00:00Z")
			after := s.intervals(sub, adding(object{"price": floating(s.fee("62.00")), "start_date": "2025-03-22"})).expect(200)
			Expect(changed(after)).To(Equal([]string{"2025-03-22 issued 20.00", "2025-04-01 issued 62.00"}))
		})

		It("takes prices that are named, to the end of the term", func() {
			s := newFixture("2025-03-10T00:00:00Z")
			sub, _, _ := s.based(nil)
			s.post("/v1/prices", with(floating(s.fee("9.00")), object{"external_price_id": "extra"})).expect(201)
			named := s.post("/v1/prices", with(floating(s.fee("22.00")), object{"name": "Named"})).expect(201).text("id")
			after := s.intervals(sub, object{"add": list{
				object{"price_id": named, "start_date": "start_of_term", "end_date": "end_of_term"},
				object{"external_price_id": "extra", "start_date": "end_of_term"},
			}}).expect(200)
			Expect(spans(after)[1:]).To(Equal([]string{"Named 2025-03-10 to 2025-04-01", "Fee 2025-04-01 to on"}))
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-10 issued 22.00", "2025-03-10 issued 15.61", "2025-04-01 draft 40.00"}))
		})

		It("takes the older forms of adjustments, for the price alone and its time", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, buyer, _ := s.based(nil)
			s.use(buyer, "2025-03-01T00:00:00Z", "100")
			after := s.intervals(sub, object{"add": list{
				object{
					"price": floating(s.calls("1.00")), "start_date": "2025-03-01", "end_date": "2025-04-01",
					"minimum_amount": 10, "maximum_amount": 50.5, "discounts": list{object{"discount_type": "usage", "usage_discount": 20}},
				},
				object{
					"price": floating(with(s.calls("1.00"), object{"name": "Less"})), "start_date": "2025-03-01",
					"discounts": list{object{"discount_type": "percentage", "percentage_discount": 0.25}, object{"discount_type": "amount", "amount_discount": 5}},
				},
			}}).expect(200)
			Expect(after.each("minimum_intervals", "minimum_amount")).To(Equal(list{"10.00"}))
			Expect(after.each("maximum_intervals", "end_date")).To(Equal(list{"2025-04-01T00:00:00+00:00"}))
			Expect(after.list("discount_intervals")).To(HaveLen(3))
			Expect(lines(s.get("/v1/invoices/upcoming?subscription_id=" + sub).expect(200))).To(ContainElements("Calls 2025-03-01 to 2025-04-01: 50.50", "Less 2025-03-01 to 2025-04-01: 71.25"))
		})

		It("takes allocation prices, quantities to come and values for parameters", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, buyer, _ := s.based(nil)
			s.use(buyer, "2025-03-01T00:00:00Z", `3, "region": "eu"`, `4, "region": "us"`)
			metric := s.api.metric("SELECT SUM(n) FROM events WHERE region = {{region}}")
			after := s.intervals(sub, object{"add": list{
				object{"allocation_price": object{"amount": "10", "cadence": "monthly", "currency": "USD", "per_unit_cost_basis": "0.5"}, "start_date": "2025-04-01"},
				object{"price": floating(with(s.calls("1.00"), object{"billable_metric_id": metric})), "start_date": "2025-03-01", "metric_parameter_overrides": object{"region": "eu"}},
				object{
					"price": floating(with(s.fee("2.00"), object{"name": "Seats"})), "start_date": "2025-04-01",
					"fixed_fee_quantity_transitions": list{object{"effective_date": "2025-04-16", "quantity": 3}, object{"effective_date": "2025-05-01T08:00:00Z", "quantity": 2}},
				},
			}}).expect(200)
			Expect(after.entry("price_intervals", 2).at("metric_parameter_overrides")).To(Equal(object{"region": "eu"}))
			Expect(after.entry("price_intervals", 3).at("fixed_fee_quantity_transitions")).To(Equal(list{
				object{"price_id": after.entry("price_intervals", 3).at("price.id"), "effective_date": "2025-04-16T00:00:00+00:00", "quantity": number("3")},
				object{"price_id": after.entry("price_intervals", 3).at("price.id"), "effective_date": "2025-05-01T00:00:00+00:00", "quantity": number("2")},
			}))
			s.clock("2025-05-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{
				"2025-03-01 issued 31.00", "2025-04-01 issued 41.00", "2025-04-16 issued 2.00", "2025-05-01 issued 40.00", "2025-06-01 draft 40.00",
			}))
		})

		It("counts for whom it says, and what passes its filter, and is edited to count others", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			sub, buyer, _ := s.based(nil)
			child := s.buyer(object{"hierarchy": object{"parent_customer_id": buyer}})
			s.use(buyer, "2025-03-01T00:00:00Z", `1, "region": "eu"`, `2, "region": "us"`)
			s.use(child, "2025-03-01T00:00:00Z", `10, "region": "eu"`, `20, "region": "us"`)
			after := s.intervals(sub, adding(object{
				"price": floating(s.calls("1.00")), "start_date": "2025-03-01", "usage_customer_ids": list{buyer, child}, "filter": "region = 'eu'",
			})).expect(200)
			calls := after.entry("price_intervals", 1)
			calls.shows(object{"usage_customer_ids": list{buyer, child}, "filter": "region = 'eu'"})
			Expect(s.bills(sub)[1]).To(Equal("2025-04-01 draft 42.00"))
			s.intervals(sub, edit(calls.text("id"), object{"filter": nil})).expect(200)
			Expect(s.bills(sub)[1]).To(Equal("2025-04-01 draft 64.00"))
			s.intervals(sub, edit(calls.text("id"), object{"usage_customer_ids": nil})).expect(200)
			Expect(s.bills(sub)[1]).To(Equal("2025-04-01 draft 34.00"))
			s.intervals(sub, edit(calls.text("id"), object{"usage_customer_ids": list{s.buyer(nil)}})).
				refuse(400, "400-constraint-violation", "edit[0].usage_customer_ids[0]: must be the customer")
			s.intervals(sub, edit(calls.text("id"), object{"usage_customer_ids": list{s.buyer(nil)}, "filter": "region ="})).invalid("edit[0].filter: ")
			s.intervals(sub, edit(after.entry("price_intervals", 0).text("id"), object{"filter": "region = 'eu'"})).invalid("edit[0].filter: can be given for usage prices only")
		})

		DescribeTable("refuses",
			func(change object, beginnings ...string) {
				s := newFixture("2025-03-10T00:00:00Z")
				sub, _, _ := s.based(object{"end_date": "2025-09-01"})
				s.intervals(sub, adding(with(object{"price": floating(s.fee("1.00")), "start_date": "2025-03-10"}, change))).invalid(beginnings...)
			},
			Entry("no start", object{"start_date": absent}, "add[0].start_date: is required"),
			Entry("a start that is no date", object{"start_date": "soon"}, "add[0].start_date: must be a date"),
			Entry("a start before that of the subscription", object{"start_date": "2025-03-09"}, "add[0].start_date: must not be before the start"),
			Entry("a start at its end", object{"start_date": "2025-09-01"}, "add[0].start_date: must be before the end"),
			Entry("an end after its end", object{"end_date": "2025-09-02"}, "add[0].end_date: must not be after the end"),
			Entry("an end at the start", object{"end_date": "2025-03-10"}, "add[0].end_date: must be after start_date"),
			Entry("an end before it", object{"end_date": "2025-03-09"}, "add[0].end_date: must not be before start_date"),
			Entry("no price", object{"price": absent}, "add[0].price, allocation_price, price_id, external_price_id: exactly one"),
			Entry("two prices", object{"price_id": "x"}, "add[0].price, allocation_price, price_id, external_price_id: exactly one"),
			Entry("a quantity below zero", object{"fixed_fee_quantity_transitions": list{object{"effective_date": "2025-04-01", "quantity": -1}}},
				"add[0].fixed_fee_quantity_transitions[0].quantity: must not be negative"),
			Entry("a quantity of a day before it", object{"fixed_fee_quantity_transitions": list{object{"effective_date": "2025-03-01", "quantity": 1}}},
				"add[0].fixed_fee_quantity_transitions[0].effective_date: must lie in the interval"),
			Entry("two quantities of one day", object{"fixed_fee_quantity_transitions": list{
				object{"effective_date": "2025-04-01", "quantity": 1}, object{"effective_date": "2025-04-01T09:00:00Z", "quantity": 2},
			}}, "add[0].fixed_fee_quantity_transitions[1].effective_date: must differ"),
			Entry("a discount without its value", object{"discounts": list{object{"discount_type": "amount", "usage_discount": 1}}},
				"add[0].discounts[0].amount_discount: is required", "add[0].discounts[0].usage_discount: must not be given"),
			Entry("parameters of a fee", object{"metric_parameter_overrides": object{"a": 1}}, "add[0].metric_parameter_overrides: must be empty"),
			Entry("a member that there is none of", object{"phase": 1}, "add[0].phase: "),
		)
	})
})
