package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("The fee of an allocation", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-06-01T09:00:00Z") })

	cancel := func(subscription string, how object) {
		GinkgoHelper()
		s.post("/v1/subscriptions/"+subscription+"/cancel", how).expect(200)
	}
	now := object{"cancel_option": "immediate"}

	It("is not given back for credits that were spent on the first day", func() {
		buyer := s.buyer(nil)
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", nil), s.callsInCredits())
		s.use(buyer, "2025-06-01T08:00:00Z", "1000")
		s.clock("2025-06-02T09:00:00Z")
		cancel(sub, now)
		Expect(s.refunds(sub)).To(BeEmpty())
		Expect(s.bills(sub)).To(ContainElement("2025-06-01 issued 50.00"))
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"0"}))
	})

	It("is not given back by a credit note on request, which leaves the credits", func() {
		sub := s.subscribeTo(s.buyer(nil), nil, paidCredits("1000", nil), s.callsInCredits())
		line := s.invoices(sub).entry("data", 1).at("line_items[0].id")
		s.post("/v1/credit_notes", object{"line_items": list{credited(line, "1.00")}}).
			refuse(400, "400-constraint-violation", "the fee of an allocation is credited as its price ends")
	})

	DescribeTable("is given back for the days that are left, or for the unspent credits where these cost less",
		func(used, refund string) {
			buyer := s.buyer(nil)
			sub := s.subscribeTo(buyer, nil, paidCredits("1000", nil), s.callsInCredits())
			s.clock("2025-06-10T09:00:00Z")
			s.use(buyer, "2025-06-10T08:00:00Z", used)
			cancel(sub, now)
			Expect(s.refunds(sub)).To(Equal([]string{refund}))
			Expect(s.blocks(buyer, "credits")).To(Equal([]string{"0"}))
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.refunds(sub)).To(Equal([]string{refund}))
		},
		Entry("21 of 30 days are left", "100", "35.00"),
		Entry("600 credits are left", "400", "30.00"),
		Entry("a part of a credit is left, and rounded once", "999.7", "0.02"),
	)

	It("is whole for a first period that is a part of a month, like the grant", func() {
		s.clock("2025-06-16T09:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", nil), s.callsInCredits())
		Expect(s.bills(sub)).To(Equal([]string{"2025-06-16 issued 50.00", "2025-07-01 draft 50.00"}))
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"1000"}))
		s.clock("2025-06-26T00:00:00Z")
		cancel(sub, now) // 5 of 15 days are left
		Expect(s.refunds(sub)).To(Equal([]string{"16.67"}))
	})

	It("is the same whether the end was known before it was charged or not", func() {
		var totals [][]string
		for _, known := range []bool{true, false} {
			s = newFixture("2025-05-20T09:00:00Z")
			buyer := s.buyer(nil)
			end := object{"cancel_option": "requested_date", "cancellation_date": "2025-06-21"}
			sub := s.subscribeTo(buyer, object{"start_date": "2025-05-01"}, paidCredits("1000", nil), s.callsInCredits())
			if known {
				cancel(sub, end)
			}
			s.clock("2025-06-02T00:00:00Z")
			if !known {
				cancel(sub, end)
			}
			s.use(buyer, "2025-06-02T00:00:00Z", "100")
			s.clock("2025-06-20T23:59:59Z")
			Expect(s.refunds(sub)).To(BeEmpty())
			s.clock("2025-06-21T00:00:00Z")
			Expect(s.refunds(sub)).To(Equal([]string{"16.67"}))
			Expect(s.blocks(buyer, "credits")).To(Equal([]string{"0", "0"}))
			totals = append(totals, s.bills(sub))
		}
		Expect(totals[1]).To(Equal(totals[0]))
	})

	It("and its credits are as before when a cancellation is taken back", func() {
		buyer := s.buyer(nil)
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", nil), s.callsInCredits())
		cancel(sub, object{"cancel_option": "requested_date", "cancellation_date": "2025-07-11"})
		s.clock("2025-07-02T00:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		s.clock("2025-08-02T00:00:00Z")
		Expect(s.refunds(sub)).To(BeEmpty())
		Expect(s.bills(sub)).To(ContainElements("2025-07-01 issued 50.00", "2025-08-01 issued 50.00"))
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"0", "0", "1000"}))
	})

	It("was given back for good: late usage does not draw the credits again", func() {
		buyer := s.buyer(nil)
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", nil), s.callsInCredits())
		s.clock("2025-06-21T00:00:00Z")
		s.use(buyer, "2025-06-20T23:00:00Z", "900")
		cancel(sub, now)
		Expect(s.refunds(sub)).To(Equal([]string{"5.00"}))
		s.clock("2025-06-21T06:00:00Z")
		s.use(buyer, "2025-06-20T23:30:00Z", "40")
		s.clock("2025-06-21T12:00:00Z")
		Expect(s.ledger(buyer, "credits")).To(Equal([]string{
			"increment 1000 committed: 1000", "decrement 900 committed: 100", "credit_block_expiry 100 committed: 0",
		}))
		Expect(s.bills(sub)).To(ContainElement("2025-06-21 issued 40.00"))
	})

	Context("whose credits pay for a fee in arrears that a change cuts", func() {
		var buyer, sub string
		start := func(zone, from string) {
			GinkgoHelper()
			s = newFixture(from)
			buyer = s.buyer(object{"timezone": zone})
			yearly := with(s.fee("365"), object{"currency": "credits", "conversion_rate": 1, "cadence": "annual", "billed_in_advance": false})
			sub = s.subscribeTo(buyer, nil, paidCredits("400", nil), object{"price": yearly}, s.callsInCredits())
		}

		// The fee draws 365 of the 400 credits on its first day. Ten days of it cost 10, so 390 credits are unspent.
		DescribeTable("is given back for what the fee does not draw in the end, as its invoice is issued",
			func(zone, from, end, issue string, atOnce, inAll []string) {
				start(zone, from)
				s.clock(end)
				cancel(sub, now)
				Expect(s.refunds(sub)).To(Equal(atOnce))
				s.clock(issue)
				Expect(s.refunds(sub)).To(ConsistOf(inAll))
				Expect(s.blocks(buyer, "credits")).To(Equal([]string{"0"}))
				s.clock("2025-12-31T00:00:00Z")
				Expect(s.refunds(sub)).To(ConsistOf(inAll))
			},
			Entry("20 of 30 days are left, which cost more than 35 credits and less than 390", "UTC",
				"2025-06-01T00:00:00Z", "2025-06-11T00:00:00Z", "2025-06-11T12:00:00Z", []string{"1.75"}, []string{"1.75", "11.58"}),
			Entry("21 of 31 days are left, over a clock change", "America/New_York",
				"2025-03-01T05:00:00Z", "2025-03-11T04:00:00Z", "2025-03-11T16:00:00Z", []string{"1.75"}, []string{"1.75", "11.80"}),
			Entry("the last day of the month is left, which costs less than 35 credits", "UTC",
				"2025-01-01T00:00:00Z", "2025-01-31T00:00:00Z", "2025-01-31T12:00:00Z", []string{"0.65"}, []string{"0.65"}),
		)

		It("is given back at the next invoice, not as the plan changes once more", func() {
			start("UTC", "2025-06-01T00:00:00Z")
			s.use(buyer, "2025-06-01T00:00:00Z", "35") // so nothing is unspent
			s.clock("2025-06-11T00:00:00Z")
			other := s.plan(object{"prices": list{object{"price": s.fee("1")}}}).text("id")
			change := object{"change_option": "immediate", "plan_id": other}
			s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", change).expect(200)
			Expect(s.refunds(sub)).To(BeEmpty())
			s.clock("2025-06-11T12:00:00Z")
			Expect(s.refunds(sub)).To(Equal([]string{"13.33"})) // of 355 credits, 20 of 30 days
			another := s.plan(object{"prices": list{object{"price": s.fee("1")}}}).text("id")
			s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", with(change, object{"plan_id": another})).expect(200)
			Expect(s.refunds(sub)).To(ContainElement("13.33"))
			Expect(s.refunds(sub)).NotTo(ContainElement("17.75"))
		})
	})

	It("is given back with its discount", func() {
		buyer := s.buyer(nil)
		sub := s.subscribeTo(buyer, object{"add_adjustments": list{
			object{"adjustment": off("percentage_discount", "percentage_discount", json.Number("0.5"), object{"applies_to_all": true})},
		}}, paidCredits("1000", nil), s.callsInCredits())
		s.clock("2025-06-10T09:00:00Z")
		s.use(buyer, "2025-06-10T08:00:00Z", "400")
		cancel(sub, now)
		Expect(s.refunds(sub)).To(Equal([]string{"15.00"}))
	})

	It("is given back where the price alone ends, by local days across a change of the clock, and its credits are taken back", func() {
		s = newFixture("2025-03-01T05:00:00Z")
		buyer := s.buyer(object{"timezone": "America/New_York"})
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", object{"expires_at_end_of_cadence": false}), s.callsInCredits())
		interval := s.get("/v1/subscriptions/" + sub).expect(200).text("price_intervals[0].id")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{"edit": list{object{"price_interval_id": interval, "end_date": "2025-03-12"}}}).expect(200)
		s.clock("2025-03-12T03:59:59Z")
		Expect(s.refunds(sub)).To(BeEmpty())
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"1000"}))
		s.clock("2025-03-12T04:00:00Z")
		Expect(s.refunds(sub)).To(Equal([]string{"32.26"})) // 20 of 31 days
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"0"}))
	})

	It("is not given back for credits that had expired by then", func() {
		buyer := s.buyer(nil)
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", object{"expires_at_end_of_cadence": absent, "custom_expiration": object{"duration": 5, "duration_unit": "day"}}), s.callsInCredits())
		s.clock("2025-06-10T09:00:00Z")
		cancel(sub, now)
		Expect(s.refunds(sub)).To(BeEmpty())
	})

	It("is refused to be given back where nothing may be credited", func() {
		buyer := s.buyer(nil)
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", nil), s.callsInCredits())
		s.clock("2025-06-10T09:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/cancel", with(now, object{"allow_invoice_credit_or_void": false})).expect(400)
		Expect(s.blocks(buyer, "credits")).To(Equal([]string{"1000"}))
	})

	It("is given back once the invoice is issued, if the price ended before", func() {
		buyer := s.buyer(nil)
		s.clock("2025-06-20T09:00:00Z")
		sub := s.subscribeTo(buyer, nil, paidCredits("1000", nil), s.callsInCredits()) // the invoice of 1 July has usage, and waits
		s.clock("2025-07-01T06:00:00Z")
		cancel(sub, now)
		Expect(s.refunds(sub)).To(BeEmpty())
		s.clock("2025-07-01T18:00:00Z")
		Expect(s.bills(sub)).To(ContainElement(HaveSuffix(" 50.00")))
		Expect(s.refunds(sub)).To(Equal([]string{"50.00"}))
	})
})
