package server_test

import (
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// What was spent of a grant stays paid, also where its price turns out to have ended before the
// period that it was granted for (semantics 11.2.5).
var _ = Describe("The fee of an allocation whose price is ended before the period that was paid", func() {
	var s shop
	BeforeEach(func() { s = openShop("2025-05-01T09:00:00Z") })

	grants := func(change object) object {
		return object{"allocation_price": with(object{
			"amount": "1000", "currency": "credits", "cadence": "monthly", "expires_at_end_of_cadence": true, "per_unit_cost_basis": "0.05",
		}, change)}
	}
	metered := func() object {
		return object{"price": with(s.calls("1"), object{"currency": "credits", "conversion_rate": 1})}
	}
	rent := func(customer string, entries ...any) (sub string) {
		GinkgoHelper()
		plan := s.plan(object{"prices": append(list{}, entries...)}).text("id")
		return s.post("/v1/subscriptions", object{"customer_id": customer, "plan_id": plan}).expect(201).text("id")
	}
	// end lets the allocation price end on a day; nil: never.
	end := func(sub string, day any) *answer {
		GinkgoHelper()
		id := ""
		all := s.get("/v1/subscriptions/" + sub).expect(200)
		for k := range all.list("price_intervals") {
			if i := all.entry("price_intervals", k); i.at("price.credit_allocation") != nil {
				id = i.text("id")
			}
		}
		return s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": id, "end_date": day}},
		})
	}
	// refunds writes what was credited of the invoices of a subscription, by their date.
	refunds := func(sub string) []string {
		GinkgoHelper()
		texts := []string{}
		all := s.invoices(sub)
		for k := range all.list("data") {
			v := all.entry("data", k)
			for n := range v.list("credit_notes") {
				texts = append(texts, fmt.Sprint(v.text("invoice_date")[:10], " ", v.entry("credit_notes", n).at("total")))
			}
		}
		return texts
	}

	DescribeTable("is given back for what is unspent alone",
		func(used, refund string) {
			customer := s.buyer(nil)
			sub := rent(customer, grants(nil), metered())
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			s.clock("2025-06-10T12:00:00Z")
			end(sub, "2025-05-20").expect(200)
			Expect(refunds(sub)).To(ContainElement("2025-06-01 " + refund))
			s.clock("2025-07-02T00:00:00Z")
			Expect(refunds(sub)).To(ConsistOf("2025-05-01 19.35", "2025-06-01 "+refund)) // 12 of 31 days of May, unspent
			Expect(s.ledger(customer, "credits")).To(ContainElement("decrement " + used + " committed: " + map[string]string{"300": "700", "999": "1"}[used]))
		},
		Entry("700 of 1,000", "300", "35.00"),
		Entry("1 of 1,000", "999", "0.05"),
	)

	It("is given back whole where nothing was spent, and nothing of it where all was", func() {
		for used, refund := range map[string][]string{"0": {"2025-05-01 19.35", "2025-06-01 50.00"}, "1000": {"2025-05-01 19.35"}} {
			s = openShop("2025-05-01T09:00:00Z")
			customer := s.buyer(nil)
			sub := rent(customer, grants(nil), metered())
			s.clock("2025-06-05T12:00:00Z")
			s.use(customer, "2025-06-05T00:00:00Z", used)
			s.clock("2025-06-10T12:00:00Z")
			end(sub, "2025-05-20").expect(200)
			Expect(refunds(sub)).To(ConsistOf(refund))
		}
	})

	It("is so where another subscription of the customer spent the credits", func() {
		customer := s.buyer(nil)
		sub := rent(customer, grants(nil))
		rent(customer, metered())
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "300")
		s.clock("2025-06-10T12:00:00Z")
		end(sub, "2025-05-20").expect(200)
		Expect(refunds(sub)).To(ContainElement("2025-06-01 35.00"))
		s.clock("2025-07-02T00:00:00Z")
		Expect(refunds(sub)).To(ConsistOf("2025-05-01 19.35", "2025-06-01 35.00"))
	})

	It("is given back once, whatever the end becomes afterwards", func() {
		customer := s.buyer(nil)
		sub := rent(customer, grants(nil), metered())
		s.clock("2025-06-05T12:00:00Z")
		s.use(customer, "2025-06-05T00:00:00Z", "300")
		s.clock("2025-06-10T12:00:00Z")
		end(sub, "2025-05-20").expect(200)
		Expect(refunds(sub)).To(ContainElement("2025-06-01 35.00"))
		end(sub, "2025-05-25").expect(200)
		Expect(refunds(sub)).To(ContainElement("2025-06-01 35.00"))
		end(sub, "2025-06-08").expect(200)
		end(sub, "2025-05-20").expect(200)
		june := []string{}
		for _, refund := range refunds(sub) {
			if refund[:7] == "2025-06" {
				june = append(june, refund)
			}
		}
		Expect(june).To(Equal([]string{"2025-06-01 35.00"}))
	})

	It("goes by local days across a change of the clock and the end of a month", func() {
		s = openShop("2025-02-01T05:00:00Z")
		customer := s.buyer(object{"timezone": "America/New_York"})
		sub := rent(customer, grants(nil), metered())
		s.clock("2025-03-15T12:00:00Z")
		s.use(customer, "2025-03-15T06:00:00Z", "300")
		s.clock("2025-03-17T12:00:00Z")
		end(sub, "2025-02-28").expect(200)
		Expect(refunds(sub)).To(ConsistOf("2025-02-01 1.79", "2025-03-01 35.00")) // the last of 28 days
	})

	It("is refused to be given back where nothing may be credited", func() {
		customer := s.buyer(nil)
		sub := rent(customer, grants(nil), metered())
		s.clock("2025-06-05T12:00:00Z")
		id := s.get("/v1/subscriptions/" + sub).expect(200)
		for k := range id.list("price_intervals") {
			if i := id.entry("price_intervals", k); i.at("price.credit_allocation") != nil {
				s.post("/v1/subscriptions/"+sub+"/price_intervals", object{
					"allow_invoice_credit_or_void": false,
					"edit":                         list{object{"price_interval_id": i.text("id"), "end_date": "2025-05-20"}},
				}).expect(400)
			}
		}
		Expect(s.blocks(customer, "credits")).To(ContainElement("1000"))
	})

	// Usage of a day that is not closed yet has spent what it takes, whether the ledger says so by then
	// or not, and whether the end lies before the period or in it.
	DescribeTable("counts as spent what was used right before the request",
		func(wait, day string, others []string, refund string) {
			customer := s.buyer(nil)
			sub := rent(customer, grants(nil), metered())
			s.clock("2025-06-10T12:00:00Z")
			s.use(customer, "2025-06-10T08:00:00Z", "300")
			s.clock(wait)
			end(sub, day).expect(200)
			Expect(refunds(sub)).To(ConsistOf(append(others, "2025-06-01 "+refund)))
			s.clock("2025-06-12T00:00:00Z")
			s.use(customer, "2025-06-11T23:00:00Z", "50") // which no credits pay
			s.clock("2025-07-02T00:00:00Z")
			Expect(refunds(sub)).To(ConsistOf(append(others, "2025-06-01 "+refund)))
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
})
