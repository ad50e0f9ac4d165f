package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Phases of plans", func() {
	var api *api
	var item string
	BeforeEach(func() {
		api = start()
		item = api.item("Seats")
	})

	// ramp is a plan of those phases, with the same fee in each of these.
	ramp := func(phases list, orders ...any) object {
		prices := list{}
		for _, order := range orders {
			prices = append(prices, object{"price": fee(item), "plan_phase_order": order})
		}
		return object{"name": "Ramp", "currency": "USD", "plan_phases": phases, "prices": prices}
	}
	three := list{
		object{"order": 3},
		object{"order": 1, "duration": 14, "duration_unit": "daily", "align_billing_with_phase_start_date": true},
		object{"order": 2, "duration": 6, "duration_unit": nil, "align_billing_with_phase_start_date": nil},
	}

	It("are shown in their order, and prices with theirs", func() {
		plan := api.post("/v1/plans", ramp(three, 2, 1, 3)).expect(201)
		Expect(plan.each("prices", "plan_phase_order")).To(Equal(list{json.Number("2"), json.Number("1"), json.Number("3")}))
		phase := func(name string, order int, duration, unit any) object {
			at := value{plan.asked, plan.list("plan_phases")[order-1]}
			return object{
				"id": at.at("id"), "name": name, "description": nil, "order": at.at("order"), "duration": duration, "duration_unit": unit,
				"discount": nil, "minimum": nil, "minimum_amount": nil, "maximum": nil, "maximum_amount": nil,
			}
		}
		Expect(plan.at("plan_phases")).To(Equal(list{
			phase("Phase 1", 1, json.Number("14"), "daily"), phase("Phase 2", 2, json.Number("6"), "monthly"), phase("Phase 3", 3, nil, nil),
		}))
		Expect(plan.each("plan_phases", "order")).To(Equal(list{json.Number("1"), json.Number("2"), json.Number("3")}))
		Expect(api.get("/v1/plans/" + plan.text("id")).expect(200).json).To(Equal(plan.json))
		Expect(api.get("/v1/prices/" + plan.text("prices[0].id")).expect(200).at("plan_phase_order")).To(Equal(json.Number("2")))
	})

	DescribeTable("need not be there, or be without end",
		func(phases list, orders ...any) { api.post("/v1/plans", ramp(phases, orders...)).expect(201) },
		Entry("none", nil, nil),
		Entry("none of a list", list{}, nil),
		Entry("one that ends, and the subscription with it", list{object{"order": 1, "duration": 1, "duration_unit": "annual"}}, 1),
		Entry("one without a price", list{object{"order": 1, "duration": 1, "duration_unit": "semi_annual"}, object{"order": 2, "duration_unit": "quarterly"}}, 1),
	)

	DescribeTable("are refused",
		func(phases list, order any, violations ...string) {
			api.post("/v1/plans", ramp(phases, order)).invalid(violations...)
			Expect(api.get("/v1/plans").expect(200).list("data")).To(BeEmpty())
		},
		Entry("without an order", list{object{"duration": 1}}, 1, "plan_phases[0].order: is required"),
		Entry("with a gap", list{object{"order": 1, "duration": 1}, object{"order": 3}}, 1, "plan_phases[1].order: "),
		Entry("from 0", list{object{"order": 0}}, 1, "plan_phases[0].order: "),
		Entry("of one order", list{object{"order": 1, "duration": 1}, object{"order": 1}}, 1, "plan_phases[1].order: "),
		Entry("without end before the last", list{object{"order": 1}, object{"order": 2}}, 1, "plan_phases[0].duration: "),
		Entry("of no duration at all", list{object{"order": 1, "duration": 0}}, 1, "plan_phases[0].duration: "),
		Entry("of part of a month", list{object{"order": 1, "duration": 1.5}}, 1, "plan_phases[0].duration: "),
		Entry("of a unit that is none", list{object{"order": 1, "duration": 1, "duration_unit": "weekly"}}, 1, "plan_phases[0].duration_unit: "),
		Entry("longer than a hundred years", list{object{"order": 1, "duration": 101, "duration_unit": "annual"}}, 1, "plan_phases[0].duration: "),
		Entry("with a member nobody knows", list{object{"order": 1, "name": "Trial"}}, 1, "plan_phases[0].name: "),
		Entry("with a price in none of them", list{object{"order": 1}}, nil, "prices[0].plan_phase_order: is required"),
		Entry("with a price in one that is not there", list{object{"order": 1}}, 2, "prices[0].plan_phase_order: "),
		Entry("where there are none, by a price in the first", nil, 1, "prices[0].plan_phase_order: must not be given"),
	)

	It("are refused by an adjustment that is in none of them, or in one that is not there", func() {
		for order, words := range map[any]string{nil: "is required", 2: "must be that of a phase"} {
			body := ramp(list{object{"order": 1}}, 1)
			body["adjustments"] = list{object{"adjustment": halved(nil), "plan_phase_order": order}}
			api.post("/v1/plans", body).invalid("adjustments[0].plan_phase_order: " + words)
		}
	})

	It("may have the same price each, and are told apart by it", func() {
		plan := api.post("/v1/plans", ramp(three, 1, 2, 3)).expect(201)
		Expect(plan.each("prices", "name")).To(Equal(list{"Fee", "Fee", "Fee"}))
		api.post("/v1/plans", ramp(three, 1, 2, 3, 2)).invalid("prices[3]: must differ")
	})
})
