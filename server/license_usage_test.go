package server_test

import (
	"encoding/json"
	"fmt"

	. "github.com/onsi/ginkgo/v2"
	. "github.com/onsi/gomega"
)

// spend sends an event of a license that uses so many credits.
func (o licenseFixture) spend(customer, name, at, n string) {
	GinkgoHelper()
	*o.sent++
	o.post("/v1/ingest", fmt.Sprintf(`{"events":[{"idempotency_key":"e%06d","event_name":"call","customer_id":%q,"timestamp":%q,"properties":{"n":%s,"seat_id":%q}}]}`,
		*o.sent, customer, at, n, name)).expect(200)
}

// figures writes rows of usage as "name from to: allocated - consumed = remaining, eligible, shared".
func figures(page value) []string {
	GinkgoHelper()
	texts := []string{}
	for k := range page.list("data") {
		r := page.entry("data", k)
		name := "all"
		if r.at("license_id") != nil {
			name = r.text("external_license_id")
		}
		texts = append(texts, fmt.Sprintf("%s %s %s: %s - %s = %s, %s eligible, %s shared", name, r.text("start_date")[5:], r.text("end_date")[5:],
			r.at("allocated_credits"), r.at("consumed_credits"), r.at("remaining_credits"), r.at("allocation_eligible_credits"), r.at("shared_pool_credits")))
	}
	return texts
}

var _ = Describe("The usage of licenses", func() {
	var o licenseFixture
	BeforeEach(func() { o = newLicenseFixture("2025-06-10T15:00:00Z") })

	rows := func(sub, query string) []string {
		GinkgoHelper()
		return figures(o.get("/v1/licenses/usage?subscription_id=" + sub + "&license_type_id=" + o.kind + query).expect(200))
	}

	It("LT-4: draws on the license's own credits first, and leaves the rest to those of all", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		a := o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "130")
		page := o.get("/v1/licenses/" + a.text("id") + "/usage").expect(200)
		Expect(page.entry("data", 0).json).To(Equal(object{
			"subscription_id": sub, "license_type_id": o.kind, "license_id": a.at("id"), "external_license_id": "a",
			"pricing_unit": "credits", "start_date": "2025-06-10", "end_date": "2025-07-01",
			"allocated_credits": json.Number("100"), "consumed_credits": json.Number("100"), "remaining_credits": json.Number("0"),
			"allocation_eligible_credits": json.Number("130"), "shared_pool_credits": json.Number("30"),
		}))
		Expect(rows(sub, "")).To(Equal([]string{"a 06-10 07-01: 100 - 100 = 0, 130 eligible, 30 shared"}))
	})

	It("LT-4: drops what is beyond them where the price writes it off", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", object{"write_off_overage": true}), o.metered())
		o.give(sub, "a", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "130")
		Expect(rows(sub, "")).To(Equal([]string{"a 06-10 07-01: 100 - 100 = 0, 130 eligible, 0 shared"}))
	})

	It("leaves to all what is used while the license is not active", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		o.give(sub, "a", object{"end_date": "2025-06-12"})
		o.give(sub, "b", nil)
		o.clock("2025-06-12T06:00:00Z")
		o.spend(customer, "a", "2025-06-11T23:59:59Z", "30")
		o.spend(customer, "a", "2025-06-12T00:00:00Z", "20")
		o.spend(customer, "nobody", "2025-06-12T00:00:00Z", "7")
		Expect(rows(sub, "")).To(Equal([]string{
			"b 06-10 07-01: 100 - 0 = 100, 0 eligible, 0 shared",
			"a 06-10 07-01: 100 - 30 = 70, 30 eligible, 20 shared",
		}))
	})

	It("grants anew in each period, at the end of a month and across a change of the clock", func() {
		o.clock("2025-10-31T12:00:00Z")
		customer, sub := o.rent(object{"timezone": "America/New_York"}, nil, o.seats(3, "100", nil), o.metered())
		o.give(sub, "a", nil)
		o.clock("2025-11-01T12:00:00Z")
		o.spend(customer, "a", "2025-11-01T03:59:59Z", "60") // still October there
		o.spend(customer, "a", "2025-11-01T04:00:00Z", "50")
		o.clock("2025-11-02T12:00:00Z")
		o.spend(customer, "a", "2025-11-02T05:30:00Z", "25") // in the hour that comes twice
		o.spend(customer, "a", "2025-11-02T06:30:00Z", "35")
		Expect(rows(sub, "&start_date=2025-10-31&end_date=2025-12-01")).To(Equal([]string{"a 10-31 12-01: 200 - 160 = 40, 170 eligible, 10 shared"}))
		Expect(rows(sub, "&start_date=2025-10-31&end_date=2025-11-04&group_by=license,day")).To(Equal([]string{
			"a 10-31 11-01: 100 - 60 = 40, 60 eligible, 0 shared",
			"a 11-01 11-02: 100 - 50 = 50, 50 eligible, 0 shared",
			"a 11-02 11-03: 50 - 50 = 0, 60 eligible, 10 shared",
			"a 11-03 11-04: 0 - 0 = 0, 0 eligible, 0 shared",
		}))
		Expect(rows(sub, "&start_date=2025-11-02&end_date=2025-11-03")).To(Equal([]string{"a 11-02 11-03: 50 - 50 = 0, 60 eligible, 10 shared"}))
	})

	It("adds licenses up by day", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		o.give(sub, "a", nil)
		o.give(sub, "b", object{"start_date": "2025-06-11"})
		o.spend(customer, "a", "2025-06-10T15:00:00Z", "30")
		o.clock("2025-06-11T12:00:00Z")
		o.spend(customer, "a", "2025-06-11T01:00:00Z", "5")
		o.spend(customer, "b", "2025-06-11T01:00:00Z", "110")
		Expect(rows(sub, "&group_by=day&end_date=2025-06-12")).To(Equal([]string{
			"all 06-10 06-11: 100 - 30 = 70, 30 eligible, 0 shared",
			"all 06-11 06-12: 170 - 105 = 65, 115 eligible, 10 shared",
		}))
	})

	It("tells of one license, by id or by name", func() {
		customer, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		a := o.give(sub, "a", nil)
		o.give(sub, "b", nil)
		o.spend(customer, "a", "2025-06-10T14:00:00Z", "30")
		byName := "/v1/licenses/external_licenses/a/usage?subscription_id=" + sub + "&license_type_id=" + o.kind
		expected := []string{"a 06-10 07-01: 100 - 30 = 70, 30 eligible, 0 shared"}
		Expect(figures(o.get(byName).expect(200))).To(Equal(expected))
		Expect(figures(o.get("/v1/licenses/" + a.text("id") + "/usage").expect(200))).To(Equal(expected))
		o.post("/v1/licenses/"+a.text("id")+"/deactivate", nil).expect(200)
		o.clock("2025-06-11T00:00:00Z")
		o.get(byName).refuse(404, "404-resource-not-found", "License", "a")
		Expect(figures(o.get("/v1/licenses/" + a.text("id") + "/usage").expect(200))).To(Equal(expected))
	})

	It("comes page by page", func() {
		_, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		for _, name := range []string{"a", "b", "c"} {
			o.give(sub, name, nil)
		}
		path := "/v1/licenses/usage?limit=2&subscription_id=" + sub + "&license_type_id=" + o.kind
		first := o.get(path).expect(200)
		Expect(first.each("data", "external_license_id")).To(Equal(list{"c", "b"}))
		rest := o.get(path + "&cursor=" + first.text("pagination_metadata.next_cursor")).expect(200)
		Expect(rest.each("data", "external_license_id")).To(Equal(list{"a"}))
		Expect(rest.at("pagination_metadata.has_more")).To(BeFalse())
	})

	It("is none before a subscription begins", func() {
		_, sub := o.rent(nil, object{"start_date": "2025-08-01"}, o.seats(3, "100", nil), o.metered())
		o.give(sub, "a", nil)
		Expect(rows(sub, "")).To(BeEmpty())
		Expect(rows(sub, "&start_date=2025-07-31&end_date=2025-08-02&group_by=license,day")).To(Equal([]string{
			"a 07-31 08-01: 0 - 0 = 0, 0 eligible, 0 shared",
			"a 08-01 08-02: 100 - 0 = 100, 0 eligible, 0 shared",
		}))
	})

	It("refuses what cannot be asked", func() {
		_, sub := o.rent(nil, nil, o.seats(3, "100", nil), o.metered())
		path := "/v1/licenses/usage?subscription_id=" + sub + "&license_type_id=" + o.kind
		o.get("/v1/licenses/usage").invalid("subscription_id: ", "license_type_id: ")
		o.get(path + "&group_by=week").invalid("group_by: ")
		o.get(path + "&start_date=June").invalid("start_date: ")
		o.get(path + "&start_date=2025-06-10&end_date=2025-06-10").invalid("end_date: must be after start_date")
		o.get(path + "&start_date=2025-06-10&end_date=2027-06-10").invalid("end_date: must be at most 366 days")
		o.get(path + "&cursor=nope").invalid("cursor: ")
		o.get("/v1/licenses/nope/usage").refuse(404, "404-resource-not-found", "License", "nope")
	})
})
