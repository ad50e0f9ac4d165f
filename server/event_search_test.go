package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

var _ = Describe("POST /v1/events/search", func() {
	var a *api
	BeforeEach(func() {
		a = start()
		a.clock("2025-05-10T12:00:00Z")
	})

	find := func(timeframe object, keys ...string) *answer {
		GinkgoHelper()
		return a.post("/v1/events/search", with(object{"event_ids": keys}, timeframe))
	}

	It("finds events by their keys, to the letter and in that order (semantics 2.5.5)", func() {
		acme := a.post("/v1/customers", object{"name": "Acme", "email": "bills@acme.test"}).expect(201).text("id")
		a.ingest(call("Key", nil), call("other", nil), call("key", object{
			"external_customer_id": nil, "customer_id": acme, "timestamp": "2025-05-10T11:59:59.5",
			"properties": object{"text": "a<b", "truth": true, "exact": json.Number("12345678901234567890.1234567890"), "small": json.Number("1e-05"), "nothing": nil},
		})).expect(200)
		found := find(nil, "key", "KEY", "Key", "key", "other ").expect(200)
		Expect(found.list("data")).To(Equal(list{
			object{
				"id": "key", "event_name": "api_call", "timestamp": "2025-05-10T11:59:59.5+00:00", "deprecated": false,
				"customer_id": acme, "external_customer_id": nil,
				"properties": object{
					"text": "a<b", "truth": true, "exact": json.Number("12345678901234567890.123456789"), "small": json.Number("0.00001"),
				},
			},
			object{
				"id": "Key", "event_name": "api_call", "timestamp": "2025-05-10T12:00:00+00:00", "deprecated": false,
				"customer_id": nil, "external_customer_id": "acme", "properties": object{},
			},
		}))
		Expect(find(nil, "nope").expect(200).list("data")).To(BeEmpty())
		find(nil, "e\x00").invalid("event_ids[0]: must not contain")
	})

	It("looks back a week, up to this very instant, if it is not told (semantics 2.5.5)", func() {
		a.clock("2025-05-17T11:00:00.000001Z")
		a.ingest(call("now", object{"timestamp": "2025-05-17T12:00:00Z"}), call("ahead", object{"timestamp": "2025-05-17T12:00:00.000001Z"})).expect(200)
		other := start()
		other.clock("2025-05-10T12:00:00Z")
		other.ingest(call("old", nil), call("older", object{"timestamp": "2025-05-10T11:59:59.999999Z"})).expect(200)
		other.clock("2025-05-17T12:00:00Z")
		a.clock("2025-05-17T12:00:00Z")
		Expect(a.search("now", "ahead", "old").each("data", "id")).To(Equal(list{"now"}))
		Expect(other.search("older", "old", "now").each("data", "id")).To(Equal(list{"old"}))
	})

	DescribeTable("takes a timeframe, its start inclusive and its end not",
		func(timeframe object, found ...any) {
			a.ingest(call("11", object{"timestamp": "2025-05-10T11:00:00Z"}), call("12", nil), call("13", object{"timestamp": "2025-05-10T13:00:00Z"})).expect(200)
			Expect(find(timeframe, "11", "12", "13").expect(200).each("data", "id")).To(Equal(append(list{}, found...)))
		},
		Entry("of both ends", object{"timeframe_start": "2025-05-10T11:00:00Z", "timeframe_end": "2025-05-10T13:00:00Z"}, "11", "12"),
		Entry("of a start", object{"timeframe_start": "2025-05-10T11:00:00.000001Z"}, "12"),
		Entry("of an end", object{"timeframe_end": "2025-05-10T12:00:00Z"}, "11"),
		Entry("of nulls", object{"timeframe_start": nil, "timeframe_end": nil}, "11", "12"),
		Entry("in UTC without an offset", object{"timeframe_start": "2025-05-10T12:00", "timeframe_end": "2025-05-10T15:01:00+02:00"}, "12", "13"),
		Entry("of days, in UTC", object{"timeframe_start": "2025-05-10", "timeframe_end": "2025-05-11"}, "11", "12", "13"),
		Entry("in which nothing is", object{"timeframe_start": "2020-01-01", "timeframe_end": "2020-01-02"}),
	)

	It("takes 500 keys, and refuses more, none, and a timeframe of nothing", func() {
		keys := make([]string, 501)
		events := make([]object, 500)
		for n := range keys {
			keys[n] = fmt.Sprint("e", n)
		}
		for n := range events {
			events[n] = call(keys[n], nil)
		}
		a.ingest(events...).expect(200)
		Expect(find(nil, keys[:500]...).expect(200).list("data")).To(HaveLen(500))
		find(nil, keys...).invalid("event_ids: ")
		a.post("/v1/events/search", object{"event_ids": list{}}).invalid("event_ids: ")
		a.post("/v1/events/search", object{}).invalid("event_ids: is required")
		a.post("/v1/events/search", object{"event_ids": list{1}}).invalid("event_ids[0]: ")
		find(object{"timeframe_start": "2025-05-10", "timeframe_end": "2025-05-10"}, "e").invalid("timeframe_end: must be after")
		find(object{"timeframe_start": "2025-05-10T12:00:00.000001Z"}, "e").invalid("timeframe_start: must not be in the future")
		find(object{"timeframe_start": "yesterday", "timeframe_end": "today"}, "e").invalid("timeframe_start: ", "timeframe_end: ")
		find(object{"limit": 1}, "e").invalid("limit: ")
	})

	It("finds nothing of another account", func() {
		a.ingest(call("mine", nil)).expect(200)
		other := start()
		other.clock("2025-05-10T12:00:00Z")
		Expect(other.search("mine").list("data")).To(BeEmpty())
	})
})

var _ = Describe("GET /v1/events/volume", func() {
	const path = "/v1/events/volume?timeframe_start="
	var a *api
	BeforeEach(func() {
		a = start()
		a.clock("2025-05-31T23:40:00Z")
	})

	// volumes writes the hours of an answer as "start to end: count".
	volumes := func(body value) (hours []string) {
		GinkgoHelper()
		for k := range body.list("data") {
			hour := body.entry("data", k)
			hours = append(hours, fmt.Sprintf("%s to %s: %s", hour.text("timeframe_start")[5:16], hour.text("timeframe_end")[5:16], hour.at("count")))
		}
		return hours
	}
	at := func(key, timestamp string) object { return call(key, object{"timestamp": timestamp}) }

	It("counts by hour, those of both ends whole, and those without events too (semantics 2.5.6)", func() {
		a.ingest(
			at("before", "2025-05-31T20:59:59.999999Z"), at("first", "2025-05-31T21:00:00Z"),
			at("last of May", "2025-05-31T23:59:59.999999Z"), at("first of June", "2025-06-01T00:00:00Z"), at("again", "2025-06-01T00:30:00Z"),
		).expect(200)
		Expect(volumes(a.get(path + "2025-05-31T21:45:00Z&timeframe_end=2025-06-01T00:00:00Z").expect(200))).To(Equal([]string{
			"05-31T21:00 to 05-31T22:00: 1", "05-31T22:00 to 05-31T23:00: 0", "05-31T23:00 to 06-01T00:00: 1", "06-01T00:00 to 06-01T01:00: 2",
		}))
	})

	It("counts up to the hour of now if it is not told", func() {
		a.ingest(at("a", "2025-05-31T23:00:00Z"), at("b", "2025-06-01T00:40:00Z")).expect(200)
		Expect(volumes(a.get(path + "2025-05-31T22:30:00Z").expect(200))).To(Equal([]string{
			"05-31T22:00 to 05-31T23:00: 0", "05-31T23:00 to 06-01T00:00: 1",
		}))
		Expect(volumes(a.get(path + "2025-05-31T23:40:00Z").expect(200))).To(Equal([]string{"05-31T23:00 to 06-01T00:00: 1"}))
	})

	It("counts up to the hour of now in the last instant of that hour too", func() {
		a.clock("2025-05-31T23:59:59.999999Z")
		Expect(volumes(a.get(path + "2025-05-31T23:40:00Z").expect(200))).To(Equal([]string{"05-31T23:00 to 06-01T00:00: 0"}))
	})

	It("counts what was taken in: late events in their hour, no duplicates, and deprecated ones (semantics 2.5.6)", func() {
		s := a.newFixture("2025-05-31T23:40:00Z")
		s.subscribe(s.buyer(object{"external_customer_id": "acme"}), object{"start_date": "2025-05-01"}, s.calls("1"))
		a.ingest(at("a", "2025-05-31T20:10:00Z"), at("b", "2025-05-31T20:20:00Z")).expect(200)
		a.ingest(at("a", "2025-05-31T21:10:00Z")).expect(200)
		a.put(eventAt("a")+"/deprecate", nil).expect(200)
		a.put(eventAt("b"), amended("1", object{"timestamp": "2025-05-31T20:20:00Z"})).expect(200)
		a.clock("2025-06-01T02:00:00Z")
		a.ingest(at("late", "2025-05-31T20:59:00Z")).expect(200)
		Expect(volumes(a.get(path + "2025-05-31T20:00:00Z&timeframe_end=2025-05-31T21:00:00Z").expect(200))).To(Equal([]string{
			"05-31T20:00 to 05-31T21:00: 3", "05-31T21:00 to 05-31T22:00: 0",
		}))
	})

	It("is cut in UTC, however the timeframe is written", func() {
		a.ingest(at("a", "2025-05-31T23:10:00Z")).expect(200)
		Expect(volumes(a.get(path + "2025-06-01T04:45:00%2B05:30&timeframe_end=2025-05-31T23:59:59").expect(200))).
			To(Equal([]string{"05-31T23:00 to 06-01T00:00: 1"}))
		Expect(volumes(a.get(path + "2025-05-30&timeframe_end=2025-05-31").expect(200))).To(HaveLen(25))
	})

	It("is that of the account alone", func() {
		a.ingest(at("a", "2025-05-31T23:10:00Z")).expect(200)
		other := start()
		other.clock("2025-05-31T23:40:00Z")
		Expect(volumes(other.get(path + "2025-05-31T23:00:00Z").expect(200))).To(Equal([]string{"05-31T23:00 to 06-01T00:00: 0"}))
	})

	It("is of a timeframe that begins, ends later, and is no longer than 366 days", func() {
		a.get("/v1/events/volume").invalid("timeframe_start: is required")
		a.get(path + "soon").invalid("timeframe_start: ")
		a.get(path + "2025-05-31T00:00:00Z&timeframe_end=2025-05-31T00:00:00Z").invalid("timeframe_end: must be after")
		a.get(path + "2025-06-01").invalid("timeframe_start: must not be in the future")
		a.get(path + "2023-12-31T23:59:59Z&timeframe_end=2025-01-01").invalid("timeframe_start: must be at most 366 days")
		Expect(a.get(path + "2024-01-01&timeframe_end=2025-01-01").expect(200).list("data")).To(HaveLen(366*24 + 1))
	})
})
