package server_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Versions of plans", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var plan value
	var path, price string
	BeforeEach(func() {
		s = newFixture("2025-01-01T00:00:00Z")
		plan = s.plan(object{"external_plan_id": "pro"}, s.calls("0.10"))
		path, price = "/v1/plans/"+plan.text("id"), plan.entry("prices", 0).text("id")
	})

	// cheaper is the body of version 2, in which a call costs 0.08.
	cheaper := func(change object) object {
		return with(object{"version": 2, "replace_prices": list{object{"replaces_price_id": price, "price": s.calls("0.08")}}}, change)
	}
	off := func(share json.Number) object {
		return object{"adjustment": object{"adjustment_type": "percentage_discount", "percentage_discount": share}}
	}

	for _, form := range []string{"/v1/plans/{plan_id}/versions", "/v1/plans/external_plan_id/{external_plan_id}/versions"} {
		at := func() string {
			return strings.NewReplacer("{plan_id}", plan.text("id"), "{external_plan_id}", "pro").Replace(form)
		}

		Describe("POST "+form, func() {
			It("makes a version that differs from the highest, and leaves the plan alone", func() {
				s.clock("2025-01-02T00:00:00Z")
				made := s.post(at(), cheaper(object{"add_prices": list{object{"price": s.fee("5.00")}}, "add_adjustments": list{off("0.1")}})).expect(201)
				made.shows(object{"version": json.Number("2"), "created_at": "2025-01-02T00:00:00+00:00", "plan_phases": nil})
				Expect(made.each("prices", "name")).To(Equal(list{"Calls", "Fee"}))
				Expect(made.each("prices", "replaces_price_id")).To(Equal(list{price, nil}))
				Expect(made.each("adjustments", "percentage_discount")).To(Equal(list{json.Number("0.1")}))
				Expect(s.get(path).expect(200).json).To(Equal(plan.json))
				Expect(s.get(at() + "/2").expect(200).json).To(Equal(made.json))
			})

			It("makes one version of a request that is repeated", func() {
				key := header{"Idempotency-Key", "k1"}
				made := s.post(at(), cheaper(nil), key).expect(201)
				Expect(s.post(at(), cheaper(nil), key).expect(201).json).To(Equal(made.json))
			})
		})

		Describe("GET "+form+"/{version}", func() {
			It("shows the first version as the plan was made", func() {
				found := s.get(at() + "/1").expect(200)
				Expect(found.at("prices")).To(Equal(plan.at("prices")))
				Expect(found.at("created_at")).To(Equal(plan.at("created_at")))
			})

			It("misses what no version is called", func() {
				for _, number := range []string{"0", "2", "-1", "latest", "1.0", "+1", "%201", "0x1", "2147483648", "99999999999999999999"} {
					s.get(at()+"/"+number).refuse(404, "404-resource-not-found", "PlanVersion")
				}
			})
		})
	}

	It("have numbers that only rise, with gaps if need be", func() {
		s.post(path+"/versions", cheaper(nil)).expect(201)
		s.post(path+"/versions", object{"version": 2}).refuse(400, refused, "greater than 2")
		s.post(path+"/versions", object{"version": 1}).refuse(400, refused)
		s.post(path+"/versions", object{"version": 5}).expect(201)
		Expect(s.get(path+"/versions/5").expect(200).each("prices", "unit_config.unit_amount")).To(Equal(list{"0.08"}))
		s.get(path+"/versions/3").refuse(404, "404-resource-not-found", "PlanVersion", "3")
	})

	It("keep the ids of what they do not change, and name what they replace", func() {
		second := s.post(path+"/versions", object{"version": 2, "add_adjustments": list{off("0.1"), off("0.2")}}).expect(201)
		Expect(second.each("prices", "id")).To(Equal(list{price}))
		ids := second.each("adjustments", "id")
		third := s.post(path+"/versions", object{
			"version": 3, "remove_prices": list{object{"price_id": price}}, "remove_adjustments": list{object{"adjustment_id": ids[0]}},
			"replace_adjustments": list{with(off("0.3"), object{"replaces_adjustment_id": ids[1]})},
		}).expect(201)
		Expect(third.list("prices")).To(BeEmpty())
		Expect(third.each("adjustments", "percentage_discount")).To(Equal(list{json.Number("0.3")}))
		Expect(third.each("adjustments", "replaces_adjustment_id")).To(Equal(ids[1:]))
		Expect(s.get(path + "/versions/2").expect(200).json).To(Equal(second.json))
	})

	It("have the phases of the plan, in which replacements stay", func() {
		ramp := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD", "plan_phases": list{object{"order": 2}, object{"order": 1, "duration": 3, "duration_unit": "monthly"}},
			"prices": list{object{"price": s.fee("20.00"), "plan_phase_order": 1}, object{"price": s.fee("60.00"), "plan_phase_order": 2}},
		}).expect(201)
		id := ramp.each("prices", "id")[1]
		made := s.post("/v1/plans/"+ramp.text("id")+"/versions", object{
			"version": 2, "replace_prices": list{object{"replaces_price_id": id, "price": s.fee("50.00")}},
		}).expect(201)
		Expect(made.each("prices", "plan_phase_order")).To(Equal(list{json.Number("1"), json.Number("2")}))
		Expect(made.list("plan_phases")).To(Equal(list{
			object{"id": ramp.at("plan_phases[0].id"), "name": "Phase 1", "description": nil, "order": json.Number("1"), "duration": json.Number("3"), "duration_unit": "monthly"},
			object{"id": ramp.at("plan_phases[1].id"), "name": "Phase 2", "description": nil, "order": json.Number("2"), "duration": nil, "duration_unit": nil},
		}))
	})

	DescribeTable("are refused where they change what the version before does not have, and not made",
		func(change object, words string) {
			s.post(path+"/versions", with(object{"version": 2}, change)).refuse(400, "400-constraint-violation", words)
			s.get(path+"/versions/2").refuse(404, "404-resource-not-found")
		},
		Entry("removing a price that is not there", object{"remove_prices": list{object{"price_id": "nope"}}}, "remove_prices[0].price_id: "),
		Entry("removing an adjustment that is not there", object{"remove_adjustments": list{object{"adjustment_id": "nope"}}}, "remove_adjustments[0].adjustment_id: "),
		Entry("replacing an adjustment that is not there", object{"replace_adjustments": list{with(off("0.1"), object{"replaces_adjustment_id": "nope"})}},
			"replace_adjustments[0].replaces_adjustment_id: "),
	)

	DescribeTable("are refused, and not made",
		func(change object, violations ...string) {
			s.post(path+"/versions", with(object{"version": 2}, change)).invalid(violations...)
			s.get(path+"/versions/2").refuse(404, "404-resource-not-found")
		},
		Entry("without a number", object{"version": absent}, "version: is required"),
		Entry("with a number below 1", object{"version": 0}, "version: must be at least 1"),
		Entry("with a number beyond all others", object{"version": 1 << 31}, "version: must be at most 2147483647"),
		Entry("with a member nobody knows", object{"colour": "red"}, "colour: is not a field"),
		Entry("with an adjustment in a phase of a plan without phases", object{"add_adjustments": list{with(off("0.1"), object{"plan_phase_order": 1})}},
			"add_adjustments[0].plan_phase_order: "),
		Entry("with entries that are no prices", object{"add_prices": list{object{}}}, "add_prices[0].price, allocation_price, license_allocation_price: "),
	)

	It("miss the plan that does not exist", func() {
		for _, at := range []string{"/v1/plans/nope", "/v1/plans/external_plan_id/nope"} {
			s.post(at+"/versions", object{"version": 2}).refuse(404, "404-resource-not-found", "Plan", "nope")
			s.get(at+"/versions/1").refuse(404, "404-resource-not-found", "Plan", "nope")
			s.post(at+"/set_default_version", object{"version": 1}).refuse(404, "404-resource-not-found", "Plan", "nope")
		}
	})

	Describe("POST /v1/plans/{plan_id}/set_default_version", func() {
		It("shows the plan with the prices of that version", func() {
			s.post(path+"/versions", cheaper(nil)).expect(201)
			now := s.post(path+"/set_default_version", object{"version": 2}).expect(200)
			Expect(now.at("version")).To(Equal(json.Number("2")))
			Expect(now.each("prices", "unit_config.unit_amount")).To(Equal(list{"0.08"}))
			Expect(s.get(path).expect(200).json).To(Equal(now.json))
		})

		It("refuses a version the plan does not have", func() {
			s.post(path+"/set_default_version", object{"version": 2}).refuse(400, refused, "no version 2")
			s.post(path+"/set_default_version", object{}).invalid("version: is required")
		})
	})

	Describe("POST /v1/plans/external_plan_id/{external_plan_id}/set_default_version", func() {
		It("goes back to an earlier version", func() {
			s.post(path+"/versions", cheaper(object{"set_as_default": true})).expect(201)
			now := s.post("/v1/plans/external_plan_id/pro/set_default_version", object{"version": 1}).expect(200)
			Expect(now.json).To(Equal(plan.json))
		})
	})
})
