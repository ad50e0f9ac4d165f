package server_test

import (
	"encoding/json"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// A fee in advance that was charged up to a planned end resumes there when the end is taken
// back. Its quantity from that day on is the one in force, whenever that was set.
var _ = Describe("A quantity changed after an end was taken back", func() {
	five := func(after value) {
		GinkgoHelper()
		Expect(after.each("fixed_fee_quantity_schedule", "quantity")).To(Equal(list{json.Number("2"), json.Number("5")}))
	}

	DescribeTable("is billed from the former end of the subscription on",
		func(zone, start, end, change, later string, bills ...string) {
			s := newFixture(start)
			sub := s.subscribe(s.buyer(object{"timezone": zone}), object{"end_date": end},
				with(s.fee("20.00"), object{"name": "Seats", "fixed_price_quantity": 2}))
			id, price := sub.text("id"), sub.entry("price_intervals", 0).text("price.id")
			Expect(s.bills(id)).To(Equal(bills[:1]))
			s.post("/v1/subscriptions/"+id+"/unschedule_cancellation", nil).expect(200)
			s.clock(change)
			five(s.quantity(id, price, 5, nil).expect(200))
			s.clock(later)
			Expect(s.bills(id)).To(Equal(bills))
		},
		// 2 seats for 17 of 28 days, 3 more for 7 of them, 5 for the other 11
		Entry("in February", "UTC", "2025-02-01T00:00:00Z", "2025-02-18", "2025-02-11T00:00:00Z", "2025-03-02T00:00:00Z",
			"2025-02-01 issued 24.29", "2025-02-11 issued 15.00", "2025-02-18 issued 39.29", "2025-03-01 issued 100.00", "2025-04-01 draft 100.00"),
		// the clock changes on 30 March; the end was to be on the last day of the month
		Entry("over a clock change, up to the last day of a month", "Europe/Berlin", "2025-03-01T00:00:00+01:00", "2025-03-31",
			"2025-03-30T00:00:00+01:00", "2025-04-02T00:00:00+02:00",
			"2025-02-28 issued 38.71", "2025-03-29 issued 1.94", "2025-03-30 issued 3.23", "2025-03-31 issued 100.00", "2025-04-30 draft 100.00"), // in UTC
	)

	It("is billed as it was set: cancelled as of the 18th, taken back, then 5 seats", func() {
		s := newFixture("2025-01-31T00:00:00Z")
		sub, price := s.seats(2, nil, nil)
		s.cancel(sub, asOf("2025-02-18")).expect(200)
		s.clock("2025-02-03T00:00:00Z")
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		five(s.quantity(sub, price, 5, nil).expect(200))
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-01-31 issued 1.29", "2025-02-01 issued 24.29", "2025-02-03 issued 32.14", "2025-02-18 issued 39.29",
			"2025-03-01 issued 100.00", "2025-04-01 issued 100.00", "2025-05-01 draft 100.00",
		}))
	})

	It("is billed from the former end of a price interval on", func() {
		s := newFixture("2025-02-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), nil, with(s.fee("20.00"), object{"name": "Seats", "fixed_price_quantity": 2}))
		sub, interval, price := after.text("id"), after.entry("price_intervals", 0).text("id"), after.entry("price_intervals", 0).text("price.id")
		s.intervals(sub, edit(interval, object{"end_date": "2025-03-18"})).expect(200)
		s.clock("2025-03-01T13:00:00Z")
		s.intervals(sub, edit(interval, object{"end_date": nil})).expect(200)
		five(s.quantity(sub, price, 5, object{"effective_date": "2025-03-11"}).expect(200))
		s.clock("2025-04-02T00:00:00Z")
		// 2 seats for 17 of 31 days, 3 more for 7 of them, 5 for the other 14
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-02-01 issued 40.00", "2025-03-01 issued 21.94", "2025-03-11 issued 13.55", "2025-03-18 issued 45.16",
			"2025-04-01 issued 100.00", "2025-05-01 draft 100.00",
		}))
	})

	It("is the one of before again, where the change is taken back", func() {
		s := newFixture("2025-02-01T00:00:00Z")
		sub, price := s.seats(2, nil, nil)
		s.cancel(sub, asOf("2025-03-18")).expect(200)
		s.clock("2025-03-02T00:00:00Z")
		s.quantity(sub, price, 5, object{"effective_date": "2025-03-10"}).expect(200)
		s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
		s.post("/v1/subscriptions/"+sub+"/unschedule_fixed_fee_quantity_updates", object{"price_id": price}).expect(200)
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-02-01 issued 40.00", "2025-03-01 issued 21.94", "2025-03-18 issued 18.06", "2025-04-01 issued 40.00", "2025-05-01 draft 40.00",
		}))
	})

	It("is the one that a shorter trial leaves, of several that would be in it", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), object{"trial_duration_days": 20}, with(s.fee("31.00"), object{"name": "Seats", "fixed_price_quantity": 1}))
		sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
		for _, change := range []object{{"day": "2025-03-06", "to": 2}, {"day": "2025-03-11", "to": 3}, {"day": "2025-03-26", "to": 4}} {
			s.quantity(sub, price, change["to"].(int), object{"effective_date": change["day"]}).expect(200)
		}
		shorter := s.post("/v1/subscriptions/"+sub+"/update_trial", object{"trial_end_date": "2025-03-06", "shift": true}).expect(200)
		Expect(shorter.entry("price_intervals", 0).each("fixed_fee_quantity_transitions", "effective_date")).
			To(Equal(list{"2025-03-06T00:00:00+00:00", "2025-03-11T00:00:00+00:00"}))
		Expect(shorter.entry("price_intervals", 0).each("fixed_fee_quantity_transitions", "quantity")).To(Equal(list{json.Number("3"), json.Number("4")}))
		s.clock("2025-04-02T00:00:00Z")
		Expect(s.bills(sub)).To(Equal([]string{
			"2025-03-06 issued 78.00", "2025-03-11 issued 21.00", "2025-04-01 issued 124.00", "2025-05-01 draft 124.00",
		}))
	})

	It("moves with a trial that becomes longer by the days between two changes", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), object{"trial_duration_days": 5}, with(s.fee("31.00"), object{"name": "Seats", "fixed_price_quantity": 1}))
		sub, price := after.text("id"), after.entry("price_intervals", 0).text("price.id")
		s.quantity(sub, price, 2, object{"effective_date": "2025-03-11"}).expect(200)
		s.quantity(sub, price, 3, object{"effective_date": "2025-03-16"}).expect(200)
		longer := s.post("/v1/subscriptions/"+sub+"/update_trial", object{"trial_end_date": "2025-03-11", "shift": true}).expect(200)
		Expect(longer.entry("price_intervals", 0).each("fixed_fee_quantity_transitions", "effective_date")).
			To(Equal(list{"2025-03-16T00:00:00+00:00", "2025-03-21T00:00:00+00:00"}))
	})
})

// A fee that was charged beyond a planned end goes on when the end is taken back: units that
// came before the end was planned are charged for the whole period already.
var _ = Describe("Units that came while an end was ahead", func() {
	DescribeTable("are charged for the rest of the period, each unit once",
		func(zone, start, planned, increased string, paid bool, bills ...string) {
			s := newFixture(start)
			sub, price := s.seats(2, object{"timezone": zone}, object{"unit_config": object{"unit_amount": "10.00"}})
			s.cancel(sub, asOf(planned)).expect(200)
			s.clock(increased)
			s.quantity(sub, price, 4, nil).expect(200)
			if paid {
				s.collect(sub)
			}
			s.post("/v1/subscriptions/"+sub+"/unschedule_cancellation", nil).expect(200)
			Expect(s.bills(sub)).To(Equal(bills))
		},
		// 2 units for 30 days, and 2 more for 29 of them
		Entry("in UTC", "UTC", "2025-09-01T00:00:00Z", "2025-09-30", "2025-09-02T00:00:00Z", false,
			"2025-09-01 issued 20.00", "2025-09-02 issued 19.33", "2025-10-01 draft 40.00"),
		// what was charged for 28 days is credited, since it is charged for 29
		Entry("where the increase is paid", "UTC", "2025-09-01T00:00:00Z", "2025-09-30", "2025-09-02T00:00:00Z", true,
			"2025-09-01 paid 20.00", "2025-09-02 paid 18.67", "2025-09-02 issued 19.33", "2025-10-01 draft 40.00"),
		// 2 units for 31 days, and 2 more for 3 of them, one of 23 hours; dates in UTC
		Entry("over a clock change, up to the last day of a month", "Europe/Berlin", "2025-03-01T00:00:00+01:00", "2025-03-31",
			"2025-03-29T00:00:00+01:00", false, "2025-02-28 issued 20.00", "2025-03-28 issued 1.94", "2025-03-31 draft 40.00"),
	)

	It("are so where the end of a price interval is taken back", func() {
		s := newFixture("2025-09-01T00:00:00Z")
		after := s.subscribe(s.buyer(nil), nil, with(s.fee("10.00"), object{"name": "Seats", "fixed_price_quantity": 2}))
		sub, interval, price := after.text("id"), after.entry("price_intervals", 0).text("id"), after.entry("price_intervals", 0).text("price.id")
		s.intervals(sub, edit(interval, object{"end_date": "2025-09-30"})).expect(200)
		s.clock("2025-09-02T00:00:00Z")
		s.quantity(sub, price, 4, nil).expect(200)
		s.intervals(sub, edit(interval, object{"end_date": nil})).expect(200)
		Expect(s.bills(sub)).To(Equal([]string{"2025-09-01 issued 20.00", "2025-09-02 issued 19.33", "2025-10-01 draft 40.00"}))
	})
})
