package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Each feature has its own specs. These are of two that meet.
var _ = Describe("Features that meet", func() {
	Describe("quantities of fees", func() {
		It("and phases: a quantity is of the fee of its phase, and ends with it", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			seats := func(amount string) object {
				return with(s.fee(amount), object{"name": "Seats " + amount, "fixed_price_quantity": 2})
			}
			plan := s.post("/v1/plans", object{
				"name": "Ramp", "currency": "USD", "plan_phases": list{object{"order": 1, "duration": 1}, object{"order": 2}},
				"prices": list{object{"price": seats("10.00"), "plan_phase_order": 1}, object{"price": seats("20.00"), "plan_phase_order": 2}},
			}).expect(201)
			first, second := plan.text("prices[0].id"), plan.text("prices[1].id")
			sub := s.on(plan.text("id"), s.buyer(nil), nil)
			s.quantity(sub, first, 4, object{"effective_date": "2025-03-16"}).expect(200)
			s.quantity(sub, second, 5, object{"effective_date": "2025-04-11"}).expect(200)
			s.clock("2025-04-12T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{
				"2025-03-01 issued 20.00", "2025-03-16 issued 10.32", "2025-04-01 issued 40.00", "2025-04-11 issued 40.00", "2025-05-01 draft 100.00",
			}))

			early := s.on(plan.text("id"), s.buyer(nil), object{"start_date": "2025-04-12"})
			s.quantity(early, first, 4, object{"effective_date": "2025-04-22"}).expect(200)
			s.post("/v1/subscriptions/"+early+"/trigger_phase", object{"effective_date": "2025-04-17"}).expect(200)
			s.clock("2025-05-02T00:00:00Z")
			bills := s.bills(early)
			Expect(bills).To(ContainElements("2025-04-17 issued 18.67", "2025-05-01 issued 40.00"), "2 seats at 20.00 for 14 of 30 days")
			Expect(bills).NotTo(ContainElement(HavePrefix("2025-04-22")), "the quantity that was ahead was of the first phase")
		})

		It("and migrations: a quantity that was changed or is ahead stays, at the new rate", func() {
			s := newFixture("2025-03-01T00:00:00Z")
			made := s.plan(nil, with(s.fee("20.00"), object{"fixed_price_quantity": 2}))
			plan, price := made.text("id"), made.text("prices[0].id")
			sub := s.on(plan, s.buyer(nil), nil)
			s.clock("2025-03-05T00:00:00Z")
			s.quantity(sub, price, 4, nil).expect(200)
			s.quantity(sub, price, 6, object{"effective_date": "2025-04-11"}).expect(200)
			s.version(plan, 2, replacing(price, with(s.fee("30.00"), object{"fixed_price_quantity": 2})))
			s.migrate(plan, 2, "2025-04-01")
			s.clock("2025-04-12T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{
				"2025-03-01 issued 40.00", "2025-03-05 issued 34.84", "2025-04-01 issued 120.00", "2025-04-11 issued 40.00", "2025-05-01 draft 180.00",
			}))
		})

		It("and licenses: as many may be given as are paid for on the day", func() {
			o := newLicenseFixture("2025-06-10T15:00:00Z")
			customer, sub := o.rent(nil, nil, o.seats(2, "100", nil), o.metered())
			price := ""
			all := o.get("/v1/subscriptions/" + sub).expect(200)
			for k := range all.list("price_intervals") {
				if i := all.entry("price_intervals", k); i.text("price.name") == "Seats" {
					price = i.text("price.id")
				}
			}
			o.give(sub, "a", nil)
			o.give(sub, "b", nil)
			o.post("/v1/licenses", o.asked(sub, "c", nil)).refuse(400, "400-constraint-violation")
			o.quantity(sub, price, 3, object{"effective_date": "2025-06-16"}).expect(200)
			o.post("/v1/licenses", o.asked(sub, "c", nil)).refuse(400, "400-constraint-violation")
			o.clock("2025-06-16T15:00:00Z")
			o.give(sub, "c", nil)
			o.spend(customer, "c", "2025-06-16T14:00:00Z", "130")
			o.post("/v1/licenses", o.asked(sub, "d", nil)).refuse(400, "400-constraint-violation")
			o.clock("2025-07-02T00:00:00Z")
			Expect(o.bills(sub)).To(ContainElements("2025-06-10 issued 14.00", "2025-06-16 issued 5.00", "2025-07-01 issued 31.50"), "30 of 130 credits at 0.05, and 3 licenses")
		})
	})

	Describe("credits that paid for days, of a block that has expired since,", func() {
		var s fixture
		var buyer string
		BeforeEach(func() {
			s = newFixture("2025-06-01T00:00:00Z")
			buyer = s.buyer(object{"currency": "USD"})
			s.credits(buyer, object{"amount": 20, "currency": "USD", "expiry_date": "2025-06-10"})
		})

		It("and a migration in the middle of the period: they paid still", func() {
			made := s.plan(nil, s.calls("1"))
			sub := s.on(made.text("id"), buyer, nil)
			s.clock("2025-06-03T12:00:00Z")
			s.use(buyer, "2025-06-03T11:00:00Z", "20")
			s.clock("2025-06-15T09:00:00Z")
			s.version(made.text("id"), 2, replacing(made.text("prices[0].id"), s.calls("2")))
			s.migrate(made.text("id"), 2, "")
			s.catchUp()
			s.clock("2025-06-16T00:00:00Z")
			s.use(buyer, "2025-06-15T23:00:00Z", "3")
			Expect(s.ledger(buyer, "USD")[1:]).To(Equal([]string{"decrement 20 committed: 0"}))
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.bills(sub)).To(HaveLen(2))
			Expect(s.bills(sub)[0]).To(Equal("2025-07-01 issued 6.00"))
			Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-07-01"}))
		})

		It("and a trial of another subscription whose end moves: they paid still", func() {
			sub := s.subscribe(buyer, nil, s.calls("1")).text("id")
			tried := s.subscribe(buyer, object{"trial_duration_days": 20}, s.calls("5"), s.fee("30.00")).text("id")
			s.clock("2025-06-03T12:00:00Z")
			s.use(buyer, "2025-06-03T11:00:00Z", "20")
			s.clock("2025-06-15T09:00:00Z")
			s.trial(tried, "2025-06-25", nil).expect(200)
			Expect(s.ledger(buyer, "USD")[1:]).To(Equal([]string{"decrement 20 committed: 0"}))
			s.trial(tried, "immediate", nil).expect(200)
			Expect(s.ledger(buyer, "USD")[1:]).To(Equal([]string{"decrement 20 committed: 0"}))
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.bills(sub)[0]).To(Equal("2025-07-01 paid 0.00"))
			Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-07-01"}))
		})
	})

	Describe("a change of whose usage a price counts", func() {
		It("and alerts: they see what is used by the others from then on", func() {
			s := newFixture("2025-03-10T00:00:00Z")
			s.listens()
			parent := s.buyer(nil)
			child := s.buyer(object{"hierarchy": object{"parent_customer_id": parent}})
			made := s.subscribe(parent, nil, s.calls("1.00"))
			s.post("/v1/alerts/subscription_id/"+made.text("id"), object{"type": "cost_exceeded", "thresholds": thresholds("30", "45")}).expect(201)
			s.use(parent, "2025-03-10T00:00:00Z", "10")
			s.use(child, "2025-03-10T00:00:00Z", "50")
			Expect(s.reached()).To(BeEmpty())
			s.clock("2025-03-20T00:00:00Z")
			s.intervals(made.text("id"), edit(made.entry("price_intervals", 0).text("id"), object{"usage_customer_ids": list{parent, child}})).expect(200)
			Expect(s.reached()).To(BeEmpty())
			s.use(child, "2025-03-20T00:00:00Z", "25")
			Expect(s.reached()).To(Equal([]string{"cost_exceeded: 30.00 by 35.00"}))
			s.use(parent, "2025-03-20T00:00:00Z", "10")
			Expect(s.reached()).To(Equal([]string{"cost_exceeded: 45.00 by 45.00"}))
		})

		It("and licenses: usage of the others draws on them from then on", func() {
			o := newLicenseFixture("2025-06-10T15:00:00Z")
			customer, sub := o.rent(nil, nil, o.seats(2, "100", nil), o.metered())
			child := o.buyer(object{"hierarchy": object{"parent_customer_id": customer}})
			o.give(sub, "a", nil)
			rows := func() []string {
				return figures(o.get("/v1/licenses/usage?subscription_id=" + sub + "&license_type_id=" + o.kind).expect(200))
			}
			o.spend(customer, "a", "2025-06-10T14:00:00Z", "30")
			o.spend(child, "a", "2025-06-10T14:00:00Z", "60")
			Expect(rows()).To(Equal([]string{"a 06-10 07-01: 100 - 30 = 70, 30 eligible, 0 shared"}))
			o.clock("2025-06-20T15:00:00Z")
			all := o.get("/v1/subscriptions/" + sub).expect(200)
			for k := range all.list("price_intervals") {
				if i := all.entry("price_intervals", k); i.text("price.name") == "Calls" {
					o.intervals(sub, edit(i.text("id"), object{"usage_customer_ids": list{customer, child}})).expect(200)
				}
			}
			Expect(rows()).To(Equal([]string{"a 06-10 07-01: 100 - 30 = 70, 30 eligible, 0 shared"}))
			o.clock("2025-06-21T15:00:00Z")
			o.spend(child, "a", "2025-06-21T14:00:00Z", "80")
			Expect(rows()).To(Equal([]string{"a 06-10 07-01: 100 - 100 = 0, 110 eligible, 10 shared"}))
			o.clock("2025-07-01T12:00:00Z")
			Expect(o.bills(sub)).To(ContainElement("2025-07-01 issued 20.50"), "10 of 110 credits at 0.05, and 2 licenses")
		})
	})

	Describe("a price charged to date under an adjustment that it shares", func() {
		annual := object{"name": "Annual", "cadence": "annual", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"}}
		sold := func(s fixture, kind, change object) (customer, sub string) {
			GinkgoHelper()
			kind = with(kind, object{"applies_to_all": true})
			if kind["adjustment_type"] == "minimum" {
				kind["item_id"] = s.item
			}
			customer = s.buyer(object{"currency": "USD"})
			terms := with(object{"end_date": "2025-05-01", "add_adjustments": list{object{"adjustment": kind}}}, change)
			return customer, s.subscribe(customer, terms, with(s.calls("1.00"), object{"name": "Monthly"}), with(s.calls("1.00"), annual)).text("id")
		}
		lived := func(s fixture, customer string) {
			GinkgoHelper()
			s.clock("2025-01-20T00:00:00Z")
			s.use(customer, "2025-01-20T00:00:00Z", "50") // 100 of both
			s.clock("2025-02-20T00:00:00Z")
			s.use(customer, "2025-02-20T00:00:00Z", "20") // 40
			s.clock("2025-05-03T00:00:00Z")
		}

		DescribeTable("and credits: they pay what each invoice adds, once",
			func(kind object, left string, bills ...string) {
				s := newFixture("2025-01-01T00:00:00Z")
				customer, sub := sold(s, kind, nil)
				s.credits(customer, object{"amount": 110, "currency": "USD"})
				lived(s, customer)
				Expect(s.bills(sub)).To(Equal(bills))
				Expect(s.blocks(customer, "USD")).To(Equal([]string{left}))
			},
			Entry("a maximum", object{"adjustment_type": "maximum", "maximum_amount": "60.00"}, "10",
				"2025-02-01 paid 0.00", "2025-03-01 paid 0.00", "2025-04-01 paid 0.00", "2025-05-01 paid 0.00"),
			Entry("an amount off", object{"adjustment_type": "amount_discount", "amount_discount": "15.00"}, "0",
				"2025-02-01 paid 0.00", "2025-03-01 paid 0.00", "2025-04-01 paid 0.00", "2025-05-01 paid 0.00"),
			Entry("a minimum", object{"adjustment_type": "minimum", "minimum_amount": "50.00"}, "0",
				"2025-02-01 paid 0.00", "2025-03-01 issued 40.00", "2025-04-01 issued 50.00", "2025-05-01 issued 50.00"),
		)

		DescribeTable("and a threshold: partial invoices and the others come to the same together",
			func(kind object, bills ...string) {
				s := newFixture("2025-01-01T00:00:00Z")
				customer, sub := sold(s, kind, object{"invoicing_threshold": "50.00"})
				lived(s, customer)
				Expect(s.bills(sub)).To(Equal(bills))
			},
			Entry("a maximum", object{"adjustment_type": "maximum", "maximum_amount": "60.00"},
				"2025-01-20 issued 60.00", "2025-02-01 paid 0.00", "2025-03-01 issued 40.00", "2025-04-01 paid 0.00", "2025-05-01 paid 0.00"),
			Entry("an amount off", object{"adjustment_type": "amount_discount", "amount_discount": "15.00"},
				"2025-01-20 issued 85.00", "2025-02-01 paid 0.00", "2025-03-01 issued 25.00", "2025-04-01 paid 0.00", "2025-05-01 paid 0.00"),
			Entry("a minimum", object{"adjustment_type": "minimum", "minimum_amount": "120.00"},
				"2025-01-20 issued 100.00", "2025-02-01 issued 20.00", "2025-03-01 issued 120.00", "2025-04-01 issued 120.00", "2025-05-01 issued 120.00"),
		)
	})
})
