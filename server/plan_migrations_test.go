package server_test

import (
	"encoding/json"
	"sync"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/billing"
	"tollkeeper/domain/migration"
	"tollkeeper/store"
)

// migrate plans the migration of a plan to a version: at once for "", and returns the
// path of it.
func (s fixture) migrate(plan string, to int, effective string) string {
	GinkgoHelper()
	var m migration.Migration
	s.tx(func(tx *store.Tx) (err error) {
		m, err = migration.Create(tx, migration.New{PlanID: plan, To: to, Effective: effective})
		return err
	})
	return "/v1/plans/" + plan + "/migrations/" + m.ID
}

// on subscribes a customer to a plan.
func (s fixture) on(plan, buyer string, change object) string {
	GinkgoHelper()
	return s.post("/v1/subscriptions", with(object{"customer_id": buyer, "plan_id": plan}, change)).expect(201).text("id")
}

// version makes a version of a plan: its next one, changed so.
func (s fixture) version(plan string, number int, change object) value {
	GinkgoHelper()
	return s.post("/v1/plans/"+plan+"/versions", with(object{"version": number}, change)).expect(201)
}

// replacing is the change of a version that replaces a price.
func replacing(old any, by object) object {
	return object{"replace_prices": list{object{"replaces_price_id": old, "price": by}}}
}

var _ = Describe("Migrations of a plan", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var buyer, plan, sub string
	var made value
	BeforeEach(func() {
		s = newFixture("2025-03-01T00:00:00Z")
		buyer = s.buyer(nil)
		made = s.plan(nil, s.calls("0.10"), s.fee("31.00"))
		plan = made.text("id")
		sub = s.on(plan, buyer, nil)
	})

	status := func(path string) any {
		GinkgoHelper()
		return s.get(path).expect(200).at("status")
	}
	price := func(k int) any { return made.entry("prices", k).at("id") }

	It("leave subscriptions on their version until then, and are listed, newest first", func() {
		s.version(plan, 2, with(replacing(price(0), s.calls("0.08")), object{"set_as_default": true}))
		first := s.migrate(plan, 2, "2025-06-01")
		second := s.migrate(plan, 2, "2025-06-01T09:30:00+02:00")
		third := s.migrate(plan, 2, "end_of_term")
		found := s.get("/v1/plans/" + plan + "/migrations").expect(200)
		Expect(found.each("data", "effective_time")).To(Equal(list{"end_of_term", "2025-06-01T07:30:00+00:00", "2025-06-01"}))
		Expect(found.each("data", "status")).To(HaveEach("not_started"))
		s.get(first).expect(200).shows(object{"plan_id": plan, "status": "not_started", "effective_time": "2025-06-01"})
		Expect(s.get("/v1/plans/"+plan+"/migrations?limit=1").expect(200).each("data", "id")).To(Equal(found.each("data", "id")[:1]))
		for _, path := range []string{first, second, third} {
			Expect(s.post(path+"/cancel", nil).expect(200).at("status")).To(Equal("canceled"))
		}
		s.post(first+"/cancel", nil).refuse(400, refused, "canceled")
		s.use(buyer, "2025-03-01T00:00:00Z", "120")
		s.clock("2025-07-01T00:00:00Z")
		Expect(status(first)).To(Equal("canceled"))
		Expect(s.bills(sub)[1]).To(Equal("2025-04-01 issued 43.00"))
	})

	It("are missed by another id, and by another plan's", func() {
		path := s.migrate(plan, 1, "")
		other := s.plan(nil, s.fee("1")).text("id")
		for _, wrong := range []string{"/v1/plans/" + plan + "/migrations/nope", "/v1/plans/" + other + path[len("/v1/plans/"+plan):]} {
			s.get(wrong).refuse(404, "404-resource-not-found", "PlanMigration")
			s.post(wrong+"/cancel", nil).refuse(404, "404-resource-not-found", "PlanMigration")
		}
		s.get("/v1/plans/nope/migrations").refuse(404, "404-resource-not-found", "Plan")
		Expect(status(path)).To(Equal("completed")) // there was nobody to move
	})

	It("charge a new fee in advance at once, alone, and a new price in arrears with the next invoice", func() {
		s.version(plan, 2, object{"add_prices": list{
			object{"price": with(s.fee("62.00"), object{"name": "Support"})}, object{"price": with(s.calls("1.00"), object{"name": "More"})},
		}})
		path := s.migrate(plan, 2, "2025-03-11")
		s.clock("2025-03-11T00:00:00Z")
		Expect(status(path)).To(Equal("completed"))
		s.post(path+"/cancel", nil).refuse(400, refused, "completed")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-03-11 issued 42.00", "2025-04-01 draft 93.00"}))
		s.clock("2025-03-20T00:00:00Z")
		s.use(buyer, "2025-03-20T00:00:00Z", "10")
		Expect(lines(s.invoices(sub).entry("data", 0))).To(ConsistOf(
			"Calls 2025-03-01 to 2025-04-01: 1.00", "More 2025-03-11 to 2025-04-01: 10.00",
			"Fee 2025-04-01 to 2025-05-01: 31.00", "Support 2025-04-01 to 2025-05-01: 62.00",
		))
		intervals := s.get("/v1/subscriptions/" + sub).expect(200)
		Expect(intervals.each("price_intervals", "start_date")).To(Equal(list{
			"2025-03-01T00:00:00+00:00", "2025-03-01T00:00:00+00:00", "2025-03-11T00:00:00+00:00", "2025-03-11T00:00:00+00:00",
		}))
		Expect(intervals.each("price_intervals", "end_date")).To(HaveEach(BeNil()))
	})

	It("credit the rest of a fee that is replaced, and charge the rest of the other", func() {
		s.collect(sub)
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		s.clock("2025-03-11T12:00:00Z")
		s.migrate(plan, 2, "")
		s.clock("2025-03-11T12:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 paid 31.00", "2025-03-11 issued 42.00", "2025-04-01 draft 62.00"}))
		Expect(s.invoices(sub).entry("data", 1).at("amount_due")).To(Equal("21.00"))
	})

	It("charge what replaces a price of a subscription that is to end", func() {
		s.collect(sub)
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "requested_date", "cancellation_date": "2025-03-21"}).expect(200)
		s.version(plan, 2, object{"replace_prices": list{
			object{"replaces_price_id": price(0), "price": s.calls("0.20")}, object{"replaces_price_id": price(1), "price": s.fee("62.00")},
		}})
		s.clock("2025-03-11T00:00:00Z")
		s.migrate(plan, 2, "")
		s.clock("2025-03-11T00:00:00Z")
		s.clock("2025-03-12T00:00:00Z")
		s.use(buyer, "2025-03-11T12:00:00Z", "100")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 paid 31.00", "2025-03-11 paid 20.00", "2025-03-21 draft 20.00"}))
	})

	It("rate usage by each price for its own time, on the next invoice together", func() {
		s.version(plan, 2, replacing(price(0), s.calls("0.20")))
		s.migrate(plan, 2, "2025-03-11")
		s.use(buyer, "2025-03-01T00:00:00Z", "100")
		s.clock("2025-03-20T00:00:00Z")
		s.use(buyer, "2025-03-20T00:00:00Z", "100")
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-04-01 issued 61.00", "2025-05-01 draft 31.00"}))
		Expect(lines(s.invoices(sub).entry("data", 1))).To(ConsistOf(
			"Calls 2025-03-01 to 2025-03-11: 10.00", "Calls 2025-03-11 to 2025-04-01: 20.00", "Fee 2025-04-01 to 2025-05-01: 31.00",
		))
	})

	DescribeTable("take effect for each subscription in its own time",
		func(effective, before, at string) {
			s.version(plan, 2, with(replacing(price(1), s.fee("62.00")), object{"add_prices": list{
				object{"price": with(s.fee("1"), object{"cadence": "quarterly"})},
			}}))
			quarterly := s.post("/v1/subscriptions", object{"customer_id": s.buyer(object{"timezone": "America/Los_Angeles"}), "plan_id": plan,
				"start_date": "2025-03-01", "add_prices": list{object{"price": with(s.fee("12"), object{"cadence": "quarterly"})}}}).expect(201).text("id")
			s.clock("2025-03-02T00:00:00Z")
			path := s.migrate(plan, 2, effective)
			moved := func(id string) bool {
				return len(s.get("/v1/subscriptions/"+id+"/schedule").expect(200).list("data")) == 2
			}
			s.clock(before)
			Expect(moved(quarterly)).To(BeFalse())
			s.clock(at)
			Expect(moved(quarterly)).To(BeTrue())
			Expect(moved(sub)).To(BeTrue())
			Expect(status(path)).To(Equal("completed"))
		},
		Entry("at local midnight", "2025-03-10", "2025-03-10T06:59:59Z", "2025-03-10T07:00:00Z"),
		Entry("at one instant", "2025-03-10T00:00:00Z", "2025-03-09T23:59:59Z", "2025-03-10T00:00:00Z"),
		Entry("when its term ends, over a change of the clock", "end_of_term", "2025-06-01T06:59:59Z", "2025-06-01T07:00:00Z"),
		Entry("when its billing period ends", "end_of_invoice", "2025-04-01T06:59:59Z", "2025-04-01T07:00:00Z"),
	)

	It("announce no other plan, since it is the same", func() {
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		s.migrate(plan, 2, "2025-03-11")
		s.listens()
		s.clock("2025-03-11T00:00:00Z")
		Expect(s.newsTypes()).To(And(ContainElement("invoice.issued"), Not(ContainElement(HavePrefix("subscription.plan")))))
	})

	It("tell how far they have come", func() {
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		s.on(plan, s.buyer(object{"timezone": "Asia/Tokyo"}), object{"start_date": "2025-03-01"})
		path := s.migrate(plan, 2, "2025-03-11")
		s.clock("2025-03-10T14:59:59Z")
		Expect(status(path)).To(Equal("not_started"))
		s.clock("2025-03-10T15:00:00Z")
		Expect(status(path)).To(Equal("in_progress"))
		s.post(path+"/cancel", nil).refuse(400, refused, "in_progress")
		s.clock("2025-03-11T00:00:00Z")
		Expect(status(path)).To(Equal("completed"))
		Expect(s.bills(sub)[2]).To(Equal("2025-04-01 draft 62.00"))
	})

	It("need action where an adjustment of the subscription names a price that is replaced", func() {
		held := s.on(plan, buyer, object{"add_adjustments": list{object{"adjustment": object{
			"adjustment_type": "percentage_discount", "percentage_discount": 0.5, "applies_to_price_ids": list{price(1)},
		}}}})
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		path := s.migrate(plan, 2, "end_of_invoice")
		s.clock("2025-04-01T00:00:00Z")
		Expect(status(path)).To(Equal("action_needed"))
		Expect(s.bills(held)).To(Equal([]string{"2025-03-01 issued 15.50", "2025-04-01 draft 15.50", "2025-05-01 draft 15.50"}))
		Expect(s.bills(sub)[1]).To(Equal("2025-04-01 draft 62.00"))
	})

	It("need action where a change of the subscription is pending", func() {
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "immediate"}, later).expect(200)
		path := s.migrate(plan, 2, "")
		s.clock("2025-03-01T00:00:00Z")
		Expect(status(path)).To(Equal("action_needed"))
	})

	It("keep what the subscription has changed for itself", func() {
		own := s.on(plan, buyer, object{
			"replace_prices": list{object{"replaces_price_id": price(1), "price": s.fee("20.00")}},
			"add_prices":     list{object{"price": with(s.fee("5.00"), object{"name": "Own"})}},
			"remove_prices":  list{object{"price_id": price(0)}},
		})
		s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": price(1), "quantity": 2}).expect(200)
		s.post("/v1/subscriptions/"+sub+"/update_fixed_fee_quantity", object{"price_id": price(1), "quantity": 3, "effective_date": "2025-05-01"}).expect(200)
		s.version(plan, 2, object{"replace_prices": list{
			object{"replaces_price_id": price(0), "price": s.calls("0.08")}, object{"replaces_price_id": price(1), "price": s.fee("62.00")},
		}})
		s.migrate(plan, 2, "2025-04-01")
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.bills(own)).To(ContainElement("2025-04-01 issued 25.00"))
		s.clock("2025-05-01T00:00:00Z")
		Expect(s.bills(sub)).To(ContainElements("2025-04-01 issued 124.00", "2025-05-01 draft 186.00"))
	})

	It("leave a trial as it is, which is billed once, at its end", func() {
		tried := s.on(plan, buyer, object{"trial_duration_days": 14})
		s.use(buyer, "2025-03-01T00:00:00Z", "100")
		s.version(plan, 2, replacing(price(0), s.calls("0.20")))
		s.migrate(plan, 2, "2025-03-06")
		s.clock("2025-03-10T00:00:00Z")
		Expect(s.get("/v1/subscriptions/" + tried).expect(200).at("trial_info.end_date")).To(Equal("2025-03-15T00:00:00+00:00"))
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.bills(tried)).To(Equal([]string{"2025-03-15 issued 17.00", "2025-04-01 issued 31.00", "2025-05-01 draft 31.00"}))
	})

	It("leave a trial that can be ended early or late, also as of a day before", func() {
		late, early := s.on(plan, buyer, object{"trial_duration_days": 14}), s.on(plan, buyer, object{"trial_duration_days": 14})
		s.version(plan, 2, replacing(price(0), s.calls("0.20")))
		s.migrate(plan, 2, "2025-03-06")
		s.clock("2025-03-10T00:00:00Z")
		s.trial(late, "2025-03-22", object{"shift": true}).expect(200)
		s.trial(early, "2025-03-03", nil).expect(200)
		s.clock("2025-03-31T00:00:00Z")
		Expect(s.bills(late)).To(Equal([]string{"2025-03-22 issued 10.00", "2025-04-01 draft 31.00"}))
		Expect(s.bills(early)).To(Equal([]string{"2025-03-03 issued 29.00", "2025-04-01 draft 31.00"}))
	})

	It("leave whose usage counts to the plan that comes after", func() {
		filtered := s.on(plan, buyer, object{"filter": "region = 'x'"})
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		s.migrate(plan, 2, "2025-03-06")
		s.clock("2025-03-10T00:00:00Z")
		after := s.move(filtered, s.plan(nil, s.calls("2.00")).text("id"), nil).expect(200)
		Expect(after.each("price_intervals", "filter")).To(Equal(list{"region = 'x'", "region = 'x'", nil, nil}))
	})

	It("line versions up across those between, and back again", func() {
		second := s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		fees := second.each("prices", "id")
		s.version(plan, 3, replacing(fees[1], s.fee("93.00")))
		s.migrate(plan, 3, "2025-04-01")
		s.clock("2025-04-01T00:00:00Z")
		s.migrate(plan, 1, "end_of_term")
		s.clock("2025-05-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-01 issued 31.00", "2025-04-01 issued 93.00", "2025-05-01 draft 31.00", "2025-06-01 draft 31.00",
		}))
	})

	It("replace the adjustments of the plan, and leave usage of the whole period under the new ones", func() {
		discounted := s.plan(object{"adjustments": list{object{"adjustment": object{
			"adjustment_type": "percentage_discount", "percentage_discount": 0.1, "applies_to_all": true,
		}}}}, s.calls("1.00"))
		on := s.on(discounted.text("id"), buyer, nil)
		s.version(discounted.text("id"), 2, object{"replace_adjustments": list{object{
			"replaces_adjustment_id": discounted.at("adjustments[0].id"),
			"adjustment":             object{"adjustment_type": "percentage_discount", "percentage_discount": 0.5, "applies_to_all": true},
		}}})
		s.use(buyer, "2025-03-01T00:00:00Z", "100")
		s.migrate(discounted.text("id"), 2, "2025-03-11")
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.bills(on)[0]).To(Equal("2025-04-01 draft 50.00"))
	})

	It("go on in phases, for those that are not over", func() {
		ramp := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD",
			"plan_phases": list{object{"order": 1, "duration": 1, "duration_unit": "monthly"}, object{"order": 2, "duration": 2, "duration_unit": "monthly"}},
			"prices":      list{object{"price": s.fee("10.00"), "plan_phase_order": 1}, object{"price": s.fee("20.00"), "plan_phase_order": 2}},
		}).expect(201)
		on := s.on(ramp.text("id"), buyer, nil)
		s.version(ramp.text("id"), 2, object{
			"replace_prices": list{object{"replaces_price_id": ramp.at("prices[1].id"), "price": s.fee("40.00")}},
			"add_prices":     list{object{"price": s.fee("1.00"), "plan_phase_order": 2}},
		})
		s.migrate(ramp.text("id"), 2, "2025-03-15")
		s.clock("2025-03-15T00:00:00Z")
		Expect(s.get("/v1/subscriptions/" + on).expect(200).at("active_plan_phase_order")).To(Equal(json.Number("1")))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.bills(on)).To(Equal([]string{"2025-03-01 issued 10.00", "2025-04-01 issued 41.00", "2025-05-01 issued 41.00"}))
	})

	It("reach subscriptions that have not begun, before they do", func() {
		upcoming := s.on(plan, s.buyer(nil), object{"start_date": "2025-05-01"})
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		path := s.migrate(plan, 2, "")
		s.clock("2025-03-01T00:00:00Z")
		Expect(status(path)).To(Equal("completed"))
		Expect(s.get("/v1/subscriptions/" + upcoming + "/schedule").expect(200).list("data")).To(HaveLen(1))
		s.clock("2025-05-01T00:00:00Z")
		Expect(s.bills(upcoming)).To(Equal([]string{"2025-05-01 issued 62.00", "2025-06-01 draft 62.00"}))
	})

	It("leave alone who has gone to another plan by then, or is over", func() {
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		gone := s.on(plan, s.buyer(nil), nil)
		path := s.migrate(plan, 2, "2025-03-21")
		s.move(sub, s.plan(nil, s.fee("93.00")).text("id"), onDate("2025-03-11")).expect(200)
		s.cancel(gone, asOf("2025-03-11")).expect(200)
		s.clock("2025-04-01T00:00:00Z")
		Expect(status(path)).To(Equal("completed"))
		Expect(s.bills(sub)).To(ContainElement("2025-04-01 issued 93.00"))
		Expect(s.bills(gone)).To(HaveLen(2))
	})

	It("are undone for a subscription that is canceled as of a day before", func() {
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		s.use(buyer, "2025-03-01T00:00:00Z", "100")
		s.migrate(plan, 2, "2025-03-21")
		s.clock("2025-03-25T00:00:00Z")
		s.cancel(sub, asOf("2025-03-11")).expect(200)
		s.clock("2025-04-01T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-01 issued 31.00", "2025-03-11 issued 10.00"}))
		Expect(s.get("/v1/subscriptions/" + sub + "/schedule").expect(200).list("data")).To(HaveLen(1))
	})

	It("move each subscription once, whoever works at it at once", func() {
		subs := []string{sub}
		for range 7 {
			subs = append(subs, s.on(plan, s.buyer(nil), nil))
		}
		s.version(plan, 2, replacing(price(1), s.fee("62.00")))
		path := s.migrate(plan, 2, "")
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				defer GinkgoRecover()
				for more := true; more; {
					s.tx(func(tx *store.Tx) (err error) {
						more, err = billing.MigrateNext(tx)
						return err
					})
				}
			})
		}
		all.Wait()
		s.clock("2025-03-01T00:00:00Z")
		Expect(status(path)).To(Equal("completed"))
		for _, id := range subs {
			Expect(s.get("/v1/subscriptions/" + id + "/schedule").expect(200).list("data")).To(HaveLen(1))
			Expect(s.bills(id)).To(Equal([]string{"2025-03-01 issued 62.00", "2025-04-01 draft 62.00"}))
		}
	})
})
