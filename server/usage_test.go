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
		s := openShop("2025-06-09T00:00:00Z")
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
		s := openShop("2025-06-28T00:00:00Z")
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

	It("is none before the start", func() {
		s := openShop("2025-06-28T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), object{"start_date": "2025-08-01"}, s.calls("1")).text("id")
		Expect(s.get("/v1/subscriptions/" + sub + "/usage").expect(200).list("data")).To(BeEmpty())
	})

	It("is that of the last period once the subscription has ended", func() {
		s := openShop("2025-06-28T00:00:00Z")
		sub := s.subscribe(s.buyer(nil), object{"end_date": "2025-07-03"}, s.calls("1")).text("id")
		s.clock("2025-08-01T00:00:00Z")
		Expect(windows(s.get("/v1/subscriptions/"+sub+"/usage").expect(200).entry("data", 0))).
			To(Equal([]string{"07-01T00:00 to 07-02T00:00: 0", "07-02T00:00 to 07-03T00:00: 0"}))
	})

	It("refuses half a timeframe, one that is empty, and what it does not know", func() {
		s := openShop("2025-06-28T00:00:00Z")
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
