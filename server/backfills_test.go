package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("Backfills", func() {
	const refused = "400-constraint-violation"
	var d usageFixture

	Describe("POST /v1/events/backfills", func() {
		BeforeEach(func() { d = usageFixture{fixture: start().newFixture("2025-07-20T00:00:00Z")} })

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
			d = usageFixture{fixture: start().newFixture("2025-07-20T00:00:00Z")}
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
			usageFixture{fixture: d.account("test").newFixture("2025-07-20T00:00:00Z")}.open(nil)
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
		BeforeEach(func() { d = usageFixture{fixture: start().newFixture("2025-07-20T00:00:00Z")} })

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
})
