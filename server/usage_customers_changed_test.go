package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// Whose usage a price counts changes from the instant of the edit on. What was used before
// counts as it did.
var _ = Describe("Other usage_customer_ids of a price interval", func() {
	// family opens a fixture with a parent, its child, and a subscription of the parent.
	family := func(zone, start string, sum bool) (s fixture, p, c, sub, interval string) {
		GinkgoHelper()
		s = newFixture(start)
		price := s.calls("1.00")
		if !sum {
			price["billable_metric_id"] = s.api.metric("SELECT MAX(n) FROM events WHERE event_name = 'call'")
		}
		p = s.buyer(object{"timezone": zone})
		c = s.buyer(object{"timezone": zone, "hierarchy": object{"parent_customer_id": p}})
		made := s.subscribe(p, nil, price)
		return s, p, c, made.text("id"), made.entry("price_intervals", 0).text("id")
	}
	// both uses calls of the parent and of the child, at an instant.
	both := func(s fixture, p, c, at, parent, child string) {
		GinkgoHelper()
		s.clock(at)
		s.use(p, at, parent)
		s.use(c, at, child)
		s.settle()
	}
	total := func(s fixture, sub, from, to string) string {
		GinkgoHelper()
		all := s.get("/v1/subscriptions/" + sub + "/costs?timeframe_start=" + from + "&timeframe_end=" + to).expect(200)
		return all.entry("data", len(all.list("data"))-1).text("total")
	}

	DescribeTable("leave the costs of past days alone",
		func(zone, start, before, change, after, due string, sum bool, day, costs, bill string) {
			s, p, c, sub, interval := family(zone, start, sum)
			both(s, p, c, before, "10", "50")
			Expect(total(s, sub, before[:10], day)).To(Equal("10.00"))
			s.clock(change)
			edited := s.intervals(sub, edit(interval, object{"usage_customer_ids": list{c}})).expect(200)
			Expect(edited.list("price_intervals[0].usage_customer_ids")).To(HaveExactElements(c))
			Expect(total(s, sub, before[:10], day)).To(Equal("10.00"), "the costs of the days before")
			both(s, p, c, after, "1000", "3")
			Expect(total(s, sub, before[:10], day)).To(Equal("10.00"), "the costs of the days before")
			Expect(total(s, sub, after[:10], due[:10])).To(Equal(costs))
			s.clock(due)
			issued := s.invoices(sub).entry("data", 1)
			issued.shows(object{"total": bill, "status": "issued"})
			Expect(issued.list("line_items[0].usage_customer_ids")).To(HaveExactElements(p, c))
		},
		Entry("of a sum", "UTC", "2025-03-01T00:00:00Z", "2025-03-05T00:00:00Z", "2025-03-20T00:00:00Z", "2025-03-25T00:00:00Z", "2025-04-01T12:00:00Z",
			true, "2025-03-06", "13.00", "13.00"),
		Entry("of a maximum, where it is asked of all events together", "UTC", "2025-03-01T00:00:00Z", "2025-03-05T00:00:00Z", "2025-03-20T00:00:00Z",
			"2025-03-25T00:00:00Z", "2025-04-01T12:00:00Z", false, "2025-03-06", "10.00", "10.00"),
		Entry("on the day of a clock change, at the last but one day of a month", "Europe/Berlin", "2025-02-28T23:00:00Z", "2025-03-29T23:30:00Z",
			"2025-03-30T22:10:00Z", "2025-03-31T21:30:00Z", "2025-04-01T10:00:00Z", true, "2025-03-31", "13.00", "13.00"),
		Entry("within an hour", "UTC", "2025-02-01T00:00:00Z", "2025-02-27T23:50:00Z", "2025-02-28T00:10:00Z", "2025-02-28T00:30:00Z", "2025-03-01T12:00:00Z",
			true, "2025-02-28", "13.00", "13.00"),
	)

	It("leave a draft of a period that is over alone, and count in the next", func() {
		s, p, c, sub, interval := family("UTC", "2025-03-01T00:00:00Z", true)
		both(s, p, c, "2025-03-31T20:00:00Z", "10", "50")
		s.clock("2025-04-01T06:00:00Z") // in the grace period
		s.intervals(sub, edit(interval, object{"usage_customer_ids": list{p, c}})).expect(200)
		both(s, p, c, "2025-04-01T07:00:00Z", "1", "2")
		s.clock("2025-05-01T12:00:00Z")
		Expect(s.bills(sub)[:2]).To(Equal([]string{"2025-04-01 issued 10.00", "2025-05-01 issued 3.00"}))
	})

	It("leave what credits paid of past days alone, and an invoice that is issued", func() {
		s, p, c, sub, interval := family("UTC", "2025-03-01T00:00:00Z", true)
		s.post("/v1/customers/"+p+"/credits/ledger_entry", object{"entry_type": "increment", "currency": "USD", "amount": 30, "expiry_date": "2025-03-10"}).expect(201)
		both(s, p, c, "2025-03-05T00:00:00Z", "10", "50")
		s.clock("2025-03-20T00:00:00Z")
		s.intervals(sub, edit(interval, object{"usage_customer_ids": list{c}})).expect(200)
		both(s, p, c, "2025-03-25T00:00:00Z", "1000", "3")
		s.clock("2025-03-25T12:00:00Z")
		s.intervals(sub, edit(interval, object{"usage_customer_ids": nil})).expect(200)
		both(s, p, c, "2025-03-26T00:00:00Z", "4", "1000")
		s.clock("2025-04-01T12:00:00Z")
		issued := s.invoices(sub).entry("data", 1)
		issued.shows(object{"total": "7.00", "status": "issued", "line_items[0].subtotal": "17.00", "line_items[0].credits_applied": "10.00"})
		s.intervals(sub, edit(interval, object{"usage_customer_ids": list{c}})).expect(200)
		Expect(s.bills(sub)[0]).To(Equal("2025-04-01 issued 7.00"))
	})

	It("keep a child whose usage was billed with its parent", func() {
		s, _, c, sub, interval := family("UTC", "2025-03-01T00:00:00Z", true)
		s.intervals(sub, edit(interval, object{"usage_customer_ids": list{c}})).expect(200)
		s.clock("2025-03-05T00:00:00Z")
		s.intervals(sub, edit(interval, object{"usage_customer_ids": nil})).expect(200)
		s.delete("/v1/customers/"+c).refuse(400, "400-constraint-violation", "billed by the subscription")
	})
})
