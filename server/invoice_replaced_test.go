package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A void invoice is replaced by others that bill each of its lines that still holds.
var _ = Describe("What a change takes back of an invoice with a fee in arrears", func() {
	DescribeTable("leaves that fee billed where the refund is exactly half a cent",
		func(zone, start, change, seat string) {
			s := newFixture(start)
			next := s.plan(nil, s.calls("1.00")).text("id")
			sub := s.subscribe(s.buyer(object{"timezone": zone}), nil,
				with(s.fee("12.345"), object{"name": "Support", "fixed_price_quantity": 5, "billed_in_advance": false}),
				with(s.fee(seat), object{"name": "Seats", "fixed_price_quantity": 3})).text("id")
			s.clock(change)
			s.move(sub, next, nil).expect(200)
			Expect(s.linesOf(sub)).To(ContainElement(HaveSuffix(": 61.73")), "the whole period before the change")
		},
		// 21 of 28 days of 1.50 are 1.125
		Entry("in UTC", "UTC", "2026-01-01T00:00:00Z", "2026-02-08T11:00:00Z", "0.50"),
		Entry("a day later, where it is not", "UTC", "2026-01-01T00:00:00Z", "2026-02-09T11:00:00Z", "0.50"),
		// of 0.15, 21 of 30 days with a clock change are 0.105, and the last day is 0.005
		Entry("in a month with a clock change", "America/New_York", "2025-10-01T00:00:00-04:00", "2025-11-10T11:00:00-05:00", "0.05"),
		Entry("on the last day of a month", "America/New_York", "2025-10-01T00:00:00-04:00", "2025-11-30T11:00:00-05:00", "0.05"),
	)

	It("leaves that fee billed where two fees end on planned days, one after the other", func() {
		s := newFixture("2026-01-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), nil,
			with(s.fee("12.345"), object{"name": "Support", "fixed_price_quantity": 5, "billed_in_advance": false}),
			with(s.fee("0.50"), object{"name": "Seats", "fixed_price_quantity": 3}), with(s.fee("28.00"), object{"name": "Base"}))
		sub := after.text("id")
		s.clock("2026-02-05T00:00:00Z")
		ends := map[string]string{"Seats": "2026-02-08", "Base": "2026-02-11"} // of 1.50, half a cent
		for k := range after.list("price_intervals") {
			interval := after.entry("price_intervals", k)
			if end, planned := ends[interval.text("price.name")]; planned {
				s.intervals(sub, edit(interval.text("id"), object{"end_date": end})).expect(200)
			}
		}
		s.clock("2026-02-15T00:00:00Z")
		Expect(s.linesOf(sub)).To(ContainElement("Support 2026-01-01 to 2026-02-01: 61.73"))
	})

	It("is credited once, and not voided, where it is exactly half a cent", func() {
		s := newFixture("2026-01-01T00:00:00Z")
		next := s.plan(nil, s.calls("1.00")).text("id")
		sub := s.subscribe(s.buyer(nil), nil,
			with(s.fee("12.345"), object{"name": "Support", "fixed_price_quantity": 5, "billed_in_advance": false}),
			with(s.fee("0.50"), object{"name": "Seats", "fixed_price_quantity": 3})).text("id")
		s.clock("2026-02-08T11:00:00Z")
		Expect(changed(s.move(sub, next, nil).expect(200))).To(ContainElement("adjustment 1.13")) // of 1.125
		Expect(s.bills(sub)).To(Equal([]string{"2026-01-01 issued 1.50", "2026-02-01 issued 63.23", "2026-02-08 issued 15.43", "2026-03-01 draft 0.00"}))
	})

	It("does not void an increase of a few cents, canceled as of a past day", func() {
		s := newFixture("2025-01-16T15:00:00Z")
		after := s.subscribe(s.buyer(object{"timezone": "America/New_York"}), nil,
			with(s.fee("0.033"), object{"name": "Seats", "fixed_price_quantity": 3}),
			with(s.fee("10.00"), object{"name": "Support", "cadence": "annual", "billed_in_advance": false}))
		sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
		s.quantity(sub, price, 5, nil).expect(200)
		s.clock("2025-01-26T15:00:00Z")
		s.cancel(sub, asOf("2025-01-25")).expect(200)
		// of 0.05 and 0.03, for 7 of 16 days: 0.035 together
		Expect(s.bills(sub)).To(Equal([]string{"2025-01-16 issued 0.05", "2025-01-16 issued 0.03", "2025-01-25 issued 0.25"}))
	})
})
