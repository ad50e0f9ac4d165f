package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A client may credit a fee for any days, also more for them than their share (semantics 9.2.3). What the
// days after a change are worth can then be more than what is left of the line.
var _ = Describe("A fee that a client credited for some days", func() {
	var s fixture
	var sub, interval, price, line string

	// subscribed is a subscription to a paid fee of 200.00 for March, of which days are credited.
	subscribed := func(amount, first, last string) {
		GinkgoHelper()
		s = newFixture("2025-03-01T00:00:00Z")
		made := s.subscribe(s.buyer(nil), nil, with(s.fee("20.00"), object{"fixed_price_quantity": 10}))
		sub, interval = made.text("id"), made.text("price_intervals[0].id")
		price = made.text("price_intervals[0].price.id")
		s.collect(sub)
		line = s.invoices(sub).entry("data", 1).text("line_items[0].id")
		s.post("/v1/credit_notes", object{"start_date": first, "end_date": last, "line_items": list{credited(line, amount)}}).expect(201)
		s.clock("2025-03-16T00:00:00Z")
	}
	// gives are the automatic credits that a change, or the time, made of the fee.
	gives := func(amounts ...string) {
		GinkgoHelper()
		notes := s.get("/v1/credit_notes").expect(200)
		var automatic []string
		for k := range notes.list("data") {
			if note := notes.entry("data", k); note.at("reason") == "order_change" {
				automatic = append([]string{note.text("total")}, automatic...)
			}
		}
		Expect(automatic).To(HaveExactElements(amounts))
	}

	DescribeTable("gives back what is left of it, and no more", func(change func()) {
		for _, days := range [][]string{{"2025-03-05", "2025-03-06"}, {"2024-12-24", "2024-12-25"}} {
			subscribed("150.00", days[0], days[1])
			change()
			gives("50.00")
			Expect(s.bills(sub)).To(ContainElement("2025-03-01 paid 200.00"))
			s.advance("2025-05-02T00:00:00Z").shows(object{"parked": list{}})
			gives("50.00")
		}
	},
		Entry("as its subscription ends at once", func() { s.cancel(sub, nil).expect(200) }),
		Entry("as it ends later", func() {
			s.cancel(sub, asOf("2025-03-20")).expect(200)
			s.advance("2025-03-21T00:00:00Z").shows(object{"parked": list{}})
		}),
		Entry("as it ended before", func() { s.cancel(sub, asOf("2025-03-11")).expect(200) }),
		Entry("as its plan changes", func() { s.move(sub, s.plan(nil, s.fee("1.00")).text("id"), nil).expect(200) }),
		Entry("as its plan changes later", func() {
			s.move(sub, s.plan(nil, s.fee("1.00")).text("id"), object{"change_option": "requested_date", "change_date": "2025-03-20"}).expect(200)
			s.advance("2025-03-21T00:00:00Z").shows(object{"parked": list{}})
		}),
		Entry("as its quantity falls", func() { s.quantity(sub, price, 0, nil).expect(200) }),
		Entry("as its price ends", func() { s.intervals(sub, edit(interval, object{"end_date": "2025-03-16"})).expect(200) }),
		Entry("as its price ends later", func() {
			s.intervals(sub, edit(interval, object{"end_date": "2025-03-20"})).expect(200)
			s.advance("2025-03-21T00:00:00Z").shows(object{"parked": list{}})
		}),
	)

	It("gives back the rest of it as its subscription ends after its quantity fell", func() {
		subscribed("150.00", "2025-03-05", "2025-03-06")
		s.quantity(sub, price, 6, nil).expect(200)
		gives("41.29")
		s.cancel(sub, asOf("2025-03-20")).expect(200)
		s.advance("2025-03-21T00:00:00Z").shows(object{"parked": list{}})
		notes := s.get("/v1/credit_notes").expect(200)
		Expect(notes.each("data", "total")).To(Equal(list{"8.71", "41.29", "150.00"}))
		s.post("/v1/credit_notes", object{"line_items": list{credited(line, "0.01")}}).expect(400)
	})

	It("takes what is lacking of a decrease from the line before", func() {
		subscribed("150.00", "2025-03-05", "2025-03-06")
		s.quantity(sub, price, 15, nil).expect(200) // 5 x 20.00 x 16/31
		s.collect(sub)
		newest := s.invoices(sub).entry("data", 1)
		Expect(newest.at("total")).To(Equal("51.61"))
		s.post("/v1/credit_notes", object{"start_date": "2025-03-05", "end_date": "2025-03-06",
			"line_items": list{credited(newest.text("line_items[0].id"), "50.00")}}).expect(201)
		s.quantity(sub, price, 10, nil).expect(200)
		gives("1.61", "50.00")
	})
})
