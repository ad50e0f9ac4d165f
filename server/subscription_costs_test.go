package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// daily writes costs as "first to end: subtotal".
func daily(costs value) []string {
	GinkgoHelper()
	texts := []string{}
	for k := range costs.list("data") {
		c := costs.entry("data", k)
		texts = append(texts, fmt.Sprintf("%s to %s: %s", c.text("timeframe_start")[5:10], c.text("timeframe_end")[5:10], c.at("subtotal")))
	}
	return texts
}

var _ = Describe("Costs", func() {
	Describe("of usage on single days of March (C-1 to C-3 without a minimum)", func() {
		var s fixture
		var buyer, costs string
		BeforeEach(func() {
			s = newFixture("2025-03-01T00:00:00Z")
			buyer = s.buyer(object{"external_customer_id": "acme"})
			costs = "/v1/subscriptions/" + s.subscribe(buyer, nil, s.calls("2.00")).text("id") + "/costs"
			for _, day := range [][2]string{{"2025-03-01T10:00:00Z", "5"}, {"2025-03-03T10:00:00Z", "12"}, {"2025-03-04T10:00:00Z", "3"}} {
				s.clock(day[0])
				s.use(buyer, day[0], day[1])
			}
			s.clock("2025-03-04T23:00:00Z")
		})
		It("are cumulative by default", func() {
			all := s.get(costs).expect(200)
			Expect(daily(all)).To(Equal([]string{"03-01 to 03-02: 10.00", "03-01 to 03-03: 10.00", "03-01 to 03-04: 34.00", "03-01 to 03-05: 40.00"}))
			Expect(all.each("data", "per_price_costs[0].quantity")).To(Equal(list{json.Number("5"), json.Number("5"), json.Number("17"), json.Number("20")}))
			Expect(all.each("data", "total")).To(Equal(all.each("data", "subtotal")))
		})
		It("are differences when periodic", func() {
			all := s.get(costs + "?view_mode=periodic").expect(200)
			Expect(daily(all)).To(Equal([]string{"03-01 to 03-02: 10.00", "03-02 to 03-03: 0.00", "03-03 to 03-04: 24.00", "03-04 to 03-05: 6.00"}))
			Expect(all.each("data", "per_price_costs[0].quantity")).To(Equal(list{json.Number("5"), json.Number("0"), json.Number("12"), json.Number("3")}))
		})
		It("C-3: of a slice begin with the period", func() {
			Expect(daily(s.get(costs + "?timeframe_start=2025-03-03T00:00:00Z&timeframe_end=2025-03-05T00:00:00Z").expect(200))).
				To(Equal([]string{"03-01 to 03-04: 34.00", "03-01 to 03-05: 40.00"}))
		})
		DescribeTable("have the timeframe's other end by default",
			func(query string, expected ...string) {
				Expect(daily(s.get(costs + "?" + query).expect(200))).To(HaveExactElements(expected))
			},
			Entry("a start runs to the end of today", "timeframe_start=2025-03-04", "03-01 to 03-05: 40.00"),
			Entry("an end starts with the current period", "timeframe_end=2025-03-02", "03-01 to 03-02: 10.00"),
			Entry("future days are not returned", "timeframe_start=2025-03-04&timeframe_end=2025-03-31", "03-01 to 03-05: 40.00"),
			Entry("nor are days before the subscription", "timeframe_start=2025-02-01&timeframe_end=2025-03-02", "03-01 to 03-02: 10.00"),
			Entry("a date-time inside a day takes that day", "timeframe_start=2025-03-03T12:00:00&timeframe_end=2025-03-03T13:00:00", "03-01 to 03-04: 34.00"),
		)
		It("are the same for the customer, by id and by alias", func() {
			expected := daily(s.get(costs).expect(200))
			Expect(daily(s.get("/v1/customers/" + buyer + "/costs").expect(200))).To(Equal(expected))
			Expect(daily(s.get("/v1/customers/external_customer_id/acme/costs").expect(200))).To(Equal(expected))
		})
		It("add up what a customer's subscriptions cost on the same days", func() {
			s.subscribe(buyer, object{"start_date": "2025-03-01"}, s.fee("31"))
			all := s.get("/v1/customers/" + buyer + "/costs").expect(200)
			Expect(daily(all)[3]).To(Equal("03-01 to 03-05: 71.00"))
			Expect(all.list("data[3].per_price_costs")).To(HaveLen(2))
			Expect(daily(s.get("/v1/customers/" + buyer + "/costs?timeframe_start=2025-03-02&timeframe_end=2025-03-03&view_mode=periodic").expect(200))).
				To(Equal([]string{"03-02 to 03-03: 0.00"}))
		})
		It("have only prices of the currency asked for", func() {
			Expect(s.get(costs + "?currency=EUR").expect(200).at("data[0].per_price_costs")).To(BeEmpty())
			Expect(s.get(costs + "?currency=USD").expect(200).at("data[0].subtotal")).To(Equal("10.00"))
		})
		It("refuse a timeframe that is none, and ids that name nothing", func() {
			for _, path := range []string{costs, "/v1/customers/" + buyer + "/costs", "/v1/customers/external_customer_id/acme/costs"} {
				s.get(path + "?timeframe_start=2025-03-03&timeframe_end=2025-03-03").invalid("timeframe_end: must be after")
				s.get(path + "?timeframe_start=soon").invalid("timeframe_start: ")
				s.get(path+"?timeframe_start=x&timeframe_end=y").invalid("timeframe_start: ", "timeframe_end: ")
				s.get(path + "?view_mode=daily").invalid("view_mode: must be one of")
			}
			s.get("/v1/subscriptions/nope/costs").refuse(404, "404-resource-not-found", "Subscription", "nope")
			s.get("/v1/customers/nope/costs").refuse(404, "404-resource-not-found", "Customer", "nope")
			s.get("/v1/customers/external_customer_id/nope/costs").refuse(404, "404-resource-not-found", "Customer", "nope")
		})
	})

	It("C-4: are cumulative within each of the periods that a timeframe cuts", func() {
		s := newFixture("2025-05-15T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, object{"align_billing_with_subscription_start_date": true}, s.calls("1.00")).text("id")
		s.clock("2025-05-20T00:00:00Z")
		s.use(buyer, "2025-05-20T00:00:00Z", "1")
		s.clock("2025-06-20T00:00:00Z")
		s.use(buyer, "2025-06-20T00:00:00Z", "1")
		s.clock("2025-07-02T00:00:00Z")
		all := daily(s.get("/v1/subscriptions/" + sub + "/costs?timeframe_start=2025-06-01&timeframe_end=2025-07-01").expect(200))
		Expect(all).To(HaveLen(30))
		Expect(all[0]).To(Equal("05-15 to 06-02: 1.00"))
		Expect(all[13]).To(Equal("05-15 to 06-15: 1.00"))
		Expect(all[14]).To(Equal("06-15 to 06-16: 0.00"))
		Expect(all[29]).To(Equal("06-15 to 07-01: 1.00"))
	})

	It("C-6: are those of the last period once the subscription has ended", func() {
		s := newFixture("2025-03-10T00:00:00Z")
		buyer := s.buyer(nil)
		sub := s.subscribe(buyer, object{"end_date": "2025-04-10"}, s.calls("1")).text("id")
		Expect(daily(s.get("/v1/customers/" + buyer + "/costs").expect(200))).To(HaveLen(1))
		s.clock("2025-06-01T00:00:00Z")
		all := daily(s.get("/v1/subscriptions/" + sub + "/costs").expect(200))
		Expect(all).To(HaveLen(9))
		Expect(all[0]).To(Equal("04-01 to 04-02: 0.00"))
		Expect(all[8]).To(Equal("04-01 to 04-10: 0.00"))
		Expect(daily(s.get("/v1/customers/" + buyer + "/costs").expect(200))).To(Equal(all))
	})

	It("show each price on each day as it is, whatever its name", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		names := []any{`"price":[1]`, "<b>\u2028&"}
		subscription := s.subscribe(s.buyer(nil), nil, with(s.calls("2.00"), object{"name": names[0]}), with(s.calls("3.00"), object{"name": names[1]}))
		s.clock("2025-03-02T12:00:00Z")
		costs := s.get("/v1/subscriptions/" + subscription.text("id") + "/costs").expect(200)
		for day := range costs.list("data") {
			shown := costs.entry("data", day)
			Expect(shown.each("per_price_costs", "price.name")).To(Equal(names))
			Expect(shown.each("per_price_costs", "price.id")).To(Equal(shown.each("per_price_costs", "price_id")))
		}
	})

	It("are none for a customer without subscriptions", func() {
		s := newFixture("2025-03-10T00:00:00Z")
		Expect(s.get("/v1/customers/" + s.buyer(nil) + "/costs").expect(200).at("data")).To(BeEmpty())
	})

	It("T-9: have a day of 25 hours where the clock falls back", func() {
		s := newFixture("2025-10-15T12:00:00Z")
		sub := s.subscribe(s.buyer(object{"timezone": "America/New_York"}), nil, s.calls("1")).text("id")
		s.clock("2025-12-01T06:00:00Z")
		all := s.get("/v1/subscriptions/" + sub + "/costs?view_mode=periodic&timeframe_start=2025-11-01&timeframe_end=2025-12-01").expect(200)
		Expect(all.list("data")).To(HaveLen(30))
		Expect(all.at("data[0].timeframe_start")).To(Equal("2025-11-01T04:00:00+00:00"))
		Expect(all.at("data[1].timeframe_start")).To(Equal("2025-11-02T04:00:00+00:00"))
		Expect(all.at("data[1].timeframe_end")).To(Equal("2025-11-03T05:00:00+00:00"))
		Expect(all.at("data[29].timeframe_end")).To(Equal("2025-12-01T05:00:00+00:00"))
	})
})
