package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/server/worker"
	"tollkeeper/store"
)

// By which filter and with which parameters a price counts changes from the instant of the
// edit on. What was used before counts as it did (semantics 4.2.7 and 6.3.7).
var _ = Describe("Another filter, or other parameters, of a price interval", func() {
	const europe, america = "region = 'eu'", "region = 'us'"
	regional := func(aggregate string) string { return "SELECT " + aggregate + " FROM events WHERE region = {{region}}" }

	// begin opens a fixture with a price that counts Europe, by its filter or by a parameter.
	begin := func(zone, start, aggregate string, byFilter bool) (s fixture, buyer, sub, interval string) {
		GinkgoHelper()
		s = newFixture(start)
		buyer = s.buyer(object{"timezone": zone})
		sql := regional(aggregate)
		if byFilter {
			sql = "SELECT " + aggregate + " FROM events"
		}
		made := s.subscribe(buyer, nil, with(s.calls("1.00"), object{"billable_metric_id": s.api.metric(sql)}))
		sub, interval = made.text("id"), made.entry("price_intervals", 0).text("id")
		return s, buyer, sub, interval
	}
	// count changes what the price counts: Europe, America, or what it counts without either.
	count := func(s fixture, sub, interval, region string, byFilter bool) {
		GinkgoHelper()
		change := object{"metric_parameter_overrides": object{"region": region}}
		switch {
		case byFilter && region == "eu":
			change = object{"filter": europe}
		case byFilter:
			change = object{"filter": america}
		}
		s.intervals(sub, edit(interval, change)).expect(200)
	}
	use := func(s fixture, buyer, at, eu, us string) {
		GinkgoHelper()
		s.clock(at)
		s.use(buyer, at, eu+`, "region": "eu"`, us+`, "region": "us"`)
		s.settle()
	}
	total := func(s fixture, sub, from, to string) string {
		GinkgoHelper()
		all := s.get("/v1/subscriptions/" + sub + "/costs?timeframe_start=" + from + "&timeframe_end=" + to).expect(200)
		return all.entry("data", len(all.list("data"))-1).text("total")
	}
	verified := func(s fixture) {
		GinkgoHelper()
		v, err := worker.Verify(s.ctx, s.store, store.AccountID(s.ctx))
		Expect(err).NotTo(HaveOccurred())
		Expect(v.Findings).To(BeEmpty())
		Expect(v.LeftOut).To(BeEmpty())
	}

	for _, byFilter := range []bool{true, false} {
		what := map[bool]string{true: "a filter: ", false: "parameters: "}[byFilter]

		DescribeTable(what+"leaves the costs of past days alone",
			func(zone, start, aggregate, before, change, after, due, day, costs, bill string) {
				s, buyer, sub, interval := begin(zone, start, aggregate, byFilter)
				count(s, sub, interval, "eu", byFilter)
				use(s, buyer, before, "10", "50")
				Expect(total(s, sub, before[:10], day)).To(Equal("10.00"))
				s.clock(change)
				count(s, sub, interval, "us", byFilter)
				Expect(total(s, sub, before[:10], day)).To(Equal("10.00"), "the costs of the days before")
				use(s, buyer, after, "1000", "3")
				Expect(total(s, sub, before[:10], day)).To(Equal("10.00"), "the costs of the days before")
				Expect(total(s, sub, after[:10], due[:10])).To(Equal(costs))
				s.clock(due)
				s.invoices(sub).entry("data", 1).shows(object{"total": bill, "status": "issued"})
				verified(s)
			},
			Entry("of a sum", "UTC", "2025-03-01T00:00:00Z", "SUM(n)", "2025-03-05T00:00:00Z", "2025-03-20T00:00:00Z", "2025-03-25T00:00:00Z",
				"2025-04-01T12:00:00Z", "2025-03-06", "13.00", "13.00"),
			Entry("of a maximum, where it is asked of all events together", "UTC", "2025-03-01T00:00:00Z", "MAX(n)", "2025-03-05T00:00:00Z",
				"2025-03-20T00:00:00Z", "2025-03-25T00:00:00Z", "2025-04-01T12:00:00Z", "2025-03-06", "10.00", "10.00"),
			Entry("of several aggregates", "UTC", "2025-03-01T00:00:00Z", "SUM(n) - MIN(n) + MIN(n)", "2025-03-05T00:00:00Z", "2025-03-20T00:00:00Z",
				"2025-03-25T00:00:00Z", "2025-04-01T12:00:00Z", "2025-03-06", "13.00", "13.00"),
			Entry("on the day of a clock change, at the last but one day of a month", "Europe/Berlin", "2025-02-28T23:00:00Z", "SUM(n)", "2025-03-29T23:30:00Z",
				"2025-03-30T22:10:00Z", "2025-03-31T21:30:00Z", "2025-04-01T10:00:00Z", "2025-03-31", "13.00", "13.00"),
			Entry("within an hour", "UTC", "2025-02-01T00:00:00Z", "SUM(n)", "2025-02-27T23:50:00Z", "2025-02-28T00:10:00Z", "2025-02-28T00:30:00Z",
				"2025-03-01T12:00:00Z", "2025-02-28", "13.00", "13.00"),
		)

		It(what+"leaves a draft of a period that is over alone, and counts in the next", func() {
			s, buyer, sub, interval := begin("UTC", "2025-03-01T00:00:00Z", "SUM(n)", byFilter)
			count(s, sub, interval, "eu", byFilter)
			use(s, buyer, "2025-03-31T20:00:00Z", "10", "50")
			s.clock("2025-04-01T06:00:00Z") // in the grace period
			count(s, sub, interval, "us", byFilter)
			use(s, buyer, "2025-04-01T07:00:00Z", "1", "2")
			s.clock("2025-05-01T12:00:00Z")
			Expect(s.bills(sub)[:2]).To(Equal([]string{"2025-04-01 issued 10.00", "2025-05-01 issued 2.00"}))
			verified(s)
		})

		It(what+"leaves what credits paid of past days alone, and an invoice that is issued", func() {
			s, buyer, sub, interval := begin("UTC", "2025-03-01T00:00:00Z", "SUM(n)", byFilter)
			count(s, sub, interval, "eu", byFilter)
			s.post("/v1/customers/"+buyer+"/credits/ledger_entry", object{"entry_type": "increment", "currency": "USD", "amount": 30, "expiry_date": "2025-03-10"}).expect(201)
			use(s, buyer, "2025-03-05T00:00:00Z", "10", "50")
			s.clock("2025-03-20T00:00:00Z")
			count(s, sub, interval, "us", byFilter)
			use(s, buyer, "2025-03-25T00:00:00Z", "1000", "3")
			s.clock("2025-03-25T12:00:00Z")
			count(s, sub, interval, "eu", byFilter)
			use(s, buyer, "2025-03-26T00:00:00Z", "4", "1000")
			s.clock("2025-04-01T12:00:00Z")
			s.invoices(sub).entry("data", 1).
				shows(object{"total": "7.00", "status": "issued", "line_items[0].subtotal": "17.00", "line_items[0].credits_applied": "10.00"})
			count(s, sub, interval, "us", byFilter)
			Expect(s.bills(sub)[0]).To(Equal("2025-04-01 issued 7.00"))
			verified(s)
		})
	}

	It("applies with other customers from the same edit on", func() {
		s, buyer, sub, interval := begin("UTC", "2025-03-01T00:00:00Z", "SUM(n)", false)
		child := s.buyer(object{"timezone": "UTC", "hierarchy": object{"parent_customer_id": buyer}})
		count(s, sub, interval, "eu", false)
		use(s, buyer, "2025-03-05T00:00:00Z", "10", "50")
		use(s, child, "2025-03-05T00:00:00Z", "100", "500")
		s.clock("2025-03-20T00:00:00Z")
		s.intervals(sub, edit(interval, object{"metric_parameter_overrides": object{"region": "us"}, "usage_customer_ids": list{child}, "filter": "n > 1"})).expect(200)
		use(s, buyer, "2025-03-25T00:00:00Z", "1000", "5000")
		use(s, child, "2025-03-25T00:00:00Z", "1000", "1")
		use(s, child, "2025-03-25T00:00:00Z", "1000", "3")
		s.clock("2025-04-01T12:00:00Z")
		s.invoices(sub).entry("data", 1).shows(object{"total": "13.00", "status": "issued", "line_items[0].filter": "n > 1"})
		verified(s)
	})

	It("applies in lists and ranges, and to a result as a whole from then on", func() {
		s := newFixture("2025-03-01T00:00:00Z")
		buyer := s.buyer(nil)
		metric := s.api.metric("SELECT SUM(n * {{factor}}) + {{base}} FROM events WHERE region IN ('uk', {{region}}) AND n BETWEEN {{least}} AND 100")
		made := s.subscribe(buyer, nil, with(s.calls("1.00"), object{"billable_metric_id": metric}))
		sub, interval := made.text("id"), made.entry("price_intervals", 0).text("id")
		set := func(factor, base any, region string, least any) {
			GinkgoHelper()
			s.intervals(sub, edit(interval, object{"metric_parameter_overrides": object{"factor": factor, "base": base, "region": region, "least": least}})).expect(200)
		}
		set(2, 0, "eu", 1)
		use(s, buyer, "2025-03-05T00:00:00Z", "10", "50")
		s.clock("2025-03-20T00:00:00Z")
		set(3, 0.5, "us", 5)
		use(s, buyer, "2025-03-25T00:00:00Z", "90", "4")
		use(s, buyer, "2025-03-26T00:00:00Z", "90", "6")
		s.use(buyer, "2025-03-26T00:00:00Z", `7, "region": "uk"`)
		s.clock("2025-04-01T12:00:00Z")
		s.invoices(sub).entry("data", 1).shows(object{"total": "59.50", "status": "issued"}) // 10 x 2 + (6 + 7) x 3 + 0.5
		verified(s)
	})
})
