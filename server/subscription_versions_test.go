package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Subscriptions to versions and phases of a plan", func() {
	// reprice makes a version of a plan in which its only price costs that.
	reprice := func(s fixture, plan value, version int, amount string, change object) value {
		GinkgoHelper()
		return s.post("/v1/plans/"+plan.text("id")+"/versions", with(object{
			"version":        version,
			"replace_prices": list{object{"replaces_price_id": plan.at("prices[0].id"), "price": s.calls(amount)}},
		}, change)).expect(201)
	}
	// month is what a month of 120 calls costs a new customer of the plan.
	month := func(s fixture, plan string, change object) func() any {
		GinkgoHelper()
		buyer := s.buyer(nil)
		sub := s.post("/v1/subscriptions", with(object{"customer_id": buyer, "plan_id": plan}, change)).expect(201).text("id")
		s.use(buyer, "2025-03-01T00:00:00Z", "120")
		return func() any { return s.invoices(sub).at("data[0].total") }
	}

	It("PL-1: keeps those that run on their version, and gives new ones the default", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		plan := s.plan(nil, s.calls("0.10"))
		id := plan.text("id")
		before := month(s, id, nil)
		reprice(s, plan, 2, "0.08", object{"set_as_default": true})
		now := s.get("/v1/plans/" + id).expect(200)
		now.shows(object{
			"version": json.Number("2"), "prices[0].unit_config.unit_amount": "0.08", "prices[0].replaces_price_id": plan.at("prices[0].id"),
		})
		Expect(now.list("prices")).To(HaveLen(1))
		after := month(s, id, nil)
		Expect(before()).To(Equal("12.00"))
		Expect(after()).To(Equal("9.60"))
	})

	It("PL-2: leaves the default where a version does not ask for it, and takes another one by number", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		plan := s.plan(nil, s.calls("0.10"))
		reprice(s, plan, 2, "0.08", nil)
		Expect(month(s, plan.text("id"), nil)()).To(Equal("12.00"))
		Expect(month(s, plan.text("id"), object{"plan_version_number": 2})()).To(Equal("9.60"))
		Expect(month(s, plan.text("id"), object{"plan_version_number": nil})()).To(Equal("12.00"))
	})

	It("PL-3: takes versions by growing numbers, with gaps", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		plan := s.plan(nil, s.calls("0.10"))
		id := plan.text("id")
		reprice(s, plan, 2, "0.08", nil)
		s.post("/v1/plans/"+id+"/versions", object{"version": 2}).refuse(400, "400-constraint-violation", "greater than 2")
		s.post("/v1/plans/"+id+"/versions", object{"version": 5}).expect(201)
		Expect(s.get("/v1/plans/" + id + "/versions/5").expect(200).at("prices[0].unit_config.unit_amount")).To(Equal("0.08"))
		s.get("/v1/plans/"+id+"/versions/3").refuse(404, "404-resource-not-found", "PlanVersion", "3")
		body := object{"customer_id": s.buyer(nil), "plan_id": id, "plan_version_number": 3}
		s.post("/v1/subscriptions", body).refuse(400, "400-constraint-violation", "plan_version_number: must be a version of the plan")
	})

	Describe("PL-6: in phases", func() {
		var s fixture
		var plan string
		BeforeEach(func() {
			s = newFixture("2025-07-11T00:00:00Z")
			plan = s.plan(object{
				"plan_phases": list{object{"order": 1, "duration": 1, "duration_unit": "monthly"}, object{"order": 2}},
				"prices": list{
					object{"price": s.fee("20.00"), "plan_phase_order": 1},
					object{"price": s.fee("60.00"), "plan_phase_order": 2},
				},
			}).text("id")
		})
		It("bills each phase for its own time", func() {
			sub := s.post("/v1/subscriptions", object{"customer_id": s.buyer(nil), "plan_id": plan}).expect(201)
			sub.shows(object{
				"active_plan_phase_order":       json.Number("1"),
				"price_intervals[0].end_date":   "2025-08-11T00:00:00+00:00",
				"price_intervals[1].start_date": "2025-08-11T00:00:00+00:00", "price_intervals[1].end_date": nil,
				"price_intervals[1].price.plan_phase_order": json.Number("2"),
			})
			id := sub.text("id")
			s.clock("2025-08-11T00:00:00Z")
			Expect(s.get("/v1/subscriptions/" + id).expect(200).at("active_plan_phase_order")).To(Equal(json.Number("2")))
			Expect(s.bills(id)).To(Equal([]string{
				"2025-07-11 issued 13.55", "2025-08-01 issued 6.45", "2025-08-11 issued 40.65", "2025-09-01 draft 60.00",
			}))
			Expect(lines(s.invoices(id).entry("data", 1))).To(Equal([]string{"Fee 2025-08-11 to 2025-09-01: 40.65"}))
		})
		It("begins with a later phase where that is asked for", func() {
			body := object{"customer_id": s.buyer(nil), "plan_id": plan, "initial_phase_order": 2}
			sub := s.post("/v1/subscriptions", body).expect(201)
			Expect(sub.at("active_plan_phase_order")).To(Equal(json.Number("2")))
			Expect(s.bills(sub.text("id"))[0]).To(Equal("2025-07-11 issued 40.65"))
			s.post("/v1/subscriptions", with(body, object{"initial_phase_order": 3})).refuse(400, "400-constraint-violation", "initial_phase_order: must be a phase of the plan")
		})
		It("adds prices to a phase, or to all of them, within their time", func() {
			add := func(change object) *answer {
				return s.post("/v1/subscriptions", object{
					"customer_id": s.buyer(nil), "plan_id": plan,
					"add_prices": list{with(object{"price": with(s.fee("31.00"), object{"name": "Extra"})}, change)},
				})
			}
			dates := func(answered *answer) list {
				i := answered.expect(201).entry("price_intervals", 2)
				return list{i.text("start_date")[:10], i.at("end_date")}
			}
			Expect(dates(add(object{"plan_phase_order": 2}))).To(Equal(list{"2025-08-11", nil}))
			Expect(dates(add(nil))).To(Equal(list{"2025-07-11", nil}))
			Expect(dates(add(object{"plan_phase_order": 1, "start_date": "2025-07-20", "end_date": "2025-08-01"}))).
				To(Equal(list{"2025-07-20", "2025-08-01T00:00:00+00:00"}))
			add(object{"plan_phase_order": 3}).invalid("add_prices[0].plan_phase_order: must be that of a phase")
			add(object{"plan_phase_order": 1, "end_date": "2025-09-01"}).invalid("add_prices[0].end_date: must not be after the end")
			add(object{"plan_phase_order": 2, "start_date": "2025-08-01"}).invalid("add_prices[0].start_date: must not be before the start")
			add(object{"start_date": "2025-08-02", "end_date": "2025-08-02"}).invalid("add_prices[0].end_date: must be after start_date")
		})
	})
})
