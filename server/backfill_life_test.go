package server_test

import (
	"encoding/json"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Backfills through their life", func() {
	const refused = "400-constraint-violation"
	var d usageFixture
	BeforeEach(func() { d = newUsageFixture() })

	It("B-1: add", func() {
		Expect(d.total("2025-07")).To(Equal("20.00"))
		id := d.open(nil)
		d.send(id, d.event("2025-07-03 5")).expect(200)
		d.fetch(id).shows(object{"status": "pending", "events_ingested": json.Number("1")})
		Expect(d.total("2025-07")).To(Equal("20.00"))
		d.close(id).expect(200).shows(object{"status": "pending", "close_time": "2025-07-20T00:00:00+00:00"})
		d.reaches(id, "reflected")
		Expect(d.total("2025-07")).To(Equal("25.00"))
	})

	It("B-2: replace all, as is usual", func() {
		d.closed(object{"replace_existing_events": absent}, "2025-07-05 7")
		Expect(d.total("2025-07")).To(Equal("7.00"))
	})

	It("B-3: replace what a filter lets through", func() {
		d.closed(object{"replace_existing_events": true, "deprecation_filter": "region = 'eu'"}, "2025-07-05 7")
		Expect(d.total("2025-07")).To(Equal("23.00"))
	})

	It("B-4: close by the clock", func() {
		id := d.open(nil)
		Expect(d.fetch(id).at("close_time")).To(Equal("2025-07-21T00:00:00+00:00"))
		d.clock("2025-07-20T23:59:59Z")
		d.send(id, d.event("2025-07-03 5")).expect(200)
		Expect(d.fetch(id).at("status")).To(Equal("pending"))
		d.clock("2025-07-21T00:00:00Z")
		Expect(d.fetch(id).at("status")).To(Equal("reflected"))
		Expect(d.total("2025-07")).To(Equal("25.00"))
		d.send(id, d.event("2025-07-03 5")).refuse(400, refused, "takes no more events")
	})

	It("B-5: revert before close", func() {
		before := d.costs("2025-07-01", "2025-08-01")
		id := d.open(nil)
		d.send(id, d.event("2025-07-03 5")).expect(200)
		d.revert(id).expect(200).shows(object{"status": "reverted", "reverted_at": "2025-07-20T00:00:00+00:00"})
		Expect(d.costs("2025-07-01", "2025-08-01")).To(Equal(before))
		d.send(id, d.event("2025-07-03 5")).refuse(400, refused, "takes no more events")
		d.clock("2025-07-25T00:00:00Z")
		Expect(d.fetch(id).at("status")).To(Equal("reverted"))
		Expect(d.total("2025-07")).To(Equal("20.00"))
	})

	It("B-6: revert after close, and the costs are what they were, byte for byte", func() {
		before := d.costs("2025-07-01", "2025-08-01")
		id := d.closed(object{"replace_existing_events": true}, "2025-07-05 7")
		Expect(d.total("2025-07")).To(Equal("7.00"))
		d.reverted(id)
		Expect(d.fetch(id).at("reverted_at")).To(Equal("2025-07-20T00:00:00+00:00"))
		Expect(d.costs("2025-07-01", "2025-08-01")).To(Equal(before))
	})

	It("B-8: leave issued invoices as they are, while costs and drafts follow", func() {
		Expect(d.bills(d.subscription)).To(Equal([]string{"2025-07-01 issued 33.00", "2025-08-01 draft 20.00"}))
		june := d.closed(object{"timeframe_start": "2025-06-01T00:00:00Z", "timeframe_end": "2025-07-01T00:00:00Z"}, "2025-06-15 9")
		d.closed(nil, "2025-07-03 5")
		Expect(d.bills(d.subscription)).To(Equal([]string{"2025-07-01 issued 33.00", "2025-08-01 draft 25.00"}))
		Expect(d.total("2025-06")).To(Equal("42.00"))
		d.clock("2025-08-02T00:00:00Z")
		july := d.closed(nil, "2025-07-03 100")
		Expect(d.bills(d.subscription)).To(ContainElement("2025-08-01 issued 25.00"))
		Expect(d.total("2025-07")).To(Equal("125.00"))
		d.reverted(july)
		d.reverted(june)
		Expect(d.total("2025-06")).To(Equal("33.00"))
		Expect(d.total("2025-07")).To(Equal("25.00"))
	})

	It("are closed and reverted within two seconds where the clock is real", func() {
		live := usageFixture{fixture: fixture{d.account("live"), "", "", new(int)}}
		id := live.open(nil)
		live.close(id).expect(200)
		Eventually(func() any { return live.fetch(id).at("status") }, onBusyMachine, "20ms").Should(Equal("reflected"))
		live.revert(id).expect(200)
		Eventually(func() any { return live.fetch(id).at("status") }, onBusyMachine, "20ms").Should(Equal("reverted"))
	})

	It("are done with when the clock is advanced to where it stands", func() {
		id := d.open(nil)
		d.send(id, d.event("2025-07-03 5")).expect(200)
		d.close(id).expect(200)
		d.clock("2025-07-20T00:00:00Z")
		Expect(d.fetch(id).at("status")).To(Equal("reflected"))
		d.revert(id).expect(200)
		d.clock("2025-07-20T00:00:00Z")
		Expect(d.fetch(id).at("status")).To(Equal("reverted"))
	})

	It("replace what exists when they close, and nothing that comes later", func() {
		id := d.open(object{"timeframe_end": "2025-07-30T00:00:00Z", "replace_existing_events": true})
		d.send("", d.event("2025-07-20 100")).refuse(400, "400-request-validation-errors", "timestamp: ") // twelve hours ahead
		d.send("", d.event("2025-07-20T00:00:00Z 1")).expect(200)
		d.send(id, d.event("2025-07-02 30")).expect(200)
		d.close(id).expect(200)
		d.send("", d.event("2025-07-20T00:00:00Z 2")).expect(200)
		Expect(d.total("2025-07")).To(Equal("32.00"))
	})

	It("replace what their filter held for when they closed, whatever is amended since (semantics 3.1.7)", func() {
		amend := func(key, day, n, region string) {
			GinkgoHelper()
			d.put(eventAt(key), amended(n, object{"timestamp": day + "T12:00:00Z", "external_customer_id": "acme",
				"properties": object{"n": json.Number(n), "region": region}})).expect(200)
		}
		const eu, us = "u0003", "u0004"
		id := d.closed(object{"replace_existing_events": true, "deprecation_filter": "region = 'eu'"}, "2025-07-05 7")
		Expect(d.total("2025-07")).To(Equal("23.00"))
		amend(us, "2025-07-07", "8", "eu")
		Expect(d.total("2025-07")).To(Equal("25.00"))
		amend(eu, "2025-07-06", "100", "us")
		Expect(d.total("2025-07")).To(Equal("25.00"))
		amend(us, "2025-07-07", "9", "eu")
		Expect(d.total("2025-07")).To(Equal("26.00"))
		d.reverted(id)
		Expect(d.total("2025-07")).To(Equal("119.00"))
	})

	It("leave alone who took over the alias of a customer that was deleted meanwhile", func() {
		west := func(text string) string { return strings.Replace(d.event(text), `"acme"`, `"west"`, 1) }
		gone := d.buyer(object{"external_customer_id": "west"})
		id := d.open(object{"replace_existing_events": true, "customer_id": gone, "timeframe_end": "2025-07-30T00:00:00Z"})
		d.delete("/v1/customers/" + gone).expect(204)
		heir := d.buyer(object{"external_customer_id": "west"})
		d.subscription = d.subscribe(heir, object{"start_date": "2025-07-01"}, d.calls("1.00")).text("id")
		d.send("", west("2025-07-20T00:00:00Z 5")).expect(200)
		Expect(failures(d.send(id, west("2025-07-05 7")).expect(400))).To(HaveExactElements(HaveSuffix(": customer_id: outside the backfill scope")))
		d.close(id).expect(200)
		d.reaches(id, "reflected")
		Expect(d.total("2025-07")).To(Equal("5.00"))
	})

	It("can be put upon each other, and taken back in any order", func() {
		first := d.closed(object{"replace_existing_events": true}, "2025-07-05 7")
		second := d.closed(object{"replace_existing_events": true, "timeframe_start": "2025-07-05T00:00:00Z"}, "2025-07-06 1", "2025-07-09 2")
		Expect(d.total("2025-07")).To(Equal("3.00"))
		d.reverted(first)
		Expect(d.total("2025-07")).To(Equal("3.00"))
		d.reverted(second)
		Expect(d.total("2025-07")).To(Equal("20.00"))
	})

	It("show a timeframe in the customer's own days", func() {
		s := d.fixture
		buyer := s.buyer(object{"external_customer_id": "west", "timezone": "America/Los_Angeles"})
		d.subscription = s.subscribe(buyer, object{"start_date": "2025-02-01"}, s.calls("1.00")).text("id")
		west := func(text string) string { return strings.Replace(d.event(text), `"acme"`, `"west"`, 1) }
		id := d.open(object{ // March there, when clocks go forward: an hour less than 31 days, from 8:00 to 7:00 in UTC
			"timeframe_start": "2025-03-01T00:00:00-08:00", "timeframe_end": "2025-04-01T00:00:00-07:00", "customer_id": buyer,
		})
		d.fetch(id).shows(object{"timeframe_start": "2025-03-01T08:00:00+00:00", "timeframe_end": "2025-04-01T07:00:00+00:00"})
		Expect(failures(d.send(id, west("2025-03-01T07:59:59.999999Z 1"), west("2025-03-01T08:00:00Z 2"), west("2025-03-09T09:59:59Z 4"),
			west("2025-04-01T06:59:59.999999Z 8"), west("2025-04-01T07:00:00Z 16")).expect(400))).To(HaveExactElements(
			HaveSuffix(": timestamp: outside the backfill timeframe"), HaveSuffix(": timestamp: outside the backfill timeframe")))
		d.close(id).expect(200)
		Expect(d.total("2025-02")).To(Equal("0.00"))
		Expect(d.total("2025-03")).To(Equal("14.00"))
		Expect(d.total("2025-04")).To(Equal("0.00"))
	})

	It("are refused a move that they cannot make, and nothing changes", func() {
		id := d.closed(object{"replace_existing_events": true}, "2025-07-05 7")
		d.close(id).refuse(400, refused, "open")
		Expect(d.total("2025-07")).To(Equal("7.00"))
		d.reverted(id)
		d.close(id).refuse(400, refused, "open")
		d.revert(id).refuse(400, refused, "reverted already")
		Expect(d.total("2025-07")).To(Equal("20.00"))
		open := d.open(nil)
		d.revert(open).expect(200)
		d.revert(open).refuse(400, refused, "reverted already")
		d.close(open).refuse(400, refused, "open")
	})

	It("answer a repeated request as they did the first time", func() {
		id := d.open(nil)
		key := header{"Idempotency-Key", "close"}
		first := d.post(backfills+"/"+id+"/close", nil, key).expect(200)
		again := d.post(backfills+"/"+id+"/close", nil, key)
		Expect(again.expect(200)).To(Equal(first))
		Expect(again.header.Get("Idempotent-Replayed")).To(Equal("true"))
	})
})
