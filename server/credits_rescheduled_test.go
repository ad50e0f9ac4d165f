package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// paidDays writes the deductions of a customer, oldest first, as "20 committed by date of
// the invoice that bills them", and fails the spec where one names an invoice that is gone.
func (s fixture) paidDays(customer, currency string) (texts []string) {
	GinkgoHelper()
	all := s.get("/v1/customers/" + customer + "/credits/ledger?limit=100&entry_type=decrement&currency=" + currency).expect(200)
	for k := len(all.list("data")) - 1; k >= 0; k-- {
		e := all.entry("data", k)
		billed := "none"
		if e.at("invoice_id") != nil {
			billed = s.get("/v1/invoices/" + e.text("invoice_id")).expect(200).text("invoice_date")[:10]
		}
		texts = append(texts, fmt.Sprintf("%s %s by %s", e.at("amount"), e.at("entry_status"), billed))
	}
	return texts
}

// A block of 20.00 that expired on 10 June paid 20.00 of 3 June, which are committed. It is
// the 15th.
var _ = Describe("Credits that paid for a day, when the date of its draft changes", func() {
	var s fixture
	var buyer, sub, interval string
	open := func() {
		GinkgoHelper()
		s = newFixture("2025-06-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		s.credits(buyer, object{"amount": 20, "currency": "USD", "expiry_date": "2025-06-10"})
		made := s.subscribe(buyer, nil, s.calls("1"))
		sub, interval = made.text("id"), made.text("price_intervals[0].id")
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "20")
		s.clock("2025-06-15T09:00:00Z")
		Expect(s.ledger(buyer, "USD")[1:]).To(Equal([]string{"decrement 20 committed: 0"}))
	}
	ledger := func() []string { GinkgoHelper(); return s.ledger(buyer, "USD")[1:] }
	phased := func() {
		GinkgoHelper()
		s = newFixture("2025-06-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		s.credits(buyer, object{"amount": 20, "currency": "USD", "expiry_date": "2025-06-10"})
		plan := s.post("/v1/plans", object{
			"name": "Ramp", "currency": "USD",
			"plan_phases": list{object{"order": 1, "duration": 2, "duration_unit": "monthly"}, object{"order": 2}},
			"prices":      list{object{"price": s.calls("1"), "plan_phase_order": 1}, object{"price": s.calls("2"), "plan_phase_order": 2}},
		}).expect(201).text("id")
		sub = s.post("/v1/subscriptions", object{"customer_id": buyer, "plan_id": plan}).expect(201).text("id")
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "20")
		s.clock("2025-06-15T09:00:00Z")
	}

	DescribeTable("stay what they paid, on the document that bills the day",
		func(change func(), date string, bills ...string) {
			open()
			change()
			Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0"}))
			Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by " + date}))
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal(bills))
			Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0"}))
			Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by " + date}))
		},
		Entry("a cancellation that is scheduled", func() { s.cancel(sub, asOf("2025-06-20")).expect(200) }, "2025-06-20", "2025-06-20 paid 0.00"),
		Entry("one that is scheduled and taken back", func() {
			s.cancel(sub, asOf("2025-06-20")).expect(200)
			s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		}, "2025-07-01", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"),
		Entry("one that is scheduled and moved", func() {
			s.cancel(sub, asOf("2025-06-20")).expect(200)
			s.cancel(sub, asOf("2025-06-25")).expect(200)
		}, "2025-06-25", "2025-06-25 paid 0.00"),
		Entry("one as of now", func() { s.cancel(sub, nil).expect(200) }, "2025-06-15", "2025-06-15 paid 0.00"),
		Entry("one as of a past day", func() { s.cancel(sub, asOf("2025-06-12")).expect(200) }, "2025-06-12", "2025-06-12 paid 0.00"),
		Entry("a plan change now", func() {
			s.move(sub, s.plan(nil, s.calls("3")).text("id"), nil).expect(200)
		}, "2025-06-15", "2025-06-15 paid 0.00", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"),
		Entry("a plan change ahead", func() {
			s.move(sub, s.plan(nil, s.calls("3")).text("id"), onDate("2025-06-20")).expect(200)
		}, "2025-06-20", "2025-06-20 paid 0.00", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"),
		Entry("a plan change that begins another cycle", func() {
			s.move(sub, s.plan(nil, s.calls("3")).text("id"), with(onDate("2025-06-20"), object{"billing_cycle_alignment": "plan_change_date"})).expect(200)
		}, "2025-06-20", "2025-06-20 paid 0.00", "2025-07-20 draft 0.00"),
		Entry("a plan change ahead that is taken back", func() {
			s.move(sub, s.plan(nil, s.calls("3")).text("id"), onDate("2025-06-20")).expect(200)
			s.post("/v1/subscriptions/"+sub+"/unschedule_pending_plan_changes", nil).expect(200)
		}, "2025-07-01", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"),
		Entry("the end of a price interval ahead", func() { s.intervals(sub, edit(interval, object{"end_date": "2025-06-20"})).expect(200) },
			"2025-06-20", "2025-06-20 paid 0.00"),
		Entry("one in the past", func() { s.intervals(sub, edit(interval, object{"end_date": "2025-06-05"})).expect(200) },
			"2025-06-05", "2025-06-05 paid 0.00"),
		Entry("one that is taken back", func() {
			s.intervals(sub, edit(interval, object{"end_date": "2025-06-20"})).expect(200)
			s.intervals(sub, edit(interval, object{"end_date": nil})).expect(200)
		}, "2025-07-01", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"),
		Entry("a later start of a price interval", func() { s.intervals(sub, edit(interval, object{"start_date": "2025-06-02"})).expect(200) },
			"2025-07-01", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"),
		Entry("two changes, the first of which is as of an instant amid today", func() {
			s.intervals(sub, edit(interval, object{"end_date": "2025-06-15T12:00:00Z"})).expect(200)
			s.cancel(sub, asOf("2025-06-14")).expect(200)
		}, "2025-06-14", "2025-06-14 paid 0.00"),
	)

	It("stay when the next phase is begun ahead of its day", func() {
		phased()
		s.post("/v1/subscriptions/"+sub+"/trigger_phase", object{}).expect(200)
		Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0"}))
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-06-15"}))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-15 paid 0.00", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"}))
	})

	It("stay when the plan's version changes", func() {
		open()
		plan := s.get("/v1/subscriptions/" + sub).expect(200).text("plan.id")
		old := s.get("/v1/plans/" + plan).expect(200).text("prices[0].id")
		s.version(plan, 2, object{"replace_prices": list{object{"replaces_price_id": old, "price": s.calls("3")}}})
		s.post("/v1/subscriptions/"+sub+"/schedule_plan_change",
			object{"plan_id": plan, "plan_version_number": 2, "change_option": "requested_date", "change_date": "2025-06-20"}).expect(200)
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-06-20"}))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-20 paid 0.00", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"}))
		Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0"}))
	})

	It("stay when an issued invoice is replaced by one that ends sooner", func() {
		open()
		s.use(buyer, "2025-06-15T08:00:00Z", "5")
		s.clock("2025-07-10T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-07-01 issued 5.00", "2025-08-01 draft 0.00"}))
		s.cancel(sub, asOf("2025-06-20")).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-20 issued 5.00"}))
		Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0"}))
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-06-20"}))
	})

	It("stay when an issued invoice is replaced by one with a coupon", func() {
		open()
		s.use(buyer, "2025-06-15T08:00:00Z", "5")
		s.clock("2025-07-10T00:00:00Z")
		s.coupon(object{"redemption_code": "FIFTH"}, object{"discount": object{"discount_type": "percentage", "percentage_discount": 0.2}})
		s.redeem(sub, "FIFTH", object{"change_option": "requested_date", "change_date": "2025-06-01"}).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-07-01 paid 0.00", "2025-08-01 draft 0.00"}))
		Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0"}))
	})

	It("stay on the invoices of a price that is invoiced more often than its cycle ends", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		buyer := s.buyer(object{"currency": "USD"})
		s.credits(buyer, object{"amount": 20, "currency": "USD", "expiry_date": "2025-06-10"})
		sub := s.subscribe(buyer, nil, with(s.calls("1"), object{
			"cadence": "quarterly", "invoicing_cycle_configuration": object{"duration": 1, "duration_unit": "month"},
		})).text("id")
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "25")
		s.clock("2025-06-15T09:00:00Z")
		s.cancel(sub, asOf("2025-07-20")).expect(200)
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		s.cancel(sub, asOf("2025-06-20")).expect(200)
		Expect(s.ledger(buyer, "USD")[1:]).To(Equal([]string{"decrement 20 committed: 0"}))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-20 issued 5.00"}))
	})

	It("stay of a price whose cycle is longer than the billing period, whose draft is not opened yet", func() {
		s := newFixture("2025-06-01T00:00:00Z")
		buyer := s.buyer(object{"currency": "USD"})
		s.credits(buyer, object{"amount": 20, "currency": "USD", "expiry_date": "2025-06-10"})
		sub := s.subscribe(buyer, nil, s.fee("0.00"), with(s.calls("1"), object{"cadence": "quarterly"})).text("id")
		s.clock("2025-06-03T12:00:00Z")
		s.use(buyer, "2025-06-03T11:00:00Z", "25")
		s.clock("2025-06-15T09:00:00Z")
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by none"}))
		s.cancel(sub, asOf("2025-06-20")).expect(200)
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-06-20"}))
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by none"}))
		s.cancel(sub, asOf("2025-08-15")).expect(200)
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by none"}))
		s.clock("2025-08-16T00:00:00Z")
		Expect(s.ledger(buyer, "USD")[1:]).To(Equal([]string{"decrement 20 committed: 0"}))
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-08-15"}))
		Expect(s.bills(sub)).To(ContainElement("2025-08-15 issued 5.00"))
	})

	It("stay for local days, where clocks change", func() {
		s := newFixture("2025-03-01T05:00:00Z")
		local := s.buyer(object{"currency": "USD", "timezone": "America/New_York"})
		s.credits(local, object{"amount": 20, "currency": "USD", "expiry_date": "2025-03-10"}) // the day before has 23 hours
		sub := s.subscribe(local, nil, s.calls("1")).text("id")
		s.clock("2025-03-10T03:59:59Z")
		s.use(local, "2025-03-10T03:59:59Z", "12")
		s.clock("2025-03-10T04:00:00Z")
		s.use(local, "2025-03-10T04:00:00Z", "3")
		s.clock("2025-03-15T09:00:00Z")
		Expect(s.ledger(local, "USD")[1:]).To(Equal([]string{"decrement 12 committed: 8", "credit_block_expiry 8 committed: 0"}))
		s.cancel(sub, asOf("2025-03-31")).expect(200)
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		s.cancel(sub, asOf("2025-03-11")).expect(200)
		Expect(s.ledger(local, "USD")[1:]).To(Equal([]string{"decrement 12 committed: 8", "credit_block_expiry 8 committed: 0"}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-11 issued 3.00"}))
	})

	It("keep late usage on the day that it was charged with", func() {
		open()
		s.credits(buyer, object{"amount": 4, "currency": "USD", "effective_date": "2025-06-12", "expiry_date": "2025-06-16"})
		backfill := s.post("/v1/events/backfills", object{
			"timeframe_start": "2025-06-03T00:00:00Z", "timeframe_end": "2025-06-04T00:00:00Z", "replace_existing_events": false,
		}).expect(200).text("id")
		s.useIn(backfill, buyer, "2025-06-03T10:00:00Z", "6")
		s.post("/v1/events/backfills/"+backfill+"/close", nil).expect(200)
		s.clock("2025-06-17T09:00:00Z")
		paid := []string{"decrement 20 committed: 0", "increment 4 committed: 4", "decrement 4 committed: 0"}
		Expect(ledger()).To(Equal(paid))
		s.cancel(sub, asOf("2025-06-20")).expect(200)
		Expect(ledger()).To(Equal(paid))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-20 issued 2.00"}))
	})

	It("keep late usage on the day that is still pending, where the price ends before that", func() {
		s = newFixture("2025-06-01T00:00:00Z")
		buyer = s.buyer(object{"currency": "USD"})
		sub = s.subscribe(buyer, nil, s.calls("1")).text("id")
		s.clock("2025-06-28T18:00:00Z")
		s.credits(buyer, object{"amount": 20, "currency": "USD"})
		s.credits(buyer, object{"amount": 7, "currency": "USD", "effective_date": "2025-06-24", "expiry_date": "2025-06-27"})
		backfill := s.post("/v1/events/backfills", object{
			"timeframe_start": "2025-06-18T00:00:00Z", "timeframe_end": "2025-06-19T00:00:00Z", "replace_existing_events": false,
		}).expect(200).text("id")
		s.useIn(backfill, buyer, "2025-06-18T10:00:00Z", "5")
		s.post("/v1/events/backfills/"+backfill+"/close", nil).expect(200)
		s.clock("2025-06-29T01:00:00Z")
		s.cancel(sub, asOf("2025-06-24")).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-24 paid 0.00"}))
		Expect(s.blocks(buyer, "USD")).To(Equal([]string{"15", "0"}))
	})

	It("keep the entries of days that are pending, too", func() {
		open()
		s.credits(buyer, object{"amount": 10, "currency": "USD"})
		s.use(buyer, "2025-06-15T08:00:00Z", "3")
		before := s.get("/v1/customers/" + buyer + "/credits/ledger?currency=USD").expect(200).at("data[0].id")
		s.cancel(sub, asOf("2025-06-20")).expect(200)
		Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0", "increment 10 committed: 10", "decrement 3 pending: 7"}))
		Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-06-20", "3 pending by 2025-06-20"}))
		Expect(s.get("/v1/customers/" + buyer + "/credits/ledger?currency=USD").expect(200).at("data[0].id")).To(Equal(before))
		s.use(buyer, "2025-06-15T08:00:00Z", "1")
		Expect(ledger()[2:]).To(Equal([]string{"decrement 4 pending: 6"}))
	})

	Describe("that is not charged any more", func() {
		It("come back, and expire where their block did", func() {
			open()
			s.cancel(sub, asOf("2025-06-02")).expect(200)
			Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0", "amendment 20 committed: 20", "credit_block_expiry 20 committed: 0"}))
			Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by 2025-06-02"}))
			Expect(s.bills(sub)).To(Equal([]string{"2025-06-02 paid 0.00"}))
		})

		It("come back though no document is left", func() {
			open()
			s.cancel(sub, asOf("2025-06-01")).expect(200)
			Expect(s.bills(sub)).To(BeEmpty())
			Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0", "amendment 20 committed: 20", "credit_block_expiry 20 committed: 0"}))
			Expect(s.paidDays(buyer, "USD")).To(Equal([]string{"20 committed by none"}))
		})

		It("pay for another price that takes its place from before that day", func() {
			open()
			s.intervals(sub, with(edit(interval, object{"end_date": "2025-06-02"}),
				adding(object{"price": floating(with(s.calls("0.80"), object{"name": "Cheaper"})), "start_date": "2025-06-02"}))).expect(200)
			Expect(ledger()).To(Equal([]string{
				"decrement 20 committed: 0", "amendment 20 committed: 20", "decrement 16 committed: 4", "credit_block_expiry 4 committed: 0",
			}))
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-06-02 paid 0.00", "2025-07-01 paid 0.00", "2025-08-01 draft 0.00"}))
		})

		It("pay for what is left of a day", func() {
			open()
			s.use(buyer, "2025-06-15T08:00:00Z", "1")
			s.intervals(sub, edit(interval, object{"end_date": "2025-06-03T11:30:00Z"})).expect(200)
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.bills(sub)).To(Equal([]string{"2025-06-03 paid 0.00"}))
			Expect(s.blocks(buyer, "USD")).To(Equal([]string{"0"}))
		})
	})

	It("do not make a top-up buy", func() {
		open()
		s.credits(buyer, object{"amount": 25, "currency": "USD", "effective_date": "2025-06-01"})
		s.post("/v1/customers/"+buyer+"/credits/top_ups", object{
			"currency": "USD", "threshold": "20", "amount": "100", "per_unit_cost_basis": "1",
			"invoice_settings": object{"auto_collection": false, "net_terms": 0},
		}).expect(201)
		s.cancel(sub, asOf("2025-06-20")).expect(200)
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.blocks(buyer, "USD")).To(Equal([]string{"0", "25"}))
		Expect(ledger()).To(Equal([]string{"decrement 20 committed: 0", "increment 25 committed: 25"}))
	})

	It("do not tell of a drop of the balance again", func() {
		w := newAlertFixture(inCredits)
		w.credits(w.buyer, object{"amount": 60, "effective_date": "2025-03-01"})
		w.uses("2025-03-10T08:00:00Z", "12")
		w.clock("2025-03-15T09:00:00Z")
		id := w.balanceAlert("credit_balance_dropped", object{"thresholds": thresholds("50", "10")}).text("id")
		w.balanceAlert("credit_balance_recovered", nil)
		Expect(w.moved()).To(BeEmpty())
		w.cancel(w.subscription, asOf("2025-03-20")).expect(200)
		Expect(w.moved()).To(BeEmpty())
		w.post("/v1/subscriptions/"+w.subscription+"/unschedule_cancellation", nil).expect(200)
		w.cancel(w.subscription, asOf("2025-03-12")).expect(200)
		Expect(w.moved()).To(BeEmpty())
		Expect(w.inAlert(id)).To(Equal([]string{"50 true", "10 false"}))
		Expect(w.ledger(w.buyer, "credits")).To(Equal([]string{"increment 60 committed: 60", "decrement 12 committed: 48"}))
	})
})
