package server_test

import (
	"encoding/json"
	"fmt"
	"strings"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// depot is a shop with one buyer, acme, who pays 1.00 for each unit of the sum of n,
// and used 33 in June, 10 on 5 July, 4 in the eu on the 6th and 6 in the us on the 7th. It is the
// 20th (semantics 3.2).
type depot struct {
	shop
	acme, subscription string
}

func openDepot() depot {
	GinkgoHelper()
	return start().openDepot(object{"start_date": "2025-06-01"})
}

func (a *api) openDepot(subscription object) depot {
	GinkgoHelper()
	s := a.openShop("2025-06-01T00:00:00Z")
	d := depot{shop: s, acme: s.buyer(object{"external_customer_id": "acme"})}
	d.subscription = s.subscribe(d.acme, subscription, s.calls("1.00")).text("id")
	for _, e := range []string{"2025-06-10 33", "2025-07-05 10", "2025-07-06 4 eu", "2025-07-07 6 us"} {
		s.clock(e[:10] + "T12:00:00Z")
		d.send("", d.event(e)).expect(200)
	}
	s.clock("2025-07-20T00:00:00Z")
	return d
}

// event is one of acme, written as "2025-07-05 10 eu": the day or instant, n, and
// perhaps a region.
func (d depot) event(text string) string {
	*d.sent++
	return d.eventUnder(fmt.Sprintf("u%04d", *d.sent), text)
}

func (d depot) eventUnder(key, text string) string {
	words := append(strings.Fields(text), "none")
	at := words[0]
	if len(at) == len("2025-07-05") {
		at += "T12:00:00Z"
	}
	return fmt.Sprintf(`{"idempotency_key":%q,"event_name":"call","external_customer_id":"acme","timestamp":%q,"properties":{"n":%s,"region":%q}}`,
		key, at, words[1], words[2])
}

// send ingests events, into a backfill unless that is "".
func (d depot) send(backfill string, events ...string) *answer {
	GinkgoHelper()
	path := "/v1/ingest?debug=true"
	if backfill != "" {
		path += "&backfill_id=" + backfill
	}
	return d.post(path, `{"events":[`+strings.Join(events, ",")+`]}`)
}

// july is the body of one that adds to the first nine days of July.
func july(change object) object {
	return with(object{
		"timeframe_start": "2025-07-01T00:00:00Z", "timeframe_end": "2025-07-10T00:00:00Z", "replace_existing_events": false,
	}, change)
}

const backfills = "/v1/events/backfills"

func (d depot) open(change object) string {
	GinkgoHelper()
	return d.post(backfills, july(change)).expect(200).text("id")
}

func (d depot) fetch(id string) value {
	GinkgoHelper()
	return d.get(backfills + "/" + id).expect(200)
}

func (d depot) close(id string) *answer {
	GinkgoHelper()
	return d.post(backfills+"/"+id+"/close", nil)
}

func (d depot) revert(id string) *answer {
	GinkgoHelper()
	return d.post(backfills+"/"+id+"/revert", nil)
}

// reaches waits until a backfill has that status. Nobody touches the clock meanwhile.
func (d depot) reaches(id, status string) {
	GinkgoHelper()
	Eventually(func() any { return d.fetch(id).at("status") }, "5s", "5ms").Should(Equal(status))
}

// closed opens a backfill, sends events into it and closes it.
func (d depot) closed(change object, events ...string) string {
	GinkgoHelper()
	id := d.open(change)
	for _, text := range events {
		d.send(id, d.event(text)).expect(200)
	}
	Expect(d.close(id).expect(200).at("status")).To(Equal("pending"))
	d.reaches(id, "reflected")
	return id
}

// reverted takes a closed backfill back.
func (d depot) reverted(id string) {
	GinkgoHelper()
	d.revert(id).expect(200).shows(object{"status": "pending_revert", "reverted_at": nil})
	d.reaches(id, "reverted")
}

// costs are the answer about a month such as 2025-07, byte for byte.
func (d depot) costs(month string) string {
	GinkgoHelper()
	first := instant(month + "-01T00:00:00Z")
	answer := d.get(fmt.Sprintf("/v1/subscriptions/%s/costs?timeframe_start=%s&timeframe_end=%s",
		d.subscription, first.Format("2006-01-02"), first.AddDate(0, 1, 0).Format("2006-01-02")))
	answer.expect(200)
	return string(answer.text)
}

// total is what that month costs so far.
func (d depot) total(month string) string {
	GinkgoHelper()
	return lastTotal(d.costs(month))
}

// lastTotal is what costs come to in the end.
func lastTotal(costs string) string {
	GinkgoHelper()
	days := (&answer{asked: "costs", text: []byte(costs)}).body()
	return days.entry("data", len(days.list("data"))-1).text("total")
}

var _ = Describe("Backfills", func() {
	const refused = "400-constraint-violation"
	var d depot

	Describe("as a whole", func() {
		BeforeEach(func() { d = openDepot() })

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
			before := d.costs("2025-07")
			id := d.open(nil)
			d.send(id, d.event("2025-07-03 5")).expect(200)
			d.revert(id).expect(200).shows(object{"status": "reverted", "reverted_at": "2025-07-20T00:00:00+00:00"})
			Expect(d.costs("2025-07")).To(Equal(before))
			d.send(id, d.event("2025-07-03 5")).refuse(400, refused, "takes no more events")
			d.clock("2025-07-25T00:00:00Z")
			Expect(d.fetch(id).at("status")).To(Equal("reverted"))
			Expect(d.total("2025-07")).To(Equal("20.00"))
		})

		It("B-6: revert after close, and the costs are what they were, byte for byte", func() {
			before := d.costs("2025-07")
			id := d.closed(object{"replace_existing_events": true}, "2025-07-05 7")
			Expect(d.total("2025-07")).To(Equal("7.00"))
			d.reverted(id)
			Expect(d.fetch(id).at("reverted_at")).To(Equal("2025-07-20T00:00:00+00:00"))
			Expect(d.costs("2025-07")).To(Equal(before))
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
			live := depot{shop: shop{d.account("live"), "", "", new(int)}}
			id := live.open(nil)
			live.close(id).expect(200)
			Eventually(func() any { return live.fetch(id).at("status") }, "2s", "5ms").Should(Equal("reflected"))
			live.revert(id).expect(200)
			Eventually(func() any { return live.fetch(id).at("status") }, "2s", "5ms").Should(Equal("reverted"))
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
			s := d.shop
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
	})

	Describe("POST /v1/events/backfills", func() {
		BeforeEach(func() { d = depot{shop: start().openShop("2025-07-20T00:00:00Z")} })

		It("opens a backfill of all customers for a day", func() {
			made := d.post(backfills, object{"timeframe_start": "2025-07-01T00:00:00Z", "timeframe_end": "2025-07-10T00:00:00+02:00"}).expect(200)
			Expect(made.text("id")).To(MatchRegexp(`^backfill_[0-9A-Za-z]{20}$`))
			Expect(made.json).To(Equal(object{
				"id": made.at("id"), "created_at": "2025-07-20T00:00:00+00:00",
				"timeframe_start": "2025-07-01T00:00:00+00:00", "timeframe_end": "2025-07-09T22:00:00+00:00",
				"customer_id": nil, "replace_existing_events": true, "deprecation_filter": nil,
				"close_time": "2025-07-21T00:00:00+00:00", "status": "pending", "events_ingested": json.Number("0"), "reverted_at": nil,
			}))
			Expect(d.fetch(made.text("id")).json).To(Equal(made.json))
		})

		It("opens one of a customer, by id or alias, until an instant", func() {
			acme := d.buyer(object{"external_customer_id": "acme"})
			byAlias := d.post(backfills, july(object{
				"external_customer_id": "acme", "close_time": "2025-08-01T02:00:00+02:00", "replace_existing_events": true, "deprecation_filter": "n > 5",
			})).expect(200)
			byAlias.shows(object{"customer_id": acme, "close_time": "2025-08-01T00:00:00+00:00", "replace_existing_events": true, "deprecation_filter": "n > 5"})
			d.revert(byAlias.text("id")).expect(200)
			Expect(d.post(backfills, july(object{"customer_id": acme})).expect(200).at("customer_id")).To(Equal(acme))
		})

		It("remembers its answer under an Idempotency-Key", func() {
			key := header{"Idempotency-Key", "b"}
			made := d.post(backfills, july(nil), key).expect(200)
			Expect(d.post(backfills, july(nil), key).expect(200)).To(Equal(made))
			Expect(d.get(backfills).expect(200).list("data")).To(HaveLen(1))
		})

		DescribeTable("refuses what is no backfill",
			func(change object, violation string) {
				d.post(backfills, july(change)).invalid(violation)
				Expect(d.get(backfills).expect(200).list("data")).To(BeEmpty())
			},
			Entry("no start", object{"timeframe_start": absent}, "timeframe_start: is required"),
			Entry("no end", object{"timeframe_end": absent}, "timeframe_end: is required"),
			Entry("a day for an instant", object{"timeframe_start": "2025-07-01"}, "timeframe_start: "),
			Entry("an end that is the start", object{"timeframe_end": "2025-07-01T00:00:00Z"}, "timeframe_end: must be after timeframe_start"),
			Entry("an end before the start", object{"timeframe_end": "2025-06-01T00:00:00Z"}, "timeframe_end: must be after timeframe_start"),
			Entry("a close_time in the past", object{"close_time": "2025-07-19T23:59:59Z"}, "close_time: must not be in the past"),
			Entry("both names of a customer", object{"customer_id": "a", "external_customer_id": "b"}, "customer_id: "),
			Entry("a filter of what is not replaced", object{"deprecation_filter": "n > 5"}, "deprecation_filter: goes with replace_existing_events"),
			Entry("a filter that is none", object{"replace_existing_events": true, "deprecation_filter": "n >"}, "deprecation_filter: line 1, column 4: "),
			Entry("an empty filter", object{"replace_existing_events": true, "deprecation_filter": ""}, "deprecation_filter: "),
			Entry("null for whether to replace", object{"replace_existing_events": nil}, "replace_existing_events: "),
			Entry("another member", object{"timeframe": 1}, "timeframe: is not a field"),
		)

		It("knows only customers that there are", func() {
			d.post(backfills, july(object{"customer_id": "nobody"})).refuse(404, "404-resource-not-found", "Customer", "nobody")
			d.post(backfills, july(object{"external_customer_id": "nobody"})).refuse(404, "404-resource-not-found", "Customer", "nobody")
		})

		DescribeTable("B-9: takes a timeframe of 31 days, by whatever clocks, and no more",
			func(start, end string, accepted bool) {
				answer := d.post(backfills, july(object{"timeframe_start": start, "timeframe_end": end}))
				if accepted {
					answer.expect(200)
				} else {
					answer.refuse(400, refused, "744h")
				}
			},
			Entry("31 days", "2025-05-01T00:00:00Z", "2025-06-01T00:00:00Z", true),
			Entry("and a second", "2025-05-01T00:00:00Z", "2025-06-01T00:00:01Z", false),
			Entry("the 31 local days of an October, an hour longer", "2025-10-01T00:00:00+02:00", "2025-11-01T00:00:00+01:00", false),
			Entry("years ago", "1999-12-31T00:00:00Z", "2000-01-31T00:00:00Z", true),
		)

		It("takes as long a timeframe as the account may have", func() {
			d.setting("backfill_length_seconds", 60)
			d.post(backfills, july(object{"timeframe_end": "2025-07-01T00:01:01Z"})).refuse(400, refused, "1m0s")
			d.post(backfills, july(object{"timeframe_end": "2025-07-01T00:01:00Z"})).expect(200)
		})
	})

	Describe("that overlap", func() {
		var acme, other string
		BeforeEach(func() {
			d = depot{shop: start().openShop("2025-07-20T00:00:00Z")}
			acme, other = d.buyer(nil), d.buyer(nil)
		})

		It("B-7: are refused where one names the same customer or all", func() {
			d.open(object{"customer_id": acme})
			later := object{"timeframe_start": "2025-07-09T00:00:00Z", "timeframe_end": "2025-07-12T00:00:00Z"}
			d.post(backfills, july(with(later, object{"customer_id": acme}))).refuse(400, refused, "overlapping")
			d.post(backfills, july(later)).refuse(400, refused, "overlapping")
			d.open(with(later, object{"customer_id": other}))
			d.open(with(later, object{"customer_id": acme, "timeframe_start": "2025-07-10T00:00:00Z"}))
			d.open(with(later, object{"timeframe_start": "2025-07-12T00:00:00Z", "timeframe_end": "2025-07-13T00:00:00Z"}))
		})

		It("are refused against one of all customers, but not of another account", func() {
			d.open(nil)
			d.post(backfills, july(nil)).refuse(400, refused)
			d.post(backfills, july(object{"customer_id": acme})).refuse(400, refused)
			depot{shop: d.account("test").openShop("2025-07-20T00:00:00Z")}.open(nil)
		})

		It("are fine once the first is reflected or reverted", func() {
			first := d.closed(nil)
			d.revert(d.open(nil)).expect(200)
			second := d.open(nil)
			d.revert(first).refuse(400, refused, "overlapping") // it would be at work beside the second
			d.close(second).expect(200)
			d.reaches(second, "reflected")
			d.reverted(first)
			d.open(nil)
		})
	})

	Describe("GET /v1/events/backfills", func() {
		BeforeEach(func() { d = depot{shop: start().openShop("2025-07-20T00:00:00Z")} })

		It("pages them, newest first", func() {
			var ids list
			for day := range 3 {
				id := d.open(object{"timeframe_start": fmt.Sprintf("2025-07-0%dT00:00:00Z", day+1), "timeframe_end": fmt.Sprintf("2025-07-0%dT00:00:00Z", day+2)})
				ids = append(list{id}, ids...)
			}
			first := d.get(backfills + "?limit=2").expect(200)
			Expect(first.each("data", "id")).To(Equal(ids[:2]))
			rest := d.get(backfills + "?limit=2&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
			Expect(rest.each("data", "id")).To(Equal(ids[2:]))
			Expect(rest.at("pagination_metadata.has_more")).To(BeFalse())
			d.get(backfills + "?limit=0").invalid("limit: ")
		})

		It("knows only the account's own", func() {
			id := d.open(nil)
			other := d.account("test")
			Expect(other.get(backfills).expect(200).list("data")).To(BeEmpty())
			for _, path := range []string{"", "/close", "/revert"} {
				method := "POST"
				if path == "" {
					method = "GET"
				}
				other.send(method, backfills+"/"+id+path, nil).refuse(404, "404-resource-not-found", "Backfill", id)
			}
		})
	})

	Describe("moved where they cannot go", func() {
		BeforeEach(func() { d = openDepot() })

		It("are refused, and nothing changes", func() {
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
})
