package server_test

import (
	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"

	"tollkeeper/domain/webhook"
)

var _ = Describe("A license price that is replaced in the middle of a period", func() {
	var o licenseFixture
	var customer, sub string
	BeforeEach(func() {
		o = newLicenseFixture("2025-06-10T15:00:00Z")
		customer, sub = o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
	})

	rows := func(query string) []string {
		GinkgoHelper()
		return figures(o.get("/v1/licenses/usage?subscription_id=" + sub + "&license_type_id=" + o.kind + query).expect(200))
	}
	// replace lets another price of so many credits follow on a day.
	replace := func(day, granted string, more object) {
		GinkgoHelper()
		open := ""
		all := o.get("/v1/subscriptions/" + sub).expect(200)
		for k := range all.list("price_intervals") {
			if i := all.entry("price_intervals", k); i.at("end_date") == nil && i.text("price.name") == "Seats" {
				open = i.text("id")
			}
		}
		other := o.plan(object{"prices": list{o.seats(3, granted, more)}}).text("prices[0].id")
		o.post("/v1/subscriptions/"+sub+"/price_intervals", object{
			"edit": list{object{"price_interval_id": open, "end_date": day}},
			"add":  list{object{"price_id": other, "start_date": day}},
		}).expect(200)
	}

	It("grants the difference alone for the rest of it", func() {
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "60")
		replace("2025-06-20", "150", nil)
		o.clock("2025-06-20T15:00:00Z")
		o.spend(customer, "a", "2025-06-20T14:00:00Z", "120")
		Expect(rows("")).To(Equal([]string{"a 06-10 07-01: 150 - 150 = 0, 180 eligible, 30 shared"}))
		Expect(rows("&start_date=2025-06-15&end_date=2025-06-18")).To(Equal([]string{"a 06-15 06-18: 40 - 0 = 40, 0 eligible, 0 shared"}))
		Expect(rows("&start_date=2025-06-15")).To(Equal([]string{"a 06-15 07-01: 90 - 90 = 0, 120 eligible, 30 shared"}))
		Expect(rows("&start_date=2025-06-20")).To(Equal([]string{"a 06-20 07-01: 90 - 90 = 0, 120 eligible, 30 shared"}))
		o.clock("2025-07-01T12:00:00Z")
		o.spend(customer, "a", "2025-07-01T11:00:00Z", "200")
		Expect(rows("")).To(Equal([]string{"a 07-01 08-01: 150 - 150 = 0, 200 eligible, 50 shared"}))
		o.invoices(sub).entry("data", 1).lineFrom("2025-06-10").shows(object{"subtotal": "180", "credits_applied": "150", "amount": "1.50"})
	})

	It("does not take usage that was beyond the old one out of the new one", func() {
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "130")
		replace("2025-06-20", "150", nil)
		o.clock("2025-06-20T15:00:00Z")
		o.spend(customer, "a", "2025-06-20T14:00:00Z", "60")
		Expect(rows("")).To(Equal([]string{"a 06-10 07-01: 150 - 150 = 0, 190 eligible, 40 shared"}))
	})

	It("takes back no more than is unspent where it grants less", func() {
		o.give(sub, "a", nil)
		o.give(sub, "b", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "80")
		o.spend(customer, "b", "2025-06-10T14:00:00Z", "20")
		replace("2025-06-20", "50", nil)
		o.clock("2025-06-20T15:00:00Z")
		o.spend(customer, "a", "2025-06-20T14:00:00Z", "10")
		o.spend(customer, "b", "2025-06-20T14:00:00Z", "40")
		Expect(rows("")).To(ConsistOf(
			"a 06-10 07-01: 80 - 80 = 0, 90 eligible, 10 shared",
			"b 06-10 07-01: 50 - 50 = 0, 60 eligible, 10 shared",
		))
	})

	It("grants all of it to licenses that begin afterwards, and again in the next period", func() {
		replace("2025-06-20", "150", nil)
		o.clock("2025-06-20T15:00:00Z")
		o.give(sub, "late", nil)
		o.spend(customer, "late", "2025-06-20T14:00:00Z", "170")
		Expect(rows("&start_date=2025-06-20")).To(Equal([]string{"late 06-20 07-01: 150 - 150 = 0, 170 eligible, 20 shared"}))
	})

	It("grants the differences of several prices that follow each other, and writes off by the last one", func() {
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "90")
		replace("2025-06-15", "120", nil)
		o.clock("2025-06-15T15:00:00Z")
		o.spend(customer, "a", "2025-06-15T14:00:00Z", "20")
		replace("2025-06-20", "130", object{"write_off_overage": true})
		o.clock("2025-06-20T15:00:00Z")
		o.spend(customer, "a", "2025-06-20T14:00:00Z", "45")
		Expect(rows("")).To(Equal([]string{"a 06-10 07-01: 130 - 130 = 0, 155 eligible, 0 shared"}))
	})

	It("does not let alerts count twice, nor from nothing again", func() {
		o.give(sub, "a", nil)
		o.post("/v1/alerts/subscription_id/"+sub, object{
			"type": "license_balance_threshold_reached", "license_type_id": o.kind, "thresholds": thresholds("50", "90"),
		}).expect(201)
		o.listens(webhook.SubscriptionLicenseBalanceThresholdMet)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "60")
		o.clock("2025-06-10T16:00:00Z")
		Expect(o.told()).To(HaveLen(1))
		replace("2025-06-20", "150", nil)
		o.clock("2025-06-20T15:00:00Z")
		o.spend(customer, "a", "2025-06-20T14:00:00Z", "60") // 120 of 150
		o.clock("2025-06-20T16:00:00Z")
		Expect(o.told()).To(HaveLen(1))
		o.spend(customer, "a", "2025-06-20T14:00:00Z", "15")
		o.clock("2025-06-20T17:00:00Z")
		Expect(o.told()).To(HaveLen(2))
	})

	It("grants the difference by local days across a change of the clock", func() {
		o = newLicenseFixture("2025-03-01T06:00:00Z")
		customer, sub = o.rent(object{"timezone": "America/New_York"}, nil, o.seats(3, "100", nil), o.metered())
		o.give(sub, "a", nil)
		replace("2025-03-10", "150", nil)
		o.clock("2025-03-10T03:59:59Z")
		o.spend(customer, "a", "2025-03-10T03:59:59Z", "120")
		o.clock("2025-03-10T04:00:00Z")
		o.spend(customer, "a", "2025-03-10T04:00:00Z", "60")
		Expect(rows("&group_by=day&start_date=2025-03-09&end_date=2025-03-11")).To(Equal([]string{
			"all 03-09 03-10: 100 - 100 = 0, 120 eligible, 20 shared", "all 03-10 03-11: 50 - 50 = 0, 60 eligible, 10 shared",
		}))
	})

	DescribeTable("by a change of the plan is such a one, unless a period of its own begins with that",
		func(alignment, allocated string) {
			o.give(sub, "a", nil)
			o.spend(customer, "a", "2025-06-10T14:00:00Z", "60")
			other := o.plan(object{"prices": list{o.seats(3, "150", nil), o.metered()}}).text("id")
			o.clock("2025-06-20T00:00:00Z")
			o.post("/v1/subscriptions/"+sub+"/schedule_plan_change", object{
				"plan_id": other, "change_option": "immediate", "billing_cycle_alignment": alignment,
			}).expect(200)
			Expect(rows("&start_date=2025-06-20&end_date=2025-06-21")).To(Equal([]string{"a 06-20 06-21: " + allocated + ", 0 eligible, 0 shared"}))
		},
		Entry("it goes on", "unchanged", "90 - 0 = 90"),
		Entry("it begins then", "plan_change_date", "150 - 0 = 150"),
	)
})
