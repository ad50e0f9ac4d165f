package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("A partial invoice of a time that is not served any more", func() {
	const refused = "400-constraint-violation"
	var s fixture
	var acme, sub, calls string
	unasked := object{"allow_invoice_credit_or_void": false}

	// begin has the customer use 3 on 1 March and 12 on the 5th, which the threshold of 10
	// invoices at 10:00, and 4 on the 20th, when it is.
	begin := func(more ...string) {
		GinkgoHelper()
		s = newFixture("2025-03-01T00:00:00Z")
		acme = s.buyer(nil)
		prices := []object{s.calls("1.00")}
		for _, amount := range more {
			prices = append(prices, s.calls(amount))
		}
		made := s.subscribe(acme, object{"invoicing_threshold": "10.00"}, prices...)
		sub, calls = made.text("id"), made.entry("price_intervals", 0).text("id")
		s.use(acme, "2025-03-01T00:00:00Z", "3")
		s.clock("2025-03-05T10:00:00Z")
		s.use(acme, "2025-03-05T09:00:00Z", "12")
		s.clock("2025-03-05T10:00:00Z")
		s.clock("2025-03-20T10:00:00Z")
		s.use(acme, "2025-03-20T09:00:00Z", "4")
	}
	lives := func(start, end any) object { return edit(calls, object{"start_date": start, "end_date": end}) }
	tick := func() {
		GinkgoHelper()
		s.clock("2025-03-20T10:00:00Z")
	}

	It("is void where the price is removed", func() {
		begin()
		s.intervals(sub, with(lives("2025-03-01", "2025-03-01"), unasked)).refuse(400, refused, "allow_invoice_credit_or_void")
		Expect(changed(s.intervals(sub, lives("2025-03-01", "2025-03-01")).expect(200))).To(Equal([]string{"2025-03-05 void 15.00"}))
		Expect(s.bills(sub)).To(BeEmpty())
	})

	It("is void where the price ended before, and what holds of it comes with the end", func() {
		begin()
		s.intervals(sub, with(lives("2025-03-01", "2025-03-05"), unasked)).refuse(400, refused, "allow_invoice_credit_or_void")
		Expect(changed(s.intervals(sub, lives("2025-03-01", "2025-03-05")).expect(200))).To(Equal([]string{"2025-03-05 issued 3.00", "2025-03-05 void 15.00"}))
		Expect(s.balance(acme)).To(Equal("0.00"))
	})

	It("stays where the price ended afterwards", func() {
		begin()
		after := s.intervals(sub, with(lives("2025-03-01", "2025-03-06"), unasked)).expect(200)
		Expect(changed(after)).To(Equal([]string{"2025-03-06 paid 0.00"}))
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-05 issued 15.00", "2025-03-06 paid 0.00"}))
	})

	It("comes again at once for what else it charged, if that comes to the threshold", func() {
		begin("2.00")
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-05 issued 45.00", "2025-04-01 draft 12.00"}))
		s.intervals(sub, lives("2025-03-01", "2025-03-01")).expect(200)
		tick()
		Expect(s.bills(sub)).To(Equal([]string{"2025-03-20 issued 38.00", "2025-04-01 draft 0.00"}))
	})

	Describe("that is paid", func() {
		It("is refunded where the price is removed", func() {
			begin()
			s.collect(sub)
			s.intervals(sub, with(lives("2025-03-01", "2025-03-01"), unasked)).refuse(400, refused, "allow_invoice_credit_or_void")
			Expect(changed(s.intervals(sub, lives("2025-03-01", "2025-03-01")).expect(200))).To(Equal([]string{"refund 15.00"}))
			Expect(s.balance(acme)).To(Equal("15.00"))
			s.get("/v1/credit_notes").expect(200).entry("data", 0).shows(object{
				"reason": "order_change", "line_items[0].start_time_inclusive": "2025-03-01T00:00:00+00:00",
				"line_items[0].end_time_exclusive": "2025-03-05T10:00:00+00:00",
			})
		})

		It("is refunded where the price begins later, but for what was credited before, and charged again where it is back", func() {
			begin()
			s.collect(sub)
			line := s.invoices(sub).entry("data", 1).entry("line_items", 0).text("id")
			s.post("/v1/credit_notes", object{"reason": "duplicate", "line_items": list{object{"amount": "2.00", "invoice_line_item_id": line}}}).expect(201)
			Expect(changed(s.intervals(sub, lives("2025-03-10", nil)).expect(200))).To(ContainElement("refund 13.00"))
			Expect(s.balance(acme)).To(Equal("15.00"))
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-05 paid 15.00", "2025-04-01 draft 4.00"}))
			Expect(changed(s.intervals(sub, lives("2025-03-01", nil)).expect(200))).To(BeEmpty())
			tick()
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-05 paid 15.00", "2025-03-20 issued 19.00", "2025-04-01 draft 0.00"}))
			Expect(changed(s.intervals(sub, lives("2025-03-10", nil)).expect(200))).To(ContainElement("2025-03-20 void 19.00"), "what is taken back is not taken back again")
		})

		It("is taken off where the price ended before, and the rest goes to the balance", func() {
			begin()
			s.collect(sub)
			s.intervals(sub, with(lives("2025-03-01", "2025-03-05"), unasked)).expect(200)
			Expect(s.bills(sub)).To(Equal([]string{"2025-03-05 paid -12.00", "2025-03-05 paid 15.00"}))
			Expect(s.balance(acme)).To(Equal("12.00"))
		})
	})

	DescribeTable("follows a cancellation as of", func(date string, changes []string, bills []string) {
		begin()
		Expect(changed(s.cancel(sub, asOf(date)).expect(200))).To(Equal(changes))
		Expect(s.bills(sub)).To(Equal(bills))
		Expect(s.balance(acme)).To(Equal("0.00"))
	},
		Entry("the start", "2025-03-01", []string{"2025-03-05 void 15.00"}, []string{}),
		Entry("a day before it", "2025-03-05", []string{"2025-03-05 issued 3.00", "2025-03-05 void 15.00"}, []string{"2025-03-05 issued 3.00"}),
		Entry("a day after it", "2025-03-06", []string{"2025-03-06 paid 0.00"}, []string{"2025-03-05 issued 15.00", "2025-03-06 paid 0.00"}),
	)

	It("keeps a subscription from being canceled as of before it, once it is paid", func() {
		begin()
		s.collect(sub)
		s.cancel(sub, asOf("2025-03-05")).refuse(400, refused, "is paid")
		s.cancel(sub, asOf("2025-03-06")).expect(200)
	})

	It("follows a change of the plan as of before it", func() {
		begin()
		pro := s.plan(object{"name": "Other"}, s.calls("3.00")).text("id")
		after := s.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{"plan_id": pro, "change_option": "requested_date", "change_date": "2025-03-05"}).expect(200)
		Expect(changed(after)).To(ContainElement("2025-03-05 void 15.00"))
		s.put("/v1/subscriptions/"+sub, object{"invoicing_threshold": nil}).expect(200)
		s.clock("2025-04-01T12:00:00Z")
		Expect(s.bills(sub)).To(ContainElements("2025-03-05 issued 3.00", "2025-04-01 issued 48.00"))
	})

	It("is of local days, through a clock change and a month's end", func() {
		s := newFixture("2025-03-01T05:00:00Z")
		york := s.buyer(object{"timezone": "America/New_York"})
		made := s.subscribe(york, object{"invoicing_threshold": "10.00"}, s.calls("1.00"))
		sub, calls := made.text("id"), made.entry("price_intervals", 0).text("id")
		end := func(day string) value {
			return s.intervals(sub, edit(calls, object{"end_date": day})).expect(200)
		}
		s.clock("2025-03-10T04:00:00Z")
		s.use(york, "2025-03-10T03:59:59.999999Z", "2")
		s.use(york, "2025-03-10T04:00:00Z", "1")
		s.clock("2025-04-01T03:59:00Z")
		s.use(york, "2025-04-01T03:58:00Z", "8")
		s.clock("2025-04-01T03:59:59Z")
		Expect(s.bills(sub)).To(ContainElement("2025-04-01 issued 11.00"))
		Expect(changed(end("2025-04-01"))).To(BeEmpty())
		Expect(changed(end("2025-03-10"))).To(Equal([]string{"2025-03-10 issued 2.00", "2025-04-01 void 11.00"}))
		Expect(s.balance(york)).To(Equal("0.00"))
	})
})
