package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// windows writes the steps of a usage series as "start to end: quantity".
func windows(series value) []string {
	GinkgoHelper()
	texts := []string{}
	for k := range series.list("usage") {
		u := series.entry("usage", k)
		texts = append(texts, fmt.Sprintf("%s to %s: %s", u.text("timeframe_start")[5:16], u.text("timeframe_end")[5:16], u.at("quantity")))
	}
	return texts
}

var _ = Describe("Usage of a subscription", func() {
	It("T-5: is cut at local midnights, windows without events included", func() {
		s := newFixture("2025-06-09T00:00:00Z")
		buyer := s.buyer(object{"timezone": "Asia/Kolkata"})
		path := "/v1/subscriptions/" + s.subscribe(buyer, nil, s.calls("1")).text("id") + "/usage"
		s.clock("2025-06-10T18:30:00Z")
		s.use(buyer, "2025-06-10T18:29:59Z", "2")
		s.use(buyer, "2025-06-10T18:30:00Z", "0.50")
		s.clock("2025-06-12T00:00:00Z")
		frame := "?granularity=day&timeframe_start=2025-06-10T00:00:00Z&timeframe_end=2025-06-12T00:00:00Z"
		days := s.get(path + frame).expect(200)
		Expect(days.at("data[0].billable_metric.id")).To(Equal(s.metric))
		Expect(days.at("data[0].view_mode")).To(Equal("periodic"))
		Expect(windows(days.entry("data", 0))).To(Equal([]string{
			"06-10T00:00 to 06-10T18:30: 2", "06-10T18:30 to 06-11T18:30: 0.5", "06-11T18:30 to 06-12T00:00: 0",
		}))
		Expect(windows(s.get(path+frame+"&view_mode=cumulative").expect(200).entry("data", 0))).To(Equal([]string{
			"06-10T00:00 to 06-10T18:30: 2", "06-10T00:00 to 06-11T18:30: 2.5", "06-10T00:00 to 06-12T00:00: 2.5",
		}))
	})

	It("is that of the current billing period by default, one series for each metric", func() {
		s := newFixture("2025-06-28T00:00:00Z")
		largest := s.api.metric("SELECT MAX(n) FROM events WHERE event_name = 'call'")
		buyer := s.buyer(nil)
		path := "/v1/subscriptions/" + s.subscribe(buyer, nil, s.calls("1"), s.fee("1"), s.calls("2"),
			with(s.calls("1"), object{"billable_metric_id": largest})).text("id") + "/usage"
		s.use(buyer, "2025-06-28T00:00:00Z", "3", "4")
		s.clock("2025-06-29T00:00:00Z")
		s.use(buyer, "2025-06-29T00:00:00Z", "2")
		all := s.get(path).expect(200)
		Expect(all.each("data", "billable_metric.id")).To(Equal(list{s.metric, largest}))
		Expect(windows(all.entry("data", 0))).To(Equal([]string{
			"06-28T00:00 to 06-29T00:00: 7", "06-29T00:00 to 06-30T00:00: 2", "06-30T00:00 to 07-01T00:00: 0",
		}))
		// a maximum does not add up over days
		Expect(all.each("data[1].usage", "quantity")).To(Equal(list{json.Number("4"), json.Number("4"), json.Number("4")}))
		Expect(s.get(path+"?billable_metric_id="+largest).expect(200).each("data", "billable_metric.id")).To(Equal(list{largest}))
		s.clock("2025-07-01T00:00:00Z")
		Expect(s.get(path).expect(200).list("data[0].usage")).To(HaveLen(31))
	})

	Describe("of a metric that does not add up over days (semantics 4.2.5)", func() {
		It("tells for each day what has come together since its billing period began", func() {
			s := newFixture("2025-10-28T00:00:00Z")
			distinct := s.api.metric("SELECT COUNT(DISTINCT n) FROM events WHERE event_name = 'call'")
			buyer := s.buyer(object{"timezone": "America/New_York"})
			path := "/v1/subscriptions/" + s.subscribe(buyer, object{"start_date": "2025-10-28"},
				with(s.calls("1"), object{"billable_metric_id": distinct})).text("id") + "/usage"
			for _, day := range []struct {
				at string
				n  []string
			}{
				{"2025-10-29T16:00:00Z", []string{"1", "2"}},
				{"2025-10-31T16:00:00Z", []string{"2", "3"}},
				{"2025-11-01T03:59:59Z", []string{"4"}}, // the last second of October
				{"2025-11-01T04:00:00Z", []string{"4"}},
				{"2025-11-03T04:59:59Z", []string{"1"}}, // the last second of a day of 25 hours
				{"2025-11-03T05:00:00Z", []string{"4"}},
			} {
				s.clock(day.at)
				s.use(buyer, day.at, day.n...)
			}
			days := s.get(path + "?timeframe_start=2025-10-30T16:00:00Z&timeframe_end=2025-11-04T05:00:00Z").expect(200)
			Expect(windows(days.entry("data", 0))).To(Equal([]string{
				"10-30T16:00 to 10-31T04:00: 2", "10-31T04:00 to 11-01T04:00: 4",
				"11-01T04:00 to 11-02T04:00: 1", "11-02T04:00 to 11-03T05:00: 2", "11-03T05:00 to 11-04T05:00: 2",
			}))
			whole := s.get(path + "?view_mode=cumulative&timeframe_start=2025-10-30T16:00:00Z&timeframe_end=2025-11-02T04:00:00Z").expect(200)
			Expect(windows(whole.entry("data", 0))).To(Equal([]string{
				"10-30T16:00 to 10-31T04:00: 0", "10-30T16:00 to 11-01T04:00: 3", "10-30T16:00 to 11-02T04:00: 3",
			}))
		})

		It("begins with the timeframe where there is no billing period", func() {
			s := newFixture("2025-06-28T00:00:00Z")
			largest := s.api.metric("SELECT MAX(n) FROM events WHERE event_name = 'call'")
			buyer := s.buyer(nil)
			path := "/v1/subscriptions/" + s.subscribe(buyer, object{"start_date": "2025-06-30", "end_date": "2025-07-02"},
				with(s.calls("1"), object{"billable_metric_id": largest})).text("id") + "/usage"
			for n, day := range []string{"2025-06-28", "2025-06-29", "2025-06-30", "2025-07-01", "2025-07-02"} {
				s.clock(day + "T12:00:00Z")
				s.use(buyer, day+"T12:00:00Z", fmt.Sprint(9-n))
			}
			Expect(s.get(path+"?timeframe_start=2025-06-28&timeframe_end=2025-07-03").expect(200).each("data[0].usage", "quantity")).
				To(Equal(list{json.Number("9"), json.Number("9"), json.Number("7"), json.Number("6"), json.Number("9")}))
		})
	})

	Describe("told apart by a property (semantics 4.3.1)", func() {
		var s fixture
		var path string
		BeforeEach(func() {
			s = newFixture("2025-06-28T12:00:00Z")
			buyer := s.buyer(object{"external_customer_id": "acme"})
			path = "/v1/subscriptions/" + s.subscribe(buyer, nil, s.calls("1")).text("id") + "/usage?billable_metric_id=" + s.metric
		})
		// send ingests events of one unit, of the day of the clock.
		send := func(properties ...object) {
			GinkgoHelper()
			events := make([]object, len(properties))
			for k, p := range properties {
				*s.sent++
				events[k] = call(fmt.Sprint("p", *s.sent), object{
					"event_name": "call", "timestamp": s.get("/v1/test_clock").expect(200).text("now"), "properties": with(object{"n": 1}, p),
				})
			}
			s.ingest(events...).expect(200)
		}
		// groups writes the series of an answer as "value: quantities".
		groups := func(body value) (all []string) {
			GinkgoHelper()
			for k := range body.list("data") {
				series := body.entry("data", k)
				all = append(all, fmt.Sprintf("%s: %s", series.at("metric_group.property_value"), series.each("usage", "quantity")))
			}
			return all
		}

		It("has a series for each value, as text and in order", func() {
			send(object{"p": "b"}, object{"p": 7}, object{"p": "7"}, object{"p": json.Number("7.0")}, object{"p": true}, object{"q": "x"}, object{"p": ""})
			s.clock("2025-06-29T12:00:00Z")
			send(object{"p": "b"}, object{"p": "B"}, object{"p": "é"}, object{"p": "b", "n": "many"})
			days := s.get(path + "&group_by=p").expect(200)
			Expect(groups(days)).To(Equal([]string{": [1 0 0]", "7: [3 0 0]", "B: [0 1 0]", "b: [1 1 0]", "true: [1 0 0]", "é: [0 1 0]"}))
			days.shows(object{
				"data[0].metric_group.property_key": "p", "data[0].billable_metric.id": s.metric, "data[0].view_mode": "periodic",
				"pagination_metadata.has_more": false, "pagination_metadata.next_cursor": nil,
			})
			Expect(windows(days.entry("data", 3))).To(Equal([]string{
				"06-28T00:00 to 06-29T00:00: 1", "06-29T00:00 to 06-30T00:00: 1", "06-30T00:00 to 07-01T00:00: 0",
			}))
			sums := s.get(path + "&group_by=p&view_mode=cumulative&timeframe_start=2025-06-28T00:00:00Z&timeframe_end=2025-06-30T00:00:00Z").expect(200)
			Expect(groups(sums)).To(Equal([]string{": [1 1]", "7: [3 3]", "B: [0 1]", "b: [1 2]", "true: [1 1]", "é: [0 1]"}))
			Expect(s.get(path + "&group_by=nothing").expect(200).list("data")).To(BeEmpty())
			together := s.get(path).expect(200)
			Expect(together.has("pagination_metadata") || together.has("data[0].metric_group")).To(BeFalse())
		})

		It("is told a page at a time, each group once", func() {
			send(object{"p": ""}, object{"p": "a"}, object{"p": "b"}, object{"p": "c"}, object{"p": "d"})
			var all []string
			cursor := ""
			for page := range 3 {
				body := s.get(path + "&group_by=p&limit=2&timeframe_start=2025-06-28&timeframe_end=2025-06-29" + cursor).expect(200)
				all = append(all, groups(body)...)
				more := page < 2
				Expect(body.at("pagination_metadata.has_more")).To(Equal(more))
				if more {
					cursor = "&cursor=" + body.text("pagination_metadata.next_cursor")
				}
				if page == 0 {
					send(object{"p": "0 comes too late"}, object{"p": "b2"})
				}
			}
			Expect(all).To(Equal([]string{": [1]", "a: [1]", "b: [1]", "b2: [1]", "c: [1]", "d: [1]"}))
		})

		It("has a thousand groups on a page", func() {
			all := make([]object, 1001)
			for n := range all {
				all[n] = object{"p": fmt.Sprintf("%04d", n)}
			}
			send(all...)
			first := s.get(path + "&group_by=p").expect(200)
			Expect(first.list("data")).To(HaveLen(1000))
			Expect(groups(s.get(path + "&group_by=p&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200))).
				To(Equal([]string{"1000: [1 0 0]"}))
		})

		It("counts only what has the values of dimensions", func() {
			send(object{"r": "eu", "c": "x", "p": "a"}, object{"r": "eu", "c": "y", "p": "a"}, object{"r": "us", "c": "x", "p": "b"}, object{"r": 5, "p": "b"})
			first := func(query string) list {
				GinkgoHelper()
				return s.get(path+query).expect(200).each("data[0].usage", "quantity")[:1]
			}
			Expect(first("&first_dimension_key=r&first_dimension_value=eu")).To(Equal(list{json.Number("2")}))
			Expect(first("&first_dimension_key=r&first_dimension_value=5")).To(Equal(list{json.Number("1")}))
			Expect(first("&first_dimension_key=r&first_dimension_value=eu&second_dimension_key=c&second_dimension_value=x")).To(Equal(list{json.Number("1")}))
			Expect(first("&second_dimension_key=c&second_dimension_value=x")).To(Equal(list{json.Number("2")}))
			Expect(groups(s.get(path + "&group_by=p&first_dimension_key=c&first_dimension_value=x").expect(200))).
				To(Equal([]string{"a: [1 0 0]", "b: [1 0 0]"}))
		})

		It("needs a metric that adds up, a cursor of its own, and dimensions in pairs", func() {
			largest := s.api.metric("SELECT MAX(n) FROM events WHERE event_name = 'call'")
			sub := s.subscribe(s.buyer(nil), nil, with(s.calls("1"), object{"billable_metric_id": largest})).text("id")
			other := "/v1/subscriptions/" + sub + "/usage?billable_metric_id=" + largest
			s.get(other + "&group_by=p").invalid("group_by: needs a metric that is a count or a sum")
			Expect(s.get("/v1/subscriptions/" + sub + "/usage?group_by=p&billable_metric_id=" + s.metric).expect(200).list("data")).To(BeEmpty())
			s.get("/v1/subscriptions/"+sub+"/usage?group_by=p&first_dimension_key=r&first_dimension_value=eu").
				invalid("group_by: goes with billable_metric_id", "billable_metric_id: must be given")
			s.get(path+"&first_dimension_key=r&second_dimension_value=x").
				invalid("first_dimension_key: goes with first_dimension_value", "second_dimension_value: goes with second_dimension_key")
			for _, cursor := range []string{"x", "YQ", "!"} {
				s.get(path + "&group_by=p&cursor=" + cursor).invalid("cursor: is not one")
			}
			s.get(path + "&group_by=p&limit=0").invalid("limit: ")
			s.get(path + "&group_by=p&limit=1001").invalid("limit: ")
		})
	})

	It("is none before the start", func() {
		s := newFixture("2025-06-28T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), object{"start_date": "2025-08-01"}, s.calls("1")).text("id")
		Expect(s.get("/v1/subscriptions/" + sub + "/usage").expect(200).list("data")).To(BeEmpty())
	})

	It("is that of the last period once the subscription has ended", func() {
		s := newFixture("2025-06-28T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), object{"end_date": "2025-07-03"}, s.calls("1")).text("id")
		s.clock("2025-08-01T00:00:00Z")
		Expect(windows(s.get("/v1/subscriptions/"+sub+"/usage").expect(200).entry("data", 0))).
			To(Equal([]string{"07-01T00:00 to 07-02T00:00: 0", "07-02T00:00 to 07-03T00:00: 0"}))
	})

	It("refuses half a timeframe, one that is empty, and what it does not know", func() {
		s := newFixture("2025-06-28T00:00:00Z")
		path := "/v1/subscriptions/" + s.subscribe(s.buyer(nil), nil, s.calls("1")).text("id") + "/usage"
		s.get(path + "?timeframe_start=2025-06-01").invalid("timeframe_start: goes with")
		s.get(path + "?timeframe_end=2025-06-01").invalid("timeframe_start: goes with")
		s.get(path + "?timeframe_start=2025-06-02&timeframe_end=2025-06-02").invalid("timeframe_end: must be after")
		s.get(path + "?timeframe_start=x&timeframe_end=2025-06-02").invalid("timeframe_start: ")
		s.get(path + "?granularity=hour").invalid("granularity: must be")
		s.get(path+"?billable_metric_id=nope").refuse(404, "404-resource-not-found", "Metric", "nope")
		s.get("/v1/subscriptions/nope/usage").refuse(404, "404-resource-not-found", "Subscription", "nope")
	})
})
