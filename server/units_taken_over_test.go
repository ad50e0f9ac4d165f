package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/store"
)

// What is left of the free units of a usage discount (price models 6.7.8).
var _ = Describe("A usage price that replaces another", func() {
	var s fixture
	var acme string
	var made value
	free := func(change object) list {
		return list{object{"adjustment": with(object{"adjustment_type": "usage_discount", "usage_discount": 110, "applies_to_all": true}, change)}}
	}
	BeforeEach(func() {
		s = newFixture("2025-06-01T00:00:00Z")
		acme = s.buyer(object{"currency": "USD"})
	})
	begin := func(prices ...object) {
		GinkgoHelper()
		made = s.subscribe(acme, object{"add_adjustments": free(nil)}, prices...)
	}
	used := func(at, n string) {
		GinkgoHelper()
		s.clock(at + "T00:00:00Z")
		s.use(acme, at+"T00:00:00Z", n)
	}
	// replace ends the price on a day, and adds another one there.
	replace := func(day string, change, by object) {
		GinkgoHelper()
		body := edit(made.text("price_intervals[0].id"), with(object{"end_date": day}, change))
		body["add"] = list{object{"start_date": day, "price": floating(by)}}
		s.post("/v1/subscriptions/"+made.text("id")+"/price_intervals", body).expect(200)
	}
	sound := func() {
		GinkgoHelper()
		s.tx(func(tx *store.Tx) error {
			v, _, err := billing.Verify(tx, 0, billing.Sample{})
			Expect(v.Findings).To(BeEmpty())
			Expect(v.Referred).To(BeNumerically(">", 0))
			return err
		})
	}

	It("takes over what is left of the units of the month", func() {
		begin(s.calls("1.00"))
		used("2025-06-10", "60")
		s.clock("2025-06-16T00:00:00Z")
		replace("2025-06-16", nil, s.calls("2.00"))
		used("2025-06-20", "80")
		Expect(s.get("/v1/subscriptions/" + made.text("id") + "/costs?view_mode=cumulative").expect(200).at("data[19].total")).To(Equal("60.00"))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(made.text("id"))).To(ContainElements("2025-06-16 paid 0.00", "2025-07-01 issued 60.00")) // 80 less 50 that are left
		used("2025-07-10", "130")
		s.clock("2025-08-02T00:00:00Z")
		Expect(s.bills(made.text("id"))).To(ContainElement("2025-08-01 issued 40.00")) // another month has all of them
		sound()
	})

	It("does so on one invoice", func() {
		begin(s.calls("1.00"))
		used("2025-06-10", "120")
		s.clock("2025-06-16T00:00:00Z")
		replace("2025-06-16", object{"can_defer_billing": true}, s.calls("2.00"))
		used("2025-06-20", "80")
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(made.text("id"))).To(ContainElement("2025-07-01 issued 170.00"))
		sound()
	})

	It("does so over a quarter that is invoiced monthly", func() {
		inParts := object{"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
		begin(with(s.calls("1.00"), inParts))
		used("2025-06-10", "50")
		used("2025-07-10", "20")
		s.clock("2025-07-16T00:00:00Z")
		replace("2025-07-16", nil, with(s.calls("2.00"), inParts))
		used("2025-07-20", "30")
		used("2025-08-20", "30")
		s.clock("2025-09-02T00:00:00Z")
		Expect(s.bills(made.text("id"))).To(ContainElements(
			"2025-07-01 paid 0.00", "2025-07-16 paid 0.00", "2025-08-01 paid 0.00", "2025-09-01 issued 40.00")) // 60 less 40
		sound()
	})

	It("goes on through several prices", func() {
		begin(s.calls("1.00"))
		used("2025-06-05", "60")
		s.clock("2025-06-11T00:00:00Z")
		replace("2025-06-11", nil, s.calls("2.00"))
		used("2025-06-12", "40")
		s.clock("2025-06-21T00:00:00Z")
		second := s.get("/v1/subscriptions/" + made.text("id")).expect(200)
		for k := range second.list("price_intervals") {
			if i := second.entry("price_intervals", k); i.at("end_date") == nil {
				made = s.post("/v1/subscriptions/"+made.text("id")+"/price_intervals", with(edit(i.text("id"), object{"end_date": "2025-06-21"}), object{
					"add": list{object{"start_date": "2025-06-21", "price": floating(s.calls("3.00"))}},
				})).expect(200)
			}
		}
		used("2025-06-25", "15")
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(made.text("id"))).To(ContainElements("2025-06-11 paid 0.00", "2025-06-21 paid 0.00", "2025-07-01 issued 15.00"))
		sound()
	})

	It("has all units where it counts something else, or begins on another day", func() {
		other := func() object {
			return with(s.calls("2.00"), object{"billable_metric_id": s.api.metric("SELECT SUM(n) FROM events WHERE event_name = 'key' OR event_name = 'call'")})
		}
		begin(s.calls("1.00"))
		used("2025-06-10", "60")
		s.clock("2025-06-16T00:00:00Z")
		replace("2025-06-16", nil, other())
		used("2025-06-20", "120")
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(made.text("id"))).To(ContainElement("2025-07-01 issued 20.00"))
		sound()
	})

	Describe("on a version of its plan", func() {
		var plan string
		// moved is what the month comes to after a move to a version on the 16th.
		moved := func(first, next list, change object) []string {
			GinkgoHelper()
			of := s.plan(object{"adjustments": first}, s.calls("1.00"))
			plan = of.text("id")
			if next != nil {
				change = with(object{"replace_adjustments": list{object{
					"replaces_adjustment_id": of.at("adjustments[0].id"), "adjustment": next[0].(object)["adjustment"],
				}}}, change)
			}
			s.version(plan, 2, with(replacing(of.at("prices[0].id"), s.calls("2.00")), change))
			sub := s.on(plan, acme, nil)
			used("2025-06-10", "60")
			s.clock("2025-06-16T00:00:00Z")
			s.migrate(plan, 2, "2025-06-16")
			s.clock("2025-06-16T00:00:01Z")
			used("2025-06-20", "80")
			s.clock("2025-07-02T00:00:00Z")
			sound()
			return s.bills(sub)
		}
		It("takes over what is left", func() {
			Expect(moved(free(nil), nil, nil)).To(ContainElement("2025-07-01 issued 60.00"))
		})
		It("takes over what is left of the units of the discount that follows", func() {
			Expect(moved(free(nil), free(object{"usage_discount": 130}), nil)).To(ContainElement("2025-07-01 issued 20.00")) // 80 less 70
		})
		It("takes nothing over of a discount of fewer units that are used up", func() {
			Expect(moved(free(nil), free(object{"usage_discount": 40}), nil)).To(ContainElement("2025-07-01 issued 160.00"))
		})
	})

	It("of the next phase takes over what is left", func() {
		plan := s.plan(object{
			"plan_phases": list{object{"order": 1, "duration": 15, "duration_unit": "daily"}, object{"order": 2}},
			"prices":      list{object{"price": s.calls("1.00"), "plan_phase_order": 1}, object{"price": s.calls("2.00"), "plan_phase_order": 2}},
		}).text("id")
		sub := s.on(plan, acme, object{"add_adjustments": free(nil)})
		used("2025-06-10", "60")
		used("2025-06-20", "80")
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElements("2025-06-16 paid 0.00", "2025-07-01 issued 60.00"))
		sound()
	})

	It("of another plan has the units of that plan", func() {
		sub := s.on(s.plan(object{"adjustments": free(nil)}, s.calls("1.00")).text("id"), acme, nil)
		used("2025-06-10", "60")
		s.clock("2025-06-16T00:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{
			"plan_id": s.plan(object{"adjustments": free(nil)}, s.calls("2.00")).at("id"), "change_option": "immediate",
		}).expect(200)
		used("2025-06-20", "120")
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElement("2025-07-01 issued 20.00")) // each plan is a period of its own
		sound()
	})
})
