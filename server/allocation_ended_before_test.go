package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// What was spent of a grant stays paid, also where its price turns out to have ended before the
// period that it was granted for (semantics 11.2.5).
var _ = Describe("The fee of an allocation whose price is ended before the period that was paid", func() {
	var s fixture
	BeforeEach(func() { s = newFixture("2025-05-01T09:00:00Z") })

	// end lets the allocation price end on a day; nil: never.
	end := func(sub string, day any) *answer {
		GinkgoHelper()
		return s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": s.allocationIntervals(sub)[0].text("id"), "end_date": day}},
		})
	}
	DescribeTable("is given back for what is unspent alone",
		func(used, refund string) {
			customer := s.buyer(nil)
			sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), s.callsInCredits())
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			s.clock("2025-06-10T12:00:00Z")
			end(sub, "2025-05-20").expect(200)
			Expect(s.datedRefunds(sub)).To(ContainElement("2025-06-01 " + refund))
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.datedRefunds(sub)).To(ConsistOf("2025-05-01 19.35", "2025-06-01 "+refund)) // 12 of 31 days of May, unspent
			Expect(s.ledger(customer, "credits")).To(ContainElement("decrement " + used + " committed: " + map[string]string{"300": "700", "999": "1"}[used]))
		},
		Entry("700 of 1,000", "300", "35.00"),
		Entry("1 of 1,000", "999", "0.05"),
	)

	It("is given back whole where nothing was spent, and nothing of it where all was", func() {
		for used, refund := range map[string][]string{"0": {"2025-05-01 19.35", "2025-06-01 50.00"}, "1000": {"2025-05-01 19.35"}} {
			s = newFixture("2025-05-01T09:00:00Z")
			customer := s.buyer(nil)
			sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), s.callsInCredits())
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			s.clock("2025-06-10T12:00:00Z")
			end(sub, "2025-05-20").expect(200)
			Expect(s.datedRefunds(sub)).To(ConsistOf(refund))
		}
	})

	It("is so where the subscription ends as it began, and the day of the usage is not closed", func() {
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), s.callsInCredits())
		s.use(customer, "2025-05-01T08:00:00Z", "300")
		s.cancel(sub, asOf("2025-05-01")).expect(200)
		Expect(s.datedRefunds(sub)).To(ConsistOf("2025-05-01 35.00"))
	})

	It("is so where another subscription of the customer spent the credits", func() {
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil))
		s.subscribeTo(customer, nil, s.callsInCredits())
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "300")
		s.clock("2025-06-10T12:00:00Z")
		end(sub, "2025-05-20").expect(200)
		Expect(s.datedRefunds(sub)).To(ContainElement("2025-06-01 35.00"))
		s.clock("2025-07-02T00:00:00Z")
		Expect(s.datedRefunds(sub)).To(ConsistOf("2025-05-01 19.35", "2025-06-01 35.00"))
	})

	It("is given back once, whatever the end becomes afterwards", func() {
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), s.callsInCredits())
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "300")
		s.clock("2025-06-10T12:00:00Z")
		end(sub, "2025-05-20").expect(200)
		Expect(s.datedRefunds(sub)).To(ContainElement("2025-06-01 35.00"))
		end(sub, "2025-05-25").expect(200)
		Expect(s.datedRefunds(sub)).To(ContainElement("2025-06-01 35.00"))
		end(sub, "2025-06-08").expect(200)
		end(sub, "2025-05-20").expect(200)
		june := []string{}
		for _, refund := range s.datedRefunds(sub) {
			if refund[:7] == "2025-06" {
				june = append(june, refund)
			}
		}
		Expect(june).To(Equal([]string{"2025-06-01 35.00"}))
	})

	It("goes by local days across a change of the clock and the end of a month", func() {
		s = newFixture("2025-02-01T05:00:00Z")
		customer := s.buyer(object{"timezone": "America/New_York"})
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), s.callsInCredits())
		s.clock("2025-03-15T12:00:00Z")
		s.use(customer, "2025-03-15T06:00:00Z", "300")
		s.clock("2025-03-17T12:00:00Z")
		end(sub, "2025-02-28").expect(200)
		Expect(s.datedRefunds(sub)).To(ConsistOf("2025-02-01 1.79", "2025-03-01 35.00")) // the last of 28 days
	})

	It("is refused to be given back where nothing may be credited", func() {
		customer := s.buyer(nil)
		sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), s.callsInCredits())
		s.clock("2025-06-05T12:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"allow_invoice_credit_or_void": false,
			"edit":                         list{object{"price_interval_id": s.allocationIntervals(sub)[0].text("id"), "end_date": "2025-05-20"}},
		}).expect(400)
		Expect(s.blocks(customer, "credits")).To(ContainElement("1000"))
	})

	// Usage of a day that is not closed yet has spent what it takes, whether the ledger says so by then
	// or not, and whether the end lies before the period or in it.
	DescribeTable("counts as spent what was used right before the request",
		func(wait, day string, others []string, refund string) {
			customer := s.buyer(nil)
			sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), s.callsInCredits())
			s.clock("2025-06-10T12:00:00Z")
			s.use(customer, "2025-06-10T08:00:00Z", "300")
			s.clock(wait)
			end(sub, day).expect(200)
			Expect(s.datedRefunds(sub)).To(ConsistOf(append(others, "2025-06-01 "+refund)))
			s.clock("2025-06-12T00:00:00Z")
			s.use(customer, "2025-06-11T23:00:00Z", "50") // which no credits pay
			s.clock("2025-07-02T00:00:00Z")
			Expect(s.datedRefunds(sub)).To(ConsistOf(append(others, "2025-06-01 "+refund)))
			Expect(s.ledger(customer, "credits")).To(ContainElement("decrement 300 committed: 700"))
			Expect(s.bills(sub)).To(ContainElement("2025-07-01 issued 50.00"))
		},
		Entry("not in the ledger yet, before the period", "2025-06-10T12:00:00Z", "2025-05-20", []string{"2025-05-01 19.35"}, "35.00"),
		Entry("pending in the ledger, before the period", "2025-06-10T12:10:00Z", "2025-05-20", []string{"2025-05-01 19.35"}, "35.00"),
		Entry("committed, before the period", "2025-06-11T12:10:00Z", "2025-05-20", []string{"2025-05-01 19.35"}, "35.00"),
		Entry("not in the ledger yet, in the period", "2025-06-10T12:00:00Z", "2025-06-05", nil, "35.00"),
		Entry("pending in the ledger, in the period", "2025-06-10T12:10:00Z", "2025-06-05", nil, "35.00"),
		Entry("committed, in the period", "2025-06-11T12:10:00Z", "2025-06-05", nil, "35.00"),
		Entry("not in the ledger yet, right on its day", "2025-06-10T12:00:00Z", "2025-06-10", nil, "35.00"),
	)

	// The invoice of the fee is void as well where it charges something else that is not due any more.
	// The fee then is on an invoice of its own.
	Describe("together with other prices of the same invoice", func() {
		// spend lets another subscription of the customer use so many of the credits of June.
		spend := func(customer, used string) {
			GinkgoHelper()
			s.subscribeTo(customer, nil, s.callsInCredits())
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			s.clock("2025-06-10T12:00:00Z")
		}
		cancel := func(sub, day string) *answer {
			GinkgoHelper()
			return s.post("/v1/subscriptions/"+sub+"/cancel", object{"cancel_option": "requested_date", "cancellation_date": day})
		}
		seats := func() object { return object{"price": with(s.fee("20.00"), object{"name": "Seats"})} }
		calls := func() object { return object{"price": s.calls("1.00")} }

		DescribeTable("is given back for what is unspent alone",
			func(used string, other func() object, june ...string) {
				customer := s.buyer(nil)
				sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), other())
				spend(customer, used)
				changes := cancel(sub, "2025-05-20").expect(200)
				Expect(changes.list("changed_resources.voided_invoices")).To(HaveLen(1))
				of := func() (texts []string) {
					for _, text := range append(s.bills(sub), s.datedRefunds(sub)...) {
						if text[:7] == "2025-06" {
							texts = append(texts, text)
						}
					}
					return texts
				}
				Expect(of()).To(ConsistOf(june))
				s.clock("2025-07-02T00:00:00Z")
				Expect(of()).To(ConsistOf(june))
				Expect(s.ledger(customer, "credits")).To(ContainElement(HavePrefix("decrement " + used + " committed")))
			},
			Entry("beside a fee, 700 of 1,000", "300", seats, "2025-06-01 issued 50.00", "2025-06-01 35.00"),
			Entry("beside a fee, none of 1,000", "1000", seats, "2025-06-01 issued 50.00"),
			Entry("beside usage, 700 of 1,000", "300", calls, "2025-06-01 issued 50.00", "2025-06-01 35.00"),
		)

		It("is discounted as it was", func() {
			s.coupon(percent("HALF", "0.5"), nil)
			customer := s.buyer(nil)
			sub := s.subscribeTo(customer, object{"coupon_redemption_code": "HALF"}, paidCredits("1000", nil), seats())
			spend(customer, "300")
			cancel(sub, "2025-05-20").expect(200)
			Expect(s.bills(sub)).To(Equal([]string{"2025-05-01 issued 35.00", "2025-06-01 issued 25.00"}))
			Expect(s.datedRefunds(sub)).To(ConsistOf("2025-06-01 17.50", "2025-05-01 3.87", "2025-05-01 9.68")) // 700 of 1,000, 12 of 31 days
		})

		It("is void with the rest where nothing was spent", func() {
			customer := s.buyer(nil)
			sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), seats())
			s.clock("2025-06-10T12:00:00Z")
			cancel(sub, "2025-05-20").expect(200)
			Expect(s.bills(sub)).To(Equal([]string{"2025-05-01 issued 70.00"}))
			Expect(s.datedRefunds(sub)).To(Equal([]string{"2025-05-01 7.74", "2025-05-01 19.35"})) // 12 of 31 days
		})

		It("is charged once, whatever the end becomes afterwards", func() {
			customer := s.buyer(nil)
			sub := s.subscribeTo(customer, nil, paidCredits("1000", nil), seats())
			spend(customer, "300")
			endAll := func(day any) {
				GinkgoHelper()
				edits := list{}
				all := s.get("/v1/subscriptions/" + sub).expect(200)
				for k := range all.list("price_intervals") {
					edits = append(edits, object{"price_interval_id": all.entry("price_intervals", k).at("id"), "end_date": day})
				}
				s.post("/v1/subscriptions/"+sub+"/price_intervals", object{"edit": edits}).expect(200)
			}
			june := func() (fees []string) {
				for _, text := range append(s.bills(sub), s.datedRefunds(sub)...) {
					if text[:10] == "2025-06-01" && text != "2025-06-01 issued 20.00" { // the seats
						fees = append(fees, text)
					}
				}
				return fees
			}
			for _, day := range []any{"2025-05-20", "2025-05-25", nil, "2025-05-20"} {
				endAll(day)
				Expect(june()).To(ConsistOf("2025-06-01 issued 50.00", "2025-06-01 35.00"), "%v", day)
			}
			s.clock("2025-07-02T00:00:00Z")
			Expect(june()).To(ConsistOf("2025-06-01 issued 50.00", "2025-06-01 35.00"))
		})
	})
})
